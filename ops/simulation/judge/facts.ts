import type { Letter } from './evidence.ts';
import type { MatchedLetter } from './expected.ts';

/*
 * What a dead letter says of itself, as operators read it: attributes of their own, and one attribute with everything
 * in JSON; where the original left no room for more, that alone. A message has ten attributes and 1 MiB at most (SQS
 * quotas): where the original takes all of it, the letter says nothing, and that is no fault.
 */
const names = {
  reason: 'sluice-reason',
  attempts: 'sluice-attempts',
  error: 'sluice-error',
  failedAt: 'sluice-failed-at',
} as const;
const packedName = 'sluice-failure';
const mostAttributes = 10;
/** Bodies of this length and more may leave no room. */
const longBody = 1_000_000;

/** What only the attribute with everything tells. */
const further = ['firstFailedAt', 'subscriber'] as const;

type Facts = Partial<Record<keyof typeof names | (typeof further)[number], string>>;

function factsOf({ attributes }: Letter): Facts {
  const direct = Object.entries(names).flatMap(([fact, name]) =>
    attributes[name] === undefined ? [] : [[fact, attributes[name]]],
  );
  return { ...unpack(attributes[packedName]), ...Object.fromEntries(direct) };
}

function unpack(text = '{}'): Facts {
  let value: Record<string, unknown> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return {};
  }
  // The error is there in one piece, or as its class and its message.
  const told: Record<string, unknown> = { error: value?.message ?? value?.class, ...value };
  return Object.fromEntries(
    [...Object.keys(names), ...further].flatMap((fact) =>
      told[fact] === undefined ? [] : [[fact, String(told[fact])]],
    ),
  );
}

/** Why the event was dead-lettered, in the letter's own word. */
export const reasonOf = (letter: Letter): string | undefined => factsOf(letter).reason;

/** What the letter does not say. */
export function whatLacks({ letter, originals }: MatchedLetter): string[] {
  const [original] = originals;
  const noRoom =
    letter.body.length >= longBody || Object.keys(original?.attributes ?? {}).length >= mostAttributes;
  const facts = factsOf(letter);
  if (noRoom) return [];
  const faults: string[] = [];
  if (facts.reason === undefined) faults.push('gives no reason');
  if (!/^\d+$/.test(facts.attempts ?? '')) faults.push('does not say how many attempts there were');
  if (Number.isNaN(Date.parse(facts.failedAt ?? ''))) faults.push('does not say when it failed');
  if (Number.isNaN(Date.parse(facts.firstFailedAt ?? ''))) faults.push('does not say when it failed first');
  if ((facts.subscriber ?? '') === '') faults.push('does not say whose it is');
  if ((facts.error ?? '') === '') faults.push('does not say what went wrong');
  return faults;
}
