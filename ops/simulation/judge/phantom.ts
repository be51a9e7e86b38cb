import type { Case } from './expected.ts';
import type { Found } from './found.ts';

/** Done, and never sent; or done, although it can only be refused. */
export function* phantom({ strayEffects, events }: Case): Generator<Found> {
  for (const id of new Set(strayEffects.map((effect) => effect.id)))
    yield { kind: 'phantom', id, text: `${id} has an effect, and nobody sent it` };
  for (const { id, fate, effects } of events)
    if (fate === 'letter' && effects > 0)
      yield { kind: 'phantom', id, text: `${id} has an effect, although it can only be dead-lettered` };
}
