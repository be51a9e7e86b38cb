import type { Graph } from './graph.ts';
import { isFifo, itself, subscriptions, topics } from './messaging.ts';
import { amount, within } from './phrases.ts';
import { allows } from './policy.ts';
import * as quotas from './quotas.ts';
import { queuePolicies } from './resource-policies.ts';
import type { RuleTable } from './rule.ts';
import { document, number, property, type Resource } from './value.ts';

/** Whether the policies of a queue let a topic send to it. */
const maySend = (graph: Graph, topic: Resource, queue: Resource): boolean | undefined =>
  allows(graph, queue, queuePolicies(graph).get(queue) ?? [undefined], {
    service: 'sns.amazonaws.com',
    actions: ['sqs:SendMessage'],
    on: queue,
    source: topic,
  });

const remedyOfPolicy =
  'Allow sns.amazonaws.com to sqs:SendMessage on it, under the condition ArnEquals aws:SourceArn of the topic.';
const clientErrors = 'SNS developer guide, "Message delivery retries"';

/** Rules on subscriptions and their dead-letter queues. */
export const subscriptionRules = {
  'subscription-dead-letter-missing': {
    severity: 'error',
    condition: 'A subscription of a queue or function has no dead-letter queue of its own.',
    allowed: 'a redrive policy on every subscription',
    remedy: 'Give the subscription a dead-letter queue that admits the topic.',
    why: 'What SNS cannot deliver for a client’s fault, such as a policy, a key or a queue that is gone, it does not try again: lost. The queue’s own dead-letter queue never sees it.',
    source: clientErrors,
    subjects: ['stack'],
    *check(graph) {
      for (const { at, protocol, redrive } of subscriptions(graph))
        if ((protocol === 'sqs' || protocol === 'lambda') && redrive === null)
          yield { at, found: 'no RedrivePolicy' };
    },
  },
  'subscription-dead-letter-kind': {
    severity: 'error',
    condition: 'A subscription’s dead-letter queue is of another kind than its topic.',
    allowed: 'FIFO for a FIFO topic, standard for a standard one',
    remedy: 'Make the dead-letter queue of the topic’s kind.',
    why: 'SNS refuses the subscription, or cannot dead-letter to it: what was not delivered is lost.',
    source: 'SNS developer guide, "Amazon SNS dead-letter queues"',
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, topic, redrive } of subscriptions(graph)) {
        if (redrive?.target === undefined) continue;
        const [own, others] = [isFifo(topic), isFifo(redrive.target)];
        if (own !== undefined && others !== undefined && own !== others)
          yield {
            at,
            found: `a ${others ? 'FIFO' : 'standard'} dead-letter queue on a subscription of a ${own ? 'FIFO' : 'standard'} topic`,
          };
      }
    },
  },
  'subscription-dead-letter-policy': {
    severity: 'error',
    condition: 'A subscription’s dead-letter queue does not let the topic send.',
    allowed: 'a queue policy with a statement for the topic',
    remedy: remedyOfPolicy,
    why: 'SNS cannot put there what it could not deliver: both are lost, and only a metric tells.',
    source: 'SNS developer guide, "Amazon SNS dead-letter queues"',
    subjects: ['stack'],
    *check(graph) {
      for (const { topic, redrive } of subscriptions(graph)) {
        const queue = redrive?.target?.resource;
        if (queue?.type !== 'AWS::SQS::Queue' || topic.resource === undefined) continue;
        if (maySend(graph, topic.resource, queue) === false)
          yield { at: queue, found: `no statement that lets ${topic.resource.logicalId} send` };
      }
    },
  },
  'delivery-policy': {
    severity: 'error',
    condition: 'A subscribed queue does not let its topic send.',
    allowed: 'a queue policy with a statement for the topic',
    remedy: remedyOfPolicy,
    why: 'Every delivery fails as a client’s fault and is not tried again: all messages are lost.',
    source: clientErrors,
    subjects: ['stack'],
    *check(graph) {
      for (const { topic, endpoint } of subscriptions(graph)) {
        const queue = endpoint?.resource;
        if (queue?.type !== 'AWS::SQS::Queue' || topic.resource === undefined) continue;
        if (maySend(graph, topic.resource, queue) === false)
          yield { at: queue, found: `no statement that lets ${topic.resource.logicalId} send` };
      }
    },
  },
  'fifo-queue-on-standard-topic': {
    severity: 'error',
    condition: 'A FIFO queue subscribes to a standard topic.',
    allowed: 'FIFO queues on FIFO topics only',
    remedy: 'Make the topic FIFO, or the queue standard.',
    why: 'SNS refuses the subscription in the middle of the deployment.',
    source: 'SNS developer guide, "Message delivery for FIFO topics"',
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, topic, protocol, endpoint } of subscriptions(graph))
        if (
          protocol === 'sqs' &&
          endpoint !== undefined &&
          isFifo(topic) === false &&
          isFifo(endpoint) === true
        )
          yield { at, found: 'a FIFO queue on a standard topic' };
    },
  },
  'fifo-subscriptions': {
    severity: 'error',
    condition: 'A FIFO topic has more subscriptions than SNS allows.',
    allowed: `up to ${quotas.fifoSubscriptionsMost.value} subscriptions on a FIFO topic`,
    remedy: 'Spread the events over several topics.',
    why: 'SNS refuses the last ones in the middle of the deployment.',
    source: quotas.fifoSubscriptionsMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const at of topics(graph)) {
        const count = subscriptions(graph).filter(({ topic }) => topic.resource === at).length;
        if (isFifo(itself(at)) === true && count > quotas.fifoSubscriptionsMost.value)
          yield { at, found: `${count} subscriptions` };
      }
    },
  },
  'topic-archive': {
    severity: 'error',
    condition: 'A topic keeps its archive shorter or longer than SNS allows.',
    allowed: within(quotas.archiveDaysLeast.value, quotas.archiveDaysMost),
    remedy: 'Choose a value in that range, or leave the archive out.',
    why: 'SNS refuses the topic in the middle of the deployment.',
    source: quotas.archiveDaysMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of topics(graph)) {
        const days = number(
          property(document(property(at.properties, 'ArchivePolicy')), 'MessageRetentionPeriod'),
        );
        if (typeof days !== 'number') continue;
        if (days < quotas.archiveDaysLeast.value || days > quotas.archiveDaysMost.value)
          yield { at, found: amount(days, 'days') };
      }
    },
  },
  'topic-message-size': {
    severity: 'error',
    condition: 'A topic takes larger messages than SNS allows, or than its subscriptions take.',
    allowed: `${within(quotas.topicMessageBytesLeast.value, quotas.topicMessageBytesMost)}; above ${quotas.topicMessageBytesDefault.value} only subscriptions of SQS, Lambda and Firehose, up to ${quotas.largeMessageSubscriptionsMost.value}`,
    remedy: 'Lower MaximumMessageSize, or give the other subscribers a topic of their own.',
    why: 'SNS refuses the topic, or the subscription, in the middle of the deployment.',
    source: quotas.topicMessageBytesMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of topics(graph)) {
        const bytes = number(property(at.properties, 'MaximumMessageSize'));
        if (typeof bytes !== 'number') continue;
        if (bytes < quotas.topicMessageBytesLeast.value || bytes > quotas.topicMessageBytesMost.value)
          yield { at, found: `MaximumMessageSize ${amount(bytes, 'bytes')}` };
        if (bytes <= quotas.topicMessageBytesDefault.value) continue;
        const own = subscriptions(graph).filter(({ topic }) => topic.resource === at);
        if (own.length > quotas.largeMessageSubscriptionsMost.value)
          yield { at, found: `MaximumMessageSize ${bytes} with ${own.length} subscriptions` };
        for (const { at: subscription, protocol } of own)
          if (typeof protocol === 'string' && !['sqs', 'lambda', 'firehose'].includes(protocol))
            yield {
              at: subscription,
              found: `a subscription of ${protocol} on a topic with MaximumMessageSize ${bytes}`,
            };
      }
    },
  },
  'topic-without-subscriber': {
    severity: 'warning',
    condition: 'Nobody subscribes to a topic.',
    allowed: 'a subscription in the app, or outside of it',
    remedy: 'Subscribe something, or silence the rule where others subscribe.',
    why: 'What is published there is gone; only the owner of another stack can know better.',
    source: 'SNS developer guide, "What is Amazon SNS"',
    subjects: ['stack'],
    *check(graph) {
      const heard = new Set(subscriptions(graph).map(({ topic }) => topic.resource));
      const unknown = subscriptions(graph).some(
        ({ topic }) => topic.resource === undefined && topic.arn === undefined,
      );
      if (unknown) return;
      for (const at of topics(graph))
        if (!heard.has(at) && property(at.properties, 'Subscription') === null)
          yield { at, found: 'no subscription' };
    },
  },
} as const satisfies RuleTable;
