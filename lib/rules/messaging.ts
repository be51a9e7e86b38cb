import { arnOf } from './find.ts';
import type { Graph, Link } from './graph.ts';
import { batchSizeDefault, retentionDefault, visibilityDefault } from './quotas.ts';
import {
  boolean,
  document,
  isObject,
  list,
  numberOr,
  property,
  type Resource,
  text,
  type Value,
} from './value.ts';

/** How the rules see queues, topics, subscriptions and event sources. */

export const queues = (graph: Graph): readonly Resource[] => graph.of('AWS::SQS::Queue');
export const topics = (graph: Graph): readonly Resource[] => graph.of('AWS::SNS::Topic');
export const functions = (graph: Graph): readonly Resource[] => graph.of('AWS::Lambda::Function');

/** Whether a queue or topic is FIFO; of one elsewhere its ARN tells. */
export function isFifo({ resource, arn }: Link): boolean | undefined {
  if (resource !== undefined) {
    const { properties, type } = resource;
    return boolean(property(properties, type === 'AWS::SNS::Topic' ? 'FifoTopic' : 'FifoQueue'));
  }
  return arn === undefined ? undefined : arnOf(arn)?.name.endsWith('.fifo');
}

/** A resource as what leads to it. */
export const itself = (resource: Resource): Link => ({ resource, arn: undefined });

/** A queue or another resource of one type behind a property; undefined when it is none of those that were read. */
export function linked(graph: Graph, from: Resource, value: Value, type: string): Resource | undefined {
  const resource = graph.link(from, value)?.resource;
  return resource?.type === type ? resource : undefined;
}

export const visibilityOf = (queue: Resource): number | undefined =>
  numberOr(property(queue.properties, 'VisibilityTimeout'), visibilityDefault.value);

export const retentionOf = (queue: Resource): number | undefined =>
  numberOr(property(queue.properties, 'MessageRetentionPeriod'), retentionDefault.value);

/** Where a queue, or a subscription, puts what it gave up: null when nowhere. */
export interface Redrive {
  readonly target: Link | undefined;
  readonly maxReceiveCount: Value;
}

export function redriveOf(graph: Graph, from: Resource): Redrive | null | undefined {
  const policy = document(property(from.properties, 'RedrivePolicy'));
  if (policy === null) return null;
  if (!isObject(policy)) return undefined;
  return {
    target: graph.link(from, property(policy, 'deadLetterTargetArn')) ?? undefined,
    maxReceiveCount: property(policy, 'maxReceiveCount'),
  };
}

/** A subscription of a topic, made by itself or written into the topic. */
export interface SubscriptionView {
  readonly at: Resource;
  readonly topic: Link;
  readonly protocol: string | null | undefined;
  readonly endpoint: Link | undefined;
  readonly redrive: Redrive | null | undefined;
  readonly filter: Value;
  readonly scope: Value;
}

const subscriptionsKey = {};
export const subscriptions = (graph: Graph): readonly SubscriptionView[] =>
  graph.once(subscriptionsKey, () => [
    ...graph.of('AWS::SNS::Subscription').flatMap((at) => {
      const topic = graph.link(at, property(at.properties, 'TopicArn'));
      if (topic === null) return [];
      return {
        at,
        topic: topic ?? { resource: undefined, arn: undefined },
        protocol: text(property(at.properties, 'Protocol')),
        endpoint: graph.link(at, property(at.properties, 'Endpoint')) ?? undefined,
        redrive: redriveOf(graph, at),
        filter: document(property(at.properties, 'FilterPolicy')),
        scope: property(at.properties, 'FilterPolicyScope'),
      };
    }),
    ...topics(graph).flatMap((at) => {
      const inline = property(at.properties, 'Subscription');
      return (Array.isArray(inline) ? (inline as readonly Value[]) : []).map((each) => ({
        at,
        topic: itself(at),
        protocol: text(property(each, 'Protocol')),
        endpoint: graph.link(at, property(each, 'Endpoint')) ?? undefined,
        redrive: null,
        filter: null,
        scope: null,
      }));
    }),
  ]);

