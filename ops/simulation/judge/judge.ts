import { doubled } from './doubled.ts';
import type { Evidence, Violation } from './evidence.ts';
import { type Case, openCase } from './expected.ts';
import type { Found } from './found.ts';
import { letter } from './letter.ts';
import { lost } from './lost.ts';
import { parked } from './parked.ts';
import { phantom } from './phantom.ts';
import { reordered } from './reordered.ts';
import { stuck } from './stuck.ts';

const verdicts: readonly ((found: Case) => Iterable<Found>)[] = [
  lost,
  phantom,
  doubled,
  reordered,
  stuck,
  parked,
  letter,
];

/**
 * Every broken promise of a history; nothing when all were kept. The judge shares no code with the runtime and does
 * not see its records: what was sent, what the stores hold and what lies in the queues is all that counts.
 *
 * @example
 * ```ts
 * const violations = judge({ subscribers: [evidence] });
 * for (const { kind, subscriber, text } of violations) console.log(`${subscriber}: ${kind}: ${text}`);
 * ```
 */
export function judge({ subscribers }: Evidence): Violation[] {
  return subscribers.flatMap((evidence) => {
    const found = openCase(evidence);
    return verdicts.flatMap((verdict) =>
      [...verdict(found)].map((each) => ({ ...each, subscriber: evidence.subscriber })),
    );
  });
}
