import {
  ChangeMessageVisibilityBatchCommand,
  type ChangeMessageVisibilityBatchCommandOutput,
  DeleteMessageBatchCommand,
  type DeleteMessageBatchCommandOutput,
  GetQueueAttributesCommand,
  type GetQueueAttributesCommandOutput,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import {
  type Milliseconds,
  milliseconds,
  type Seconds,
  sleep,
  toMilliseconds,
  uuid,
} from '../../lib/base/index.ts';
import { inOneLine, WorkerError } from './errors.ts';
import { type LambdaSqsRecord, toRecord } from './record.ts';
import type { WorkerSettings } from './settings.ts';

/** SQS quotas: ten messages a receive, ten entries a batch. */
export const perCall = 10;

/** How long a call may hang beyond what it waits for, before its connection is taken for dead. */
const patience = milliseconds(10_000);

/** A delete is tried so often: what fails by itself, and not by the caller's fault, rarely does so twice. */
const deleteTries = 4;

/** The queue, as the worker uses it. */
export interface WorkQueue {
  /**
   * What must be known first, and whether the queue fits the worker.
   *
   * @throws {WorkerError} when its visibility timeout is shorter than a batch may take to be gathered and run
   */
  describe(signal: AbortSignal): Promise<void>;
  /** Polls. A receive whose answer got lost is repeated under its id on a FIFO queue: the same messages come. */
  receive(attempt: Attempt, most: number, wait: Seconds, signal: AbortSignal): Promise<LambdaSqsRecord[]>;
  /** Deletes, in order, in calls of ten; resolves with how many are not deleted. Never rejects. */
  remove(records: readonly LambdaSqsRecord[], giveUp: AbortSignal): Promise<number>;
  /** Makes messages visible again after a while; those with which that fails come back later. Never rejects. */
  giveBack(records: readonly LambdaSqsRecord[], after: Seconds): Promise<void>;
}

/** Names a receive and its repetitions. */
export interface Attempt {
  id: string | undefined;
}

export function createQueue(settings: WorkerSettings): WorkQueue {
  const { sqs, queueUrl: QueueUrl, fifo, clock, random, logger, timeout, batchWindow } = settings;
  let arn = '';

  /** Sends a command under a time limit of its own. */
  async function send<Output>(command: object, limit: Milliseconds, signal?: AbortSignal): Promise<Output> {
    const own = new AbortController();
    const end = () => own.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    const timer = clock.after(limit, () => own.abort(new Error('no answer in time')));
    try {
      return (await sqs.send(command, { abortSignal: own.signal })) as Output;
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', end);
    }
  }

  /** One call; gives back what is worth another try, and counts what is not. */
  async function removeOnce(part: readonly LambdaSqsRecord[]) {
    const Entries = part.map(({ receiptHandle: ReceiptHandle }, index) => ({
      Id: `${index}`,
      ReceiptHandle,
    }));
    try {
      const { Failed = [] } = await send<DeleteMessageBatchCommandOutput>(
        new DeleteMessageBatchCommand({ QueueUrl, Entries }),
        patience,
      );
      // The sender's fault is a handle that has expired: the message is visible again, or somebody else's.
      const open = Failed.filter(({ SenderFault }) => SenderFault !== true).map(
        ({ Id }) => part[Number(Id)]!,
      );
      return { open, refused: Failed.length - open.length, why: Failed[0]?.Code };
    } catch (error) {
      return { open: part, refused: 0, why: inOneLine(error) };
    }
  }

  async function removePart(part: readonly LambdaSqsRecord[], giveUp: AbortSignal): Promise<number> {
    let open = part;
    let refused = 0;
    let why: string | undefined;
    for (let tries = 0; tries < deleteTries; tries++) {
      if (tries > 0) await sleep(clock, milliseconds(random.next() * 100 * 2 ** tries), giveUp);
      const result = await removeOnce(open);
      refused += result.refused;
      why = result.why ?? why;
      open = result.open;
      if (open.length === 0 || giveUp.aborted) break;
    }
    const count = open.length + refused;
    if (count > 0)
      logger.warn('Messages that are done could not be deleted: they come again', { count, why });
    return count;
  }

  return {
    async describe(signal) {
      const { Attributes = {} } = await send<GetQueueAttributesCommandOutput>(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn', 'VisibilityTimeout'] }),
        patience,
        signal,
      );
      arn = Attributes.QueueArn ?? '';
      const visibility = Number(Attributes.VisibilityTimeout);
      // Lambda refuses a queue whose visibility timeout is shorter than the function's too (API reference,
      // CreateEventSourceMapping); what is gathered for longer than it is hidden would be in a batch twice.
      const needed = timeout + batchWindow;
      const use =
        batchWindow === 0
          ? 'an invocation may take'
          : `a batch may be gathered (${batchWindow} s) and run (${timeout} s)`;
      if (visibility < needed)
        throw new WorkerError(
          `The visibility timeout of ${QueueUrl} is ${visibility} s, shorter than the ${needed} s that ${use}: messages would come again while they are worked on. Raise the one, or lower the other.`,
        );
    },
    async receive(attempt, most, wait, signal) {
      if (fifo) attempt.id ??= uuid(random);
      const { Messages = [] } = await send<ReceiveMessageCommandOutput>(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(perCall, most),
          WaitTimeSeconds: wait,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
          ...(attempt.id === undefined ? {} : { ReceiveRequestAttemptId: attempt.id }),
        }),
        milliseconds(toMilliseconds(wait) + patience),
        signal,
      );
      attempt.id = undefined;
      return Messages.map((message) => toRecord(message, arn));
    },
    async remove(records, giveUp) {
      let left = 0;
      for (let start = 0; start < records.length; start += perCall)
        left += await removePart(records.slice(start, start + perCall), giveUp);
      return left;
    },
    async giveBack(records, after) {
      // The last first: the earlier ones, still in flight, hold their group until all are back.
      const reversed = [...records].reverse();
      for (let start = 0; start < reversed.length; start += perCall) {
        const Entries = reversed
          .slice(start, start + perCall)
          .map(({ receiptHandle: ReceiptHandle }, index) => ({
            Id: `${index}`,
            ReceiptHandle,
            VisibilityTimeout: after,
          }));
        const warn = (count: number, why: string | undefined) =>
          logger.warn('Messages could not be given back: they come when their visibility ends', {
            count,
            why,
          });
        try {
          const { Failed = [] } = await send<ChangeMessageVisibilityBatchCommandOutput>(
            new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
            patience,
          );
          if (Failed.length > 0) warn(Failed.length, Failed[0]?.Code);
        } catch (error) {
          warn(Entries.length, inOneLine(error));
        }
      }
    },
  };
}