/** An event source that reads a queue. */
export interface EventSourceView {
  readonly at: Resource;
  /** The queue, where it was read. */
  readonly queue: Resource | undefined;
  readonly fifo: boolean | undefined;
  readonly function: Resource | undefined;
  readonly batchSize: number | undefined;
  readonly batchWindow: number | undefined;
  readonly maxConcurrency: Value;
  /** Whether it reads at all. */
  readonly enabled: boolean | undefined;
}

const eventSourcesKey = {};
export const eventSources = (graph: Graph): readonly EventSourceView[] =>
  graph.once(eventSourcesKey, () =>
    graph.of('AWS::Lambda::EventSourceMapping').flatMap((at) => {
      const source = graph.link(at, property(at.properties, 'EventSourceArn'));
      if (source === null || source === undefined) return [];
      const { resource, arn } = source;
      const isQueue =
        resource?.type === 'AWS::SQS::Queue' ||
        (resource === undefined && arn !== undefined && arnOf(arn)?.service === 'sqs');
      if (!isQueue) return [];
      return {
        at,
        queue: resource,
        fifo: isFifo(source),
        function: linked(graph, at, property(at.properties, 'FunctionName'), 'AWS::Lambda::Function'),
        batchSize: numberOr(property(at.properties, 'BatchSize'), batchSizeDefault.value),
        batchWindow: numberOr(property(at.properties, 'MaximumBatchingWindowInSeconds'), 0),
        maxConcurrency: property(property(at.properties, 'ScalingConfig'), 'MaximumConcurrency'),
        enabled: boolean(property(at.properties, 'Enabled'), true),
      };
    }),
  );

/**
 * The queues that hold what others gave up: of queues, subscriptions or functions. Undefined when one of those gives up
 * to nobody knows what, which may be any queue.
 */
const deadLetterQueuesKey = {};
export const deadLetterQueues = (graph: Graph): ReadonlySet<Resource> | undefined =>
  graph.once(deadLetterQueuesKey, () => {
    const targets = [
      ...queues(graph).map((queue) => targetOf(redriveOf(graph, queue))),
      ...subscriptions(graph).map(({ redrive }) => targetOf(redrive)),
      ...Object.entries(givenUpBy).flatMap(([type, targetsOf]) =>
        graph.of(type).flatMap((at) => targetsOf(at.properties).map((target) => graph.link(at, target))),
      ),
    ];
    return targets.includes(undefined)
      ? undefined
      : new Set(targets.flatMap((target) => target?.resource ?? []));
  });

/** Where others give up what failed. */
const givenUpBy: Readonly<Record<string, (properties: Value) => readonly Value[]>> = {
  'AWS::Lambda::Function': (of) => [property(property(of, 'DeadLetterConfig'), 'TargetArn')],
  'AWS::Lambda::EventInvokeConfig': (of) => [onFailure(of)],
  'AWS::Lambda::EventSourceMapping': (of) => [onFailure(of)],
  'AWS::Events::Rule': (of) =>
    (list(property(of, 'Targets')) ?? [undefined]).map((target) =>
      property(property(target, 'DeadLetterConfig'), 'Arn'),
    ),
  'AWS::Scheduler::Schedule': (of) => [property(property(property(of, 'Target'), 'DeadLetterConfig'), 'Arn')],
  'AWS::Pipes::Pipe': (of) =>
    ['KinesisStreamParameters', 'DynamoDBStreamParameters'].map((source) =>
      property(property(property(property(of, 'SourceParameters'), source), 'DeadLetterConfig'), 'Arn'),
    ),
};

const onFailure = (of: Value): Value =>
  property(property(property(of, 'DestinationConfig'), 'OnFailure'), 'Destination');

const targetOf = (redrive: Redrive | null | undefined): Link | null | undefined =>
  redrive === null ? null : redrive?.target;
