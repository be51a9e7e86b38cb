import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { arnOf } from '../cases/kit/lambda.ts';
import { queue } from '../cases/kit/sqs.ts';
import type { World } from '../world.ts';
import { type Kind, observed, type Step } from './observe.ts';

/** Longer than a wait of a visibility of two seconds by as much as machines are late. */
const waitSeconds = 2.7;

const visibility = fc.constantFrom(undefined, 0, 2);
const message = fc.nat({ max: 5 });
const which = fc.constantFrom('first', 'last');

const common = [
  { weight: 5, arbitrary: fc.record({ op: fc.constant('receive'), visibility, from: fc.constant('queue') }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('receive'), visibility, from: fc.constant('letters') }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('delete'), message, which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('hide'),
      message,
      which,
      seconds: fc.constantFrom(0, 2, 30),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('count') }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('wait') }) },
] as const;

/** Steps on a standard queue. */
export const standardSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('send'), message, delay: fc.constantFrom(0, 0, 0, 2) }),
  },
  ...common,
);

/** Steps on a FIFO queue: two groups, and deduplication ids that come again. */
export const fifoSteps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('send'),
      message,
      group: fc.constantFrom('a', 'b'),
      id: fc.constantFrom('own', 'own', 'own', 'same'),
    }),
  },
  ...common,
);

const prepare = (fifo: boolean) => async (world: World) => {
  const { sqs } = world;
  const kind = fifo ? { FifoQueue: 'true' } : {};
  const letters = await queue(world, { ...kind, VisibilityTimeout: '30' });
  const url = await queue(world, {
    ...kind,
    VisibilityTimeout: '30',
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: await arnOf(world, letters), maxReceiveCount: 3 }),
  });
  /** The handles of each message, by body, in the order in which they came. */
  const handles = new Map<string, string[]>();
  let sent = 0;
  const handleOf = ({ message: number, which: wanted }: Step): string | undefined => {
    const known = [...handles.values()];
    const own = known[Number(number) % Math.max(1, known.length)];
    return wanted === 'first' ? own?.[0] : own?.at(-1);
  };
  const shown = ({ Body = '', Attributes = {}, ReceiptHandle = '' }: Message) => {
    handles.set(Body, [...(handles.get(Body) ?? []), ReceiptHandle]);
    return `${Body} x${Attributes.ApproximateReceiveCount}`;
  };

  return (step: Step) =>
    observed(async () => {
      switch (step.op) {
        case 'send': {
          // More than one receive gives are not sent: which of them it gives is left open.
          if (sent >= 9) return 'nothing';
          sent += 1;
          const MessageBody = `m${sent}`;
          const input = fifo
            ? {
                MessageGroupId: String(step.group),
                MessageDeduplicationId: step.id === 'same' ? 'same' : MessageBody,
              }
            : { DelaySeconds: Number(step.delay) };
          await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody, ...input }));
          return 'sent';
        }
        case 'receive': {
          const { Messages = [] } = await sqs.send(
            new ReceiveMessageCommand({
              QueueUrl: step.from === 'letters' ? letters : url,
              MaxNumberOfMessages: 10,
              VisibilityTimeout: step.visibility as number | undefined,
              MessageSystemAttributeNames: ['All'],
            }),
          );
          // A standard queue has no order, and between groups there is none either.
          const groups = new Map<string, string[]>();
          for (const each of Messages) {
            const name = each.Attributes?.MessageGroupId ?? '';
            groups.set(name, [...(groups.get(name) ?? []), shown(each)]);
          }
          return [...groups]
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, texts]) => `${name}:${(fifo ? texts : texts.toSorted()).join(',')}`);
        }
        case 'delete': {
          const ReceiptHandle = handleOf(step);
          if (ReceiptHandle === undefined) return 'nothing';
          await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
          return 'deleted';
        }
        case 'hide': {
          const ReceiptHandle = handleOf(step);
          if (ReceiptHandle === undefined) return 'nothing';
          await sqs.send(
            new ChangeMessageVisibilityCommand({
              QueueUrl: url,
              ReceiptHandle,
              VisibilityTimeout: Number(step.seconds),
            }),
          );
          return 'hidden';
        }
        case 'count': {
          const counts = async (QueueUrl: string) => {
            const { Attributes = {} } = await sqs.send(
              new GetQueueAttributesCommand({
                QueueUrl,
                AttributeNames: [
                  'ApproximateNumberOfMessages',
                  'ApproximateNumberOfMessagesNotVisible',
                  'ApproximateNumberOfMessagesDelayed',
                ],
              }),
            );
            return Object.values(Attributes).map(Number);
          };
          // A message whose receives are used up moves when a receive meets it: only the sum is settled.
          const all = [...(await counts(url)), ...(await counts(letters))];
          return all.reduce((sum, each) => sum + each, 0);
        }
        default:
          await world.pass(waitSeconds);
          return 'waited';
      }
    });
};

export const standardQueue: Kind = {
  name: 'standard',
  title: 'standard queue with a dead-letter queue',
  prepare: prepare(false),
};
export const fifoQueue: Kind = {
  name: 'fifo',
  title: 'FIFO queue with a dead-letter queue',
  prepare: prepare(true),
};
