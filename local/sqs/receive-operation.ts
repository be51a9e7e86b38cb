import type { ReceiveMessageCommandInput, ReceiveMessageCommandOutput } from '@aws-sdk/client-sqs';
import type { Call } from '../service.ts';
import { invalidValue } from './errors.ts';
import type { StoredMessage } from './message.ts';
import type { Attempt, Queue } from './queue.ts';
import { reschedule } from './queue.ts';
import { QUOTAS } from './quotas.ts';
import { checkVisibility } from './receipts.ts';
import { receiveNow } from './receive.ts';
import { createRenderer } from './render.ts';
import { queueOf, useKey, type World } from './world.ts';

type Answer = Omit<ReceiveMessageCommandOutput, '$metadata'>;

/** ReceiveMessage: what there is now, or a long poll. */
export function createReceiveOperation(world: World) {
  return {
    ReceiveMessage(input: ReceiveMessageCommandInput, call: Call): Answer | Promise<Answer> {
      const queue = queueOf(world, input.QueueUrl);
      const limit = checkLimit(input.MaxNumberOfMessages ?? 1);
      const wait =
        input.WaitTimeSeconds === undefined
          ? queue.settings.receiveWait
          : checkWait(input.WaitTimeSeconds) * 1000;
      if (input.VisibilityTimeout !== undefined) checkVisibility(input.VisibilityTimeout);
      const visibility =
        input.VisibilityTimeout === undefined ? queue.settings.visibility : input.VisibilityTimeout * 1000;
      checkAttemptId(queue, input.ReceiveRequestAttemptId);
      // AWS decrypts what it has found; here an empty queue is refused too, so that a missing grant shows at the first poll.
      useKey(world, queue, call.principal, 'decrypt');
      if (call.signal?.aborted) return {};

      const render = createRenderer(queue, input);
      const repeated = repeatAttempt(world, queue, input.ReceiveRequestAttemptId);
      if (repeated !== undefined) {
        return { Messages: repeated.answer.map(({ message, receipt }) => render(message, receipt)) };
      }
      const answer = (messages: readonly StoredMessage[]): Answer => {
        if (messages.length === 0) {
          world.metrics.count('AWS/SQS', 'NumberOfEmptyReceives', queue.dimensions, 1, 'Count');
          return {};
        }
        rememberAttempt(world, queue, input.ReceiveRequestAttemptId, visibility, messages);
        return { Messages: messages.map((message) => render(message, message.receipts)) };
      };
      const request = { limit, visibility, short: wait === 0 };
      const { messages, deadLetterQueue } = receiveNow(world, queue, request);
      if (deadLetterQueue !== undefined) world.polls.serve(deadLetterQueue);
      if (messages.length > 0 || wait === 0) return answer(messages);
      return world.polls.wait(queue, request, wait, call.signal).then(answer);
    },
  };
}

function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= QUOTAS.batchEntries) return limit;
  throw invalidValue(
    limit,
    'MaxNumberOfMessages',
    `Must be between 1 and ${QUOTAS.batchEntries}, if provided.`,
  );
}

function checkWait(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= QUOTAS.longPoll) return seconds;
  throw invalidValue(seconds, 'WaitTimeSeconds', `Must be >= 0 and <= ${QUOTAS.longPoll}, if provided.`);
}

function checkAttemptId(queue: Queue, id: string | undefined): void {
  if (id === undefined) return;
  if (!queue.fifo) {
    throw invalidValue(
      id,
      'ReceiveRequestAttemptId',
      'The request includes a parameter that is not valid for this queue type.',
    );
  }
  if (!/^[!-~]{1,128}$/.test(id)) {
    throw invalidValue(
      id,
      'ReceiveRequestAttemptId',
      'ReceiveRequestAttemptId can only include alphanumeric and punctuation characters. 1 to 128 in length.',
    );
  }
}

/**
 * The answer to a receive whose reply was lost: within five minutes, the same messages under the same handles,
 * their visibility starting again, as long as none of them was deleted, changed or came back (API reference,
 * ReceiveMessage).
 */
function repeatAttempt(world: World, queue: Queue, id: string | undefined): Attempt | undefined {
  if (id === undefined) return undefined;
  const attempt = queue.attempts.get(id);
  const now = world.clock.now();
  if (attempt === undefined || attempt.at + QUOTAS.deduplication * 1000 <= now) return undefined;
  const untouched = attempt.answer.every(
    ({ message, receipt, dueAt }) =>
      message.state === 'inFlight' && message.receipts === receipt && message.dueAt === dueAt,
  );
  if (!untouched) return undefined;
  const dueAt = now + attempt.visibility;
  for (const { message } of attempt.answer) reschedule(queue, message, dueAt);
  const renewed: Attempt = { ...attempt, answer: attempt.answer.map((item) => ({ ...item, dueAt })) };
  queue.attempts.set(id, renewed);
  return renewed;
}

function rememberAttempt(
  world: World,
  queue: Queue,
  id: string | undefined,
  visibility: number,
  messages: readonly StoredMessage[],
): void {
  if (id === undefined) return;
  const now = world.clock.now();
  for (const [known, { at }] of queue.attempts) {
    if (at + QUOTAS.deduplication * 1000 > now) break;
    queue.attempts.delete(known);
  }
  const answer = messages.map((message) => ({ message, receipt: message.receipts, dueAt: message.dueAt }));
  queue.attempts.delete(id);
  queue.attempts.set(id, { at: now, visibility, answer });
}
