import { type Seconds, seconds } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Harness } from '../../local/index.ts';

/** Steps in which a stack is looked at while it comes to rest. */
const step = seconds(2);

/** Moves time on until no queue holds a message but those of parked groups, or until the time is over. */
export async function comeToRest(
  harness: Harness<Messaging>,
  subscribers: readonly Subscriber[],
  within: Seconds,
): Promise<void> {
  await harness.clock.settle();
  for (let passed = 0; passed < within; passed += step) {
    if (subscribers.every((subscriber) => isAtRest(harness, subscriber))) return;
    await harness.advance(step);
  }
}

function isAtRest(harness: Harness<Messaging>, { name, onDeadLetter }: Subscriber): boolean {
  const { arn, visible, inFlight, delayed } = harness.queue(name);
  // What a topic could not deliver yet is on its way too.
  if (harness.aws.sns.undelivered(arn) > 0) return false;
  if (visible + inFlight + delayed === 0) return true;
  if (onDeadLetter !== 'halt') return false;
  const parked = new Set(parkedGroups(harness, name));
  return parked.size > 0 && waitingGroups(harness, name).every((group) => parked.has(group));
}

/** The groups of the messages that wait for a subscriber, one entry for each message. */
export function waitingGroups(harness: Harness<Messaging>, subscriber: string): string[] {
  const { arn } = harness.queue(subscriber);
  return harness.aws.sqs.messages(arn).flatMap(({ groupId }) => groupId ?? []);
}

/** Groups whose marker in the table of records says that they wait for their operator. */
export function parkedGroups(harness: Harness<Messaging>, subscriber: string): string[] {
  return harness.aws.dynamodb.items(harness.deployed.recordsTable).flatMap((item) => {
    const parked = item.state?.S === 'PARKED' && item.subscriber?.S === subscriber;
    return parked && item.group?.S !== undefined ? [item.group.S] : [];
  });
}
