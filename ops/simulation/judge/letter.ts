import type { Letter, Sent } from './evidence.ts';
import type { Case, Expected, MatchedLetter } from './expected.ts';
import { reasonOf, whatLacks } from './facts.ts';
import type { Found } from './found.ts';
import { allowanceOf, allReasons, beforeTheClaim } from './postures.ts';

/** Dead letters that should not be, and those that do not say or keep what they must. */
export function* letter(found: Case): Generator<Found> {
  for (const { body } of found.strayLetters)
    yield { kind: 'letter', text: `a dead letter has a body that nobody sent: ${body.slice(0, 80)}` };
  for (const event of found.events) {
    const wrong = undeserved(found, event);
    const faults = event.letters.flatMap((each) => [
      ...whatIsLost(found, each),
      ...whatLacks(each),
      ...(wrong === undefined ? whatReason(found, event, each.letter) : []),
    ]);
    const all = new Set(wrong === undefined ? faults : [wrong, ...faults]);
    if (all.size > 0)
      yield { kind: 'letter', id: event.id, text: `the dead letter of ${event.id} ${[...all].join('; ')}` };
  }
}

/** Why an event should have no letter. */
function undeserved({ evidence }: Case, event: Expected): string | undefined {
  const [first] = event.letters;
  if (first === undefined) return undefined;
  const { effectAndLetter, loses } = allowanceOf(evidence, event.effect);
  // Sent again after its letter, as a redrive or by its publisher, an event that had failed may be done after all.
  const again = event.sent.length > 1;
  if (event.effects > 0 && !effectAndLetter && !again && event.fate !== 'letter')
    return 'stands beside its effect';
  if (event.fate !== 'effect') return undefined;
  const reasons = event.letters.map((each) => reasonOf(each.letter));
  if (evidence.onUnknownOutcome === 'park' && reasons.every((reason) => reason === 'unknown-outcome'))
    return undefined;
  if (loses && reasons.every((reason) => reason !== undefined && !beforeTheClaim.has(reason)))
    return undefined;
  return `is wrong: the event could have been done (reason ${reasons.join(', ')})`;
}

/** What the letter has not kept of the original. */
function whatIsLost({ evidence }: Case, { letter, originals }: MatchedLetter): string[] {
  if (originals.length === 0) return ['has not the body that was sent'];
  const lost = originals.map((sent) => lostOf(sent, letter, evidence.fifo));
  // Copies of an event differ in their attributes: the letter is of one of them.
  return lost.some((faults) => faults.length === 0) ? [] : (lost[0] ?? []);
}

function lostOf(sent: Sent, letter: Letter, fifo: boolean): string[] {
  const faults = Object.entries(sent.attributes).flatMap(([name, value]) =>
    letter.attributes[name] === value ? [] : [`has lost the attribute ${name}`],
  );
  const groupIsLost = fifo
    ? letter.group !== sent.group
    : letter.group !== undefined && letter.group !== sent.group;
  return groupIsLost ? [...faults, `has lost its group ${sent.group}`] : faults;
}

/** What is wrong with the reason that the letter gives. */
function whatReason({ evidence }: Case, event: Expected, letter: Letter): string[] {
  const reason = reasonOf(letter);
  if (reason === undefined) return [];
  if (reason === 'unknown-outcome')
    return evidence.onUnknownOutcome === 'park'
      ? []
      : [`gives the reason ${reason}, although this subscriber tries again what is unknown`];
  const allowed = event.reasons ?? allReasons;
  return allowed.has(reason) ? [] : [`gives the reason ${reason}; allowed: ${[...allowed].join(', ')}`];
}
