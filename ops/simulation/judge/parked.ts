import type { Case } from './expected.ts';
import type { Found } from './found.ts';

/** A group that is parked for nothing is parked for ever: no dead letter tells the operator to lift it. */
export function* parked({ evidence }: Case): Generator<Found> {
  const { parkedGroups, letters, fifo, onDeadLetter } = evidence;
  for (const group of new Set(parkedGroups))
    if (!fifo || onDeadLetter !== 'halt')
      yield { kind: 'parked', text: `group ${group} is parked, although this subscriber parks none` };
    else if (!letters.some((letter) => letter.group === group))
      yield { kind: 'parked', text: `group ${group} is parked, and none of its events has a dead letter` };
}
