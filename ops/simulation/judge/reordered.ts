import { type Case, type Expected, listed } from './expected.ts';
import type { Found } from './found.ts';
import { isAfter } from './sequence.ts';

/**
 * Effects of a group against the order in which its events were accepted; effects behind the dead letter of a group
 * that halts; older sequences after newer ones. A repeat says nothing about the order: only the first effect of an
 * event counts.
 */
export function* reordered(found: Case): Generator<Found> {
  const order = firstEffects(found);
  if (found.evidence.fifo) {
    yield* againstAcceptance(order);
    if (found.evidence.onDeadLetter === 'halt') yield* behindALetter(found);
  }
  if (found.evidence.sequenceGuard === true) yield* againstSequence(order);
}

function* againstAcceptance(order: readonly Expected[]): Generator<Found> {
  const last = new Map<string | undefined, Expected>();
  for (const event of order) {
    const before = last.get(event.group);
    if (before !== undefined && before.place > event.place)
      yield {
        kind: 'reordered',
        id: event.id,
        text: `in group ${event.group} ${event.id} happened after ${before.id}, which was sent later`,
      };
    else last.set(event.group, event);
  }
}

/**
 * A group that was never lifted ends at its first letter; one that was lifted and is parked again, at its last. The letter
 * of an event that was done after all (its worker died when it had sent the letter, and before that was written down)
 * ends nothing.
 */
function* behindALetter({ evidence, events }: Case): Generator<Found> {
  const { parkedGroups, liftedGroups = [] } = evidence;
  for (const [group, members] of listed(events, (event) => event.group ?? '')) {
    const buried = members.filter(({ letters, effects }) => letters.length > 0 && effects === 0);
    const lifted = liftedGroups.includes(group);
    if (lifted && !parkedGroups.includes(group)) continue;
    const halt = lifted ? buried.at(-1) : buried[0];
    if (halt === undefined) continue;
    for (const { id, place, effects } of members)
      if (place > halt.place && effects > 0)
        yield {
          kind: 'reordered',
          id,
          text: `${id} happened, although its group ${group} halts at the dead letter of ${halt.id}`,
        };
  }
}

/** Only what is written in one transaction with the sequence has an order that can be told. */
function* againstSequence(order: readonly Expected[]): Generator<Found> {
  const last = new Map<string, Expected & { readonly sequence: string }>();
  for (const event of order) {
    const { sequence } = event;
    if (sequence === undefined || event.effect !== 'transaction') continue;
    const entity = JSON.stringify([event.source, event.group]);
    const before = last.get(entity);
    if (before !== undefined && isAfter(before.sequence, sequence))
      yield {
        kind: 'reordered',
        id: event.id,
        text: `${event.id} with sequence ${sequence} happened after ${before.id} with ${before.sequence}`,
      };
    else last.set(entity, { ...event, sequence });
  }
}

/** A call to the outside that was given up, with a letter that says so, can still arrive: after later ones of its group. */
const mayBeLate = ({ effect, letters }: Expected): boolean => effect !== 'transaction' && letters.length > 0;

function firstEffects({ evidence, byId }: Case): Expected[] {
  const order = new Set<Expected>();
  for (const { id, group } of evidence.happened) {
    const events = byId.get(id) ?? [];
    const event = events.find((each) => group === undefined || each.group === group) ?? events[0];
    if (event !== undefined && event.fate !== 'letter' && !mayBeLate(event)) order.add(event);
  }
  return [...order];
}
