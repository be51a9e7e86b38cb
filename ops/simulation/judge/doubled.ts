import type { Case } from './expected.ts';
import type { Found } from './found.ts';
import { allowanceOf } from './postures.ts';

/** Two effects of one event, where the posture promises one. */
export function* doubled({ evidence, events }: Case): Generator<Found> {
  for (const { id, effect, effects, fate } of events)
    if (effects > 1 && fate !== 'letter' && !allowanceOf(evidence, effect).repeats)
      yield {
        kind: 'doubled',
        id,
        text: `the effect of ${id} happened ${effects} times; ${evidence.effects} with a ${nameOf[effect]} promises once`,
      };
}

const nameOf = {
  transaction: 'transaction',
  keyed: 'key',
  unkeyed: 'call that is not repeated when its outcome is unknown',
} as const;
