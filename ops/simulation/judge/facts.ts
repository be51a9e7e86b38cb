import type { Letter } from './evidence.ts';
import type { MatchedLetter } from './expected.ts';

/*
 * What a dead letter says of itself, as operators read it: attributes of their own, or, where the original left no
 * room for them, one attribute with all of them in JSON. A message has ten attributes and 1 MiB at most (SQS
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

type Facts = Partial<Record<keyof typeof names, string>>;

function factsOf({ attributes }: Letter): Facts {
  const packed = attributes[packedName];
  if (packed !== undefined) return unpack(packed);
  return Object.fromEntries(
    Object.entries(names).flatMap(([fact, name]) =>
      attributes[name] === undefined ? [] : [[fact, attributes[name]]],
    ),
  );
}

function unpack(text: string): Facts {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return Object.fromEntries(
      Object.keys(names).flatMap((fact) => (value[fact] === undefined ? [] : [[fact, String(value[fact])]])),
    );
  } catch {
    return {};
  }
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
  if ((facts.error ?? '') === '') faults.push('does not say what went wrong');
  return faults;
}
