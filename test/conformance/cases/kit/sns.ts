import { deepEqual } from 'node:assert/strict';
import {
  CreateTopicCommand,
  DeleteTopicCommand,
  PublishBatchCommand,
  PublishCommand,
  type PublishCommandInput,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import type { ConformanceCase } from '../../case.ts';
import type { World } from '../../world.ts';
import { refused } from './refusal.ts';

export const invalidParameter = { name: 'InvalidParameterException' } as const;
/** How SNS refuses attributes of a message: recorded on AWS is the first; the reference lists both. */
export const wrongAttribute = {
  name: ['InvalidParameterValueException', 'InvalidParameterException'],
} as const;
export const notFound = { name: 'NotFoundException' } as const;

/** Pages of documentation that many cases name. */
export const pages = {
  api: (action: string) => `SNS API reference, "${action}"`,
  raw: 'SNS developer guide, "Amazon SNS raw message delivery"',
  fifo: 'SNS developer guide, "FIFO topics"',
  deadLetters: 'SNS developer guide, "Amazon SNS dead-letter queues"',
  constraints: 'SNS developer guide, "Filter policy constraints in Amazon SNS"',
} as const;

/** Makes a topic of one case; a FIFO topic when its attributes say so. Gives its ARN. */
export async function topic(
  { sns, name, after }: World,
  attributes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const Name = name('topic', attributes.FifoTopic === 'true' ? '.fifo' : '');
  const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name, Attributes: { ...attributes } }));
  after(() => sns.send(new DeleteTopicCommand({ TopicArn })));
  return TopicArn;
}

export interface Queue {
  readonly url: string;
  readonly arn: string;
}

/** Makes a queue that takes messages from every topic of the account, or, as `closed`, from none. */
export async function openQueue(
  { sqs, name, after }: World,
  { fifo = false, closed = false, attributes = {} as Readonly<Record<string, string>> } = {},
): Promise<Queue> {
  const { QueueUrl: url = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName: name('queue', fifo ? '.fifo' : ''),
      Attributes: { ...(fifo ? { FifoQueue: 'true' } : {}), ...attributes },
    }),
  );
  after(() => sqs.send(new DeleteQueueCommand({ QueueUrl: url })));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  const arn = Attributes?.QueueArn ?? '';
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: arn,
      },
    ],
  });
  if (!closed) await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy } }));
  return { url, arn };
}

/** Subscribes a queue; gives the subscription's ARN. */
export async function subscribe(
  { sns }: World,
  TopicArn: string,
  { arn }: Queue,
  attributes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { SubscriptionArn = '' } = await sns.send(
    new SubscribeCommand({
      TopicArn,
      Protocol: 'sqs',
      Endpoint: arn,
      Attributes: { ...attributes },
      ReturnSubscriptionArn: true,
    }),
  );
  return SubscriptionArn;
}

export interface PairOptions {
  readonly fifo?: boolean;
  /** The queue's kind, where it is not the topic's. */
  readonly queueFifo?: boolean;
  readonly topicAttributes?: Readonly<Record<string, string>>;
  /** Attributes of the subscription. */
  readonly subscription?: Readonly<Record<string, string>>;
}

/** The account in an ARN: a server may have one of its own. */
export const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

/** A topic with one queue that takes its messages raw, unless the attributes say otherwise. */
export async function pair(
  world: World,
  {
    fifo = false,
    queueFifo = fifo,
    topicAttributes = {},
    subscription = { RawMessageDelivery: 'true' },
  }: PairOptions = {},
) {
  const topicArn = await topic(world, { ...(fifo ? { FifoTopic: 'true' } : {}), ...topicAttributes });
  const queue = await openQueue(world, { fifo: queueFifo });
  const subscriptionArn = await subscribe(world, topicArn, queue, subscription);
  return {
    topicArn,
    queue,
    subscriptionArn,
    publish: (Message: string, more: Partial<PublishCommandInput> = {}) =>
      world.sns.send(new PublishCommand({ TopicArn: topicArn, Message, ...more })),
  };
}

/**
 * Receives until `count` messages have come or `within` seconds are over, then looks a moment longer for one too many;
 * what is received is deleted.
 */
export async function arrivals(world: World, { url }: Queue, count: number, within = 5): Promise<Message[]> {
  const found: Message[] = [];
  const take = async () => {
    const { Messages = [] } = await world.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    found.push(...Messages);
    if (Messages.length > 0)
      await world.sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: url,
          Entries: Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
        }),
      );
  };
  const end = world.now() + within * 1000;
  for (;;) {
    await take();
    if (found.length >= count || world.now() >= end) break;
    await world.pass(0.1);
  }
  await world.pass(0.3);
  await take();
  return found;
}

