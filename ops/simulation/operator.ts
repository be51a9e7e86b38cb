import { type Seconds, seconds } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Harness } from '../../local/index.ts';
import { liftGroup } from '../groups/index.ts';
import { comeToRest, parkedGroups } from './quiet.ts';
import type { Tell } from './scenario.ts';

/** Groups that were lifted, by subscriber. */
export type Lifted = ReadonlyMap<string, ReadonlySet<string>>;

/** A group halts again at its next dead letter, and is lifted again; more often than this it is left. */
const mostRounds = 8;

/**
 * Seconds until the head of a parked group looks again, at most: twice the four days of a queue's retention, by the
 * thousand receives that SQS allows.
 */
const longestLook = 700;

/** Does what an operator does in the end: lifts every group that waits behind a dead letter, until none does. */
export async function liftParked(
  harness: Harness<Messaging>,
  subscribers: readonly Subscriber[],
  within: Seconds,
  tell: Tell,
): Promise<Lifted> {
  const { tools, deployed } = harness;
  const lifted = new Map<string, Set<string>>();
  for (let round = 0; round < mostRounds; round++) {
    const parked = subscribers.flatMap(({ name }) =>
      parkedGroups(harness, name).map((group) => [name, group] as const),
    );
    if (parked.length === 0) break;
    for (const [name, group] of parked) {
      await liftGroup(tools.dynamodb, deployed.recordsTable, name, group);
      lifted.set(name, (lifted.get(name) ?? new Set()).add(group));
      tell(`the operator lifts group ${group} of ${name}`);
    }
    await comeToRest(harness, subscribers, seconds(within + longestLook));
  }
  return lifted;
}
