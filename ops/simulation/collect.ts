import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Harness } from '../../local/index.ts';
import { fateAt } from './fates.ts';
import type { Evidence, Sent, SubscriberEvidence } from './judge/index.ts';
import type { Lifted } from './operator.ts';
import type { Plan } from './plan.ts';
import type { Taken } from './publish.ts';
import { parkedGroups, waitingGroups } from './quiet.ts';
import type { World } from './scenario.ts';

/** Everything that the judge is to see. */
export async function collect(
  harness: Harness<Messaging>,
  world: World,
  subscribers: readonly Subscriber[],
  plan: Plan,
  taken: readonly Taken[],
  lifted: Lifted,
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
      liftedGroups: [...(lifted.get(name) ?? [])],
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
  { publish, body, attributes, tries }: Taken,
  subscriber: Subscriber,
  plan: Plan,
  effect: Sent['effect'],
): Sent[] {
  const { id, group, message, fate } = publish;
  // Nothing is to come of it, so whatever comes of it is something that nobody sent.
  if (fate === undefined) return [];
  const sequence = 'body' in message ? undefined : message.sequence;
  const source = `sluice/${plan.messaging.name}`;
  const sent: Sent = {
    id,
    source,
    group,
    body,
    attributes,
    effect,
    ...fateAt(publish, fate, subscriber, plan, tries),
    ...(sequence === undefined ? {} : { sequence }),
  };
  return tries > 1 ? [sent, { ...sent }] : [sent];
}