/** The bodies of what arrives, in the order of arrival. */
export const bodies = async (world: World, queue: Queue, count: number, within?: number): Promise<string[]> =>
  (await arrivals(world, queue, count, within)).map(({ Body = '' }) => Body);

/** Demands that exactly these bodies arrive, in any order. */
export async function arrive(
  world: World,
  queue: Queue,
  expected: readonly string[],
  what = 'what arrived',
): Promise<void> {
  const found = await bodies(world, queue, expected.length);
  deepEqual(
    found.toSorted(),
    expected.toSorted(),
    `${what}: expected ${list(expected)}, found ${list(found)}`,
  );
}

const list = (texts: readonly string[]) => (texts.length === 0 ? 'nothing' : texts.toSorted().join(', '));

/** An attribute of a message, short: a text, a number, an array, bytes. */
export type Attribute = string | number | readonly unknown[] | Uint8Array;

/** Attributes of a message as SNS has them. */
export const attributes = (given: Readonly<Record<string, Attribute>>) =>
  Object.fromEntries(
    Object.entries(given).map(([name, plain]) => [
      name,
      typeof plain === 'string'
        ? { DataType: 'String', StringValue: plain }
        : typeof plain === 'number'
          ? { DataType: 'Number', StringValue: String(plain) }
          : plain instanceof Uint8Array
            ? { DataType: 'Binary', BinaryValue: plain }
            : { DataType: 'String.Array', StringValue: JSON.stringify(plain) },
    ]),
  );

/** A message of a case about filters, by what it shows: attributes, or a body (anything but a text is sent as JSON). */
export interface Shown {
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly body?: unknown;
  readonly accepted: boolean;
}

/** A case about a filter policy: which of several messages it lets through. */
export function filterCase(
  about: Omit<ConformanceCase, 'run'>,
  policy: object,
  messages: Readonly<Record<string, Shown>>,
): ConformanceCase {
  const byBody = Object.values(messages).some(({ body }) => body !== undefined);
  return {
    ...about,
    async run(world) {
      const { topicArn, queue } = await pair(world, {
        subscription: {
          RawMessageDelivery: 'true',
          FilterPolicyScope: byBody ? 'MessageBody' : 'MessageAttributes',
          FilterPolicy: JSON.stringify(policy),
        },
      });
      const shown = Object.entries(messages);
      for (let first = 0; first < shown.length; first += 10)
        await world.sns.send(
          new PublishBatchCommand({
            TopicArn: topicArn,
            PublishBatchRequestEntries: shown.slice(first, first + 10).map(([name, message], index) => ({
              Id: String(index),
              Message: byBody
                ? typeof message.body === 'string'
                  ? message.body
                  : JSON.stringify(message.body)
                : name,
              // Where the body is filtered, the attribute tells the messages apart; raw delivery keeps it.
              MessageAttributes: attributes(byBody ? { shown: name } : (message.attributes ?? {})),
            })),
          }),
        );
      const expected = shown.filter(([, { accepted }]) => accepted).map(([name]) => name);
      const found = (await arrivals(world, queue, expected.length, 3)).map(
        ({ Body = '', MessageAttributes }) =>
          byBody ? (MessageAttributes?.shown?.StringValue ?? Body) : Body,
      );
      const wrongly = found.filter((name) => !expected.includes(name));
      const missing = expected.filter((name) => !found.includes(name));
      deepEqual(
        found.toSorted(),
        expected.toSorted(),
        [
          wrongly.length > 0 ? `let through: ${wrongly.join(', ')}` : '',
          missing.length > 0 ? `kept back: ${missing.join(', ')}` : '',
        ]
          .filter((text) => text !== '')
          .join('; ') || `delivered twice: ${found.join(', ')}`,
      );
    },
  };
}

/** A case about filter policies that are refused when they are set. */
export function refusedPolicies(
  about: Omit<ConformanceCase, 'run'>,
  policies: Readonly<Record<string, object | string>>,
  scope: 'MessageAttributes' | 'MessageBody' = 'MessageAttributes',
): ConformanceCase {
  return {
    ...about,
    async run(world) {
      const topicArn = await topic(world);
      const queue = await openQueue(world);
      for (const [what, policy] of Object.entries(policies))
        await refused(what, invalidParameter, () =>
          subscribe(world, topicArn, queue, {
            FilterPolicyScope: scope,
            FilterPolicy: typeof policy === 'string' ? policy : JSON.stringify(policy),
          }),
        );
    },
  };
}
