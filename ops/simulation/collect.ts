import { type Seconds, seconds } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Harness } from '../../local/index.ts';
import { fateAt } from './fates.ts';
import type { Evidence, Sent, SubscriberEvidence } from './judge/index.ts';
import type { Plan } from './plan.ts';
import type { Taken } from './publish.ts';
import type { World } from './scenario.ts';

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

/** Everything that the judge is to see. */
export async function collect(
  harness: Harness<Messaging>,
  world: World,
  subscribers: readonly Subscriber[],
  plan: Plan,
  taken: readonly Taken[],
): Promise<Evidence> {
  const found: SubscriberEvidence[] = [];
  for (const subscriber of subscribers) {
    const { name, fifo, effects, onDeadLetter, onUnknownOutcome, sequenceGuard } = subscriber;
    const { visible, inFlight, delayed } = harness.queue(name);
    const letters = await harness.deadLetters(name);
    found.push({
      subscriber: name,
      fifo,
      effects,
      onDeadLetter,
      onUnknownOutcome,
      sequenceGuard,
      sent: takenBy(subscriber.topic, taken).flatMap((each) =>
        sentOf(each, subscriber, plan, world.effectOf(name)),
      ),
      happened: world.happened(subscriber, harness.aws),
      letters: letters.map(({ body, attributes, groupId }) => ({
        body,
        attributes,
        ...(groupId === undefined ? {} : { group: groupId }),
      })),
      waiting: visible + inFlight + delayed,
      waitingGroups: waitingGroups(harness, name),
      parkedGroups: parkedGroups(harness, name),
    });
  }
  return { subscribers: found };
}

/** What a topic took, in its order; one without an order has none but that of its answers. */
const takenBy = (topic: string, taken: readonly Taken[]): Taken[] =>
  taken
    .filter(({ publish }) => publish.topic === topic)
    .sort((one, other) => Number(BigInt(one.sequenceNumber ?? 0) - BigInt(other.sequenceNumber ?? 0)));

function sentOf(
  { publish, body, attributes }: Taken,
  subscriber: Subscriber,
  plan: Plan,
  effect: Sent['effect'],
): Sent[] {
  const { id, group, message, fate } = publish;
  // Nothing is to come of it, so whatever comes of it is something that nobody sent.
  if (fate === undefined) return [];
  const sequence = 'body' in message ? undefined : message.sequence;
  const source = `sluice/${plan.messaging.name}`;
  return [
    {
      id,
      source,
      group,
      body,
      attributes,
      effect,
      ...fateAt(publish, fate, subscriber, plan),
      ...(sequence === undefined ? {} : { sequence }),
    },
  ];
}

function waitingGroups(harness: Harness<Messaging>, subscriber: string): string[] {
  const { arn } = harness.queue(subscriber);
  return harness.aws.sqs.messages(arn).flatMap(({ groupId }) => groupId ?? []);
}

/** Groups whose marker in the table of records says that they wait for their operator. */
function parkedGroups(harness: Harness<Messaging>, subscriber: string): string[] {
  return harness.aws.dynamodb.items(harness.deployed.recordsTable).flatMap((item) => {
    const parked = item.state?.S === 'PARKED' && item.subscriber?.S === subscriber;
    return parked && item.group?.S !== undefined ? [item.group.S] : [];
  });
}
