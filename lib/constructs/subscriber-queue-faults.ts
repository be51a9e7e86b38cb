import { Resource, Stack, Token } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { behindAlias, isOfAws } from './encryption.ts';
import { demandNone, judge, known, knownSeconds, type PropFault } from './judge.ts';
import type { SubscriberQueueProps } from './subscriber-queue.ts';

/** Refuses what SQS or SNS would refuse, or would take and lose messages by. @throws Error listing every fault */
export function demandSubscriberQueue(construct: Construct, props: SubscriberQueueProps): void {
  demandNone(construct, [
    ...ofValues(props),
    ...besideExisting(props),
    ...ofPlaces(construct, props),
    ...ofKeys(props),
  ]);
}

/** Whether a topic or a queue is FIFO; nothing when it is imported under an ARN that only the deployment knows. */
export const kindOf = (resource: ITopic | IQueue): boolean | undefined =>
  resource.fifo ||
  (Resource.isOwnedResource(resource) ||
  !Token.isUnresolved('topicArn' in resource ? resource.topicArn : resource.queueArn)
    ? resource.fifo
    : undefined);

function ofValues(props: SubscriberQueueProps): PropFault[] {
  const { topic, queue, deadLetterQueue, subscriptionDeadLetterQueue } = props;
  const fifo = props.fifo ?? queue?.fifo ?? false;
  const values = {
    fifo,
    deadLetterFifo: deadLetterQueue === undefined ? props.deadLetterFifo : kindOf(deadLetterQueue),
    subscriptionDeadLetterFifo:
      subscriptionDeadLetterQueue === undefined
        ? props.subscriptionDeadLetterFifo
        : kindOf(subscriptionDeadLetterQueue),
    visibilityTimeout: knownSeconds(props.visibilityTimeout),
    retention: knownSeconds(props.retentionPeriod),
    deadLetterRetention: knownSeconds(props.deadLetterRetentionPeriod),
    maxReceiveCount: known(props.maxReceiveCount),
    queueName: known(props.queueName),
    deadLetterQueueName: known(props.deadLetterQueueName),
    subscriptionDeadLetterQueueName: known(props.subscriptionDeadLetterQueueName),
  };
  // Of a topic whose kind nobody knows, the kind that makes no fault is taken.
  const topicFifo = kindOf(topic) ?? values.subscriptionDeadLetterFifo ?? fifo;
  return judge({ fifo: topicFifo }, values, {
    fifo: [queue === undefined ? 'fifo' : 'queue', 'Make the topic FIFO, or the queue standard.'],
    deadLetterFifo: deadLetterQueue === undefined ? 'deadLetterFifo' : 'deadLetterQueue',
    subscriptionDeadLetterFifo:
      subscriptionDeadLetterQueue === undefined
        ? 'subscriptionDeadLetterFifo'
        : 'subscriptionDeadLetterQueue',
    visibilityTimeout: [
      'visibilityTimeout',
      'Leave it out, or choose the timeout of the function plus its batching window, or more.',
    ],
    retention: ['retentionPeriod', 'Choose a value in that range.'],
    deadLetterRetention: 'deadLetterRetentionPeriod',
    maxReceiveCount: 'maxReceiveCount',
    queueName: 'queueName',
    deadLetterQueueName: 'deadLetterQueueName',
    subscriptionDeadLetterQueueName: 'subscriptionDeadLetterQueueName',
  });
}

const queues = ['queue', 'deadLetterQueue', 'subscriptionDeadLetterQueue'] as const;

/** What only a queue has that is made. */
const ofMade = {
  queue: ['visibilityTimeout', 'retentionPeriod'],
  deadLetterQueue: ['deadLetterFifo'],
  subscriptionDeadLetterQueue: ['subscriptionDeadLetterFifo'],
} as const satisfies Readonly<Record<(typeof queues)[number], readonly (keyof SubscriberQueueProps)[]>>;

/** What is said of a queue that is not made. */
function besideExisting(props: SubscriberQueueProps): PropFault[] {
  const faults: PropFault[] = [];
  for (const each of queues)
    for (const property of ofMade[each])
      if (props[each] !== undefined && props[property] !== undefined)
        faults.push({
          property,
          found: 'a value beside an existing queue',
          allowed: 'one of both',
          remedy: `Leave out ${property} or ${each}: a queue that exists keeps what its owner gave it.`,
        });
  for (const each of queues) {
    const name = props[`${each}Name`];
    if (props[each] !== undefined && name !== undefined)
      faults.push({
        property: `${each}Name`,
        found: `"${name}" beside an existing queue`,
        allowed: 'one of both',
        remedy: `Leave out ${each}Name or ${each}.`,
      });
  }
  const kind = props.queue && kindOf(props.queue);
  if (kind !== undefined && props.fifo !== undefined && props.fifo !== kind)
    faults.push({
      property: 'fifo',
      found: String(props.fifo),
      allowed: `${kind}, as the existing queue is`,
      remedy: 'Leave it out, or declare the subscriber as the queue is.',
    });
  return faults;
}

/**
 * A subscription is where its topic is, and its dead-letter queue is in the same region (SNS developer guide, "Dead-letter
 * queues"): AWS refuses another.
 */
function ofPlaces(construct: Construct, props: SubscriberQueueProps): PropFault[] {
  const { topic, subscriptionDeadLetterQueue } = props;
  const there = topic.env.region;
  const here = subscriptionDeadLetterQueue?.env.region ?? Stack.of(construct).region;
  if (Token.isUnresolved(there) || Token.isUnresolved(here) || there === here) return [];
  return [
    {
      property: 'subscriptionDeadLetterQueue',
      found:
        subscriptionDeadLetterQueue === undefined
          ? `nothing: it would be made in ${here}`
          : `a queue in ${here}`,
      allowed: `a queue in ${there}, where the topic and with it the subscription is`,
      remedy: 'Give one that exists there, or deploy this stack there.',
    },
  ];
}

/** SNS may not use a key whose policy AWS keeps; nor can it be let use one that nobody knows. */
function ofKeys({ encryptionKey, queue, subscriptionDeadLetterQueue }: SubscriberQueueProps): PropFault[] {
  const keys = {
    encryptionKey: faultOf(encryptionKey),
    queue: faultOf(queue?.encryptionMasterKey, queue),
    subscriptionDeadLetterQueue: faultOf(
      subscriptionDeadLetterQueue?.encryptionMasterKey,
      subscriptionDeadLetterQueue,
    ),
  };
  return Object.entries(keys).flatMap(([property, found]) =>
    found === undefined
      ? []
      : {
          property,
          found,
          allowed: 'SSE-SQS, or a customer key whose ARN is known',
          remedy: 'Encrypt otherwise, or import the key with Key.fromKeyArn.',
        },
  );
}

function faultOf(key: IKey | undefined, queue?: IQueue): string | undefined {
  if (queue?.encryptionType === QueueEncryption.KMS_MANAGED || (key !== undefined && isOfAws(key)))
    return 'an AWS managed key, which SNS may not use';
  return key === undefined || behindAlias(key) !== undefined
    ? undefined
    : 'a key that is known by its alias alone, whose policy cannot be extended';
}
