import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import { createAws, createVirtualClock, modelClient, seededRandom } from 'sluice/local';
import { type Logger, type SqsEvent, startWorker, type WorkerOptions } from 'sluice/worker';
import { milliseconds, seconds, sleep } from '../../lib/base/index.ts';

/** One record as the function sees it. */
export type Record = SqsEvent['Records'][number];

/** A queue of the model, workers on it, and what their functions were given. */
export async function createWorld({ fifo = false, visibility = 30, seed = 1 } = {}) {
  const clock = createVirtualClock();
  const random = seededRandom(seed);
  const aws = createAws({ clock, random });
  const sqs = modelClient(aws, 'sqs');
  const { QueueUrl: queueUrl = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName: fifo ? 'work.fifo' : 'work',
      Attributes: { VisibilityTimeout: String(visibility), ...(fifo ? { FifoQueue: 'true' } : {}) },
    }),
  );
  const log: string[] = [];
  const line = (level: string) => (message: string, fields?: object) =>
    void log.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  };
  /** How many invocations ran at once, at most. */
  const most = { invocations: 0 };
  let now = 0;
  return {
    ...{ aws, clock, random, sqs, queueUrl, log, logger, most },
    view: () => aws.sqs.queues()[0]!,
    start(options: Partial<WorkerOptions> & Pick<WorkerOptions, 'handler'>) {
      const { handler } = options;
      return startWorker({
        ...{ queueUrl, sqs, clock, random, logger, timeout: seconds(10) },
        ...options,
        async handler(event, context) {
          now++;
          most.invocations = Math.max(most.invocations, now);
          try {
            return await handler(event, context);
          } finally {
            now--;
          }
        },
      });
    },
    send: (body: string, more: Partial<SendMessageCommandInput> = {}) =>
      sqs.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: body,
          ...(fifo ? { MessageGroupId: 'g', MessageDeduplicationId: body } : {}),
          ...more,
        }),
      ),
    receive: async () =>
      (await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }))).Messages ??
      [],
    wait: (length: number) => sleep(clock, milliseconds(length * 1_000)),
    advance: (length: number) => clock.advance(milliseconds(length * 1_000)),
  };
}

export const allDone = { batchItemFailures: [] };
export const bodies = (event: SqsEvent) => event.Records.map(({ body }) => body);

/** Moves time until a promise settles; the queue's own world has no other end. */
export async function settled<Value>(
  world: Awaited<ReturnType<typeof createWorld>>,
  promise: Promise<Value>,
  within = 60,
): Promise<number> {
  const from = world.clock.now();
  let is = false;
  promise.then(
    () => {
      is = true;
    },
    () => {
      is = true;
    },
  );
  for (let passed = 0; passed <= within * 10; passed++) {
    await world.clock.settle();
    if (is) return (world.clock.now() - from) / 1_000;
    await world.advance(0.1);
  }
  throw new Error(`nothing settled within ${within} s`);
}
