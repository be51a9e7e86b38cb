import type { SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { contentDigest } from './digest.ts';
import {
  invalidMessageContents,
  invalidParameter,
  invalidValue,
  messageTooLong,
  missingParameter,
} from './errors.ts';
import { messageId, sequenceNumber } from './identifiers.ts';
import type { Content } from './message.ts';
import { enter, type Queue, type Remembered } from './queue.ts';
import { QUOTAS } from './quotas.ts';
import { type AttributeInspector, attributeFacts, systemAttributes } from './user-attributes.ts';
import type { World } from './world.ts';

/** What a send says of one message: SendMessage's input, or a batch's entry. */
export type SendInput = Omit<SendMessageCommandInput, 'QueueUrl'>;

/** A message that was taken, or that was known already. */
export interface Accepted {
  readonly messageId: string;
  readonly sequenceNumber: string | undefined;
  readonly content: Content;
  readonly systemAttributesMd5: string | undefined;
}

const ID = /^[!-~]{1,128}$/;

/** Refuses group and deduplication ids that are not 1 to 128 printable ASCII characters. */
function checkId(value: string | undefined, parameter: string): void {
  if (value === undefined || ID.test(value)) return;
  throw invalidValue(
    value,
    parameter,
    `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  );
}

/**
 * Takes one message into the queue: checks it, recognises a repeat on a FIFO queue, and stores it. The queue has
 * caught up before; whoever calls gives the waiting their turn afterwards.
 *
 * @throws ServiceError the first thing that is wrong with the message
 */
export function accept(
  world: World,
  queue: Queue,
  input: SendInput,
  sender: string,
  options: {
    readonly inBatch?: boolean;
    readonly inspect?: AttributeInspector;
    /** The request's own, for a message that has none (recorded on AWS). */
    readonly traceHeader?: string | undefined;
  } = {},
): Accepted {
  const { MessageBody: body, MessageGroupId: groupId } = input;
  if (body === undefined || body === '') throw missingParameter('MessageBody');
  checkId(input.MessageDeduplicationId, 'MessageDeduplicationId');
  checkId(groupId, 'MessageGroupId');
  const delay = delayOf(queue, input.DelaySeconds);

  const facts = world.inspectBody(body);
  if (!facts.legal) throw invalidMessageContents();
  const attributes = (options.inspect ?? attributeFacts)(input.MessageAttributes);
  const system = systemAttributes(input.MessageSystemAttributes);
  const size = facts.bytes + (attributes?.size ?? 0);
  if (size > queue.settings.maximumMessageSize) {
    throw messageTooLong(queue.settings.maximumMessageSize, options.inBatch ?? false);
  }

  const content: Content = {
    body,
    bodyMd5: facts.md5,
    attributes: attributes?.values,
    attributesMd5: attributes?.md5,
    traceHeader: system?.traceHeader ?? options.traceHeader,
    size,
    groupId,
    deduplicationId: deduplicationId(queue, input),
    sender,
  };
  const now = world.clock.now();
  const key = queue.fifo ? deduplicationKey(queue, content, now) : undefined;
  const known = key === undefined ? undefined : recall(queue, key, now);
  if (known !== undefined) {
    world.metrics.count('AWS/SQS', 'NumberOfDeduplicatedSentMessages', queue.dimensions, 1, 'Count');
    return {
      messageId: known.messageId,
      sequenceNumber: sequenceNumber(known.number),
      content,
      systemAttributesMd5: system?.md5,
    };
  }
  const message = enter(queue, content, {
    id: messageId(world.random),
    now,
    sentAt: now,
    visibleAt: now + delay,
  });
  queue.totals.sent++;
  if (key !== undefined) {
    remember(queue, key, { at: now, messageId: message.id, number: message.number });
  }
  world.metrics.count('AWS/SQS', 'NumberOfMessagesSent', queue.dimensions, 1, 'Count');
  world.metrics.count('AWS/SQS', 'SentMessageSize', queue.dimensions, size, 'Bytes');
  return {
    messageId: message.id,
    sequenceNumber: queue.fifo ? sequenceNumber(message.number) : undefined,
    content,
    systemAttributesMd5: system?.md5,
  };
}

// On a FIFO queue a message has no delay of its own; 0 is taken, and means the queue's.
function delayOf(queue: Queue, seconds: number | undefined): number {
  if (queue.fifo) {
    if (seconds !== undefined && seconds !== 0) {
      throw invalidValue(
        seconds,
        'DelaySeconds',
        'The request include parameter that is not valid for this queue type.',
      );
    }
    return queue.settings.delay;
  }
  if (seconds === undefined) return queue.settings.delay;
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > QUOTAS.delay) {
    throw invalidValue(seconds, 'DelaySeconds', `DelaySeconds must be >= 0 and <= ${QUOTAS.delay}.`);
  }
  return seconds * 1000;
}

function deduplicationId(queue: Queue, input: SendInput): string | undefined {
  if (!queue.fifo) {
    if (input.MessageDeduplicationId === undefined) return undefined;
    throw invalidValue(
      input.MessageDeduplicationId,
      'MessageDeduplicationId',
      'The request includes a parameter that is not valid for this queue type.',
    );
  }
  if (input.MessageGroupId === undefined) throw missingParameter('MessageGroupId');
  if (input.MessageDeduplicationId !== undefined) return input.MessageDeduplicationId;
  if (queue.settings.contentBasedDeduplication) return contentDigest(input.MessageBody ?? '');
  throw missingDeduplicationId();
}

/** A FIFO queue that does not deduplicate by content needs an id from the sender. */
export const missingDeduplicationId = () =>
  invalidParameter(
    'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
  );

/**
 * Whether deduplication ids count inside their group only. A changed scope was seen on AWS not to hold at once; SQS
 * promises a change of attributes within a minute, so that is when it does.
 */
export function isScopePerGroup(queue: Queue, now: number): boolean {
  const { formerScope, settings } = queue;
  return formerScope !== undefined && now < formerScope.until
    ? formerScope.perGroup
    : settings.deduplicationPerGroup;
}

// A group id holds no blank, so the two cannot be mistaken for one another.
const deduplicationKey = (queue: Queue, content: Content, now: number): string =>
  isScopePerGroup(queue, now)
    ? `${content.groupId} ${content.deduplicationId}`
    : (content.deduplicationId ?? '');

function recall(queue: Queue, key: string, now: number): Remembered | undefined {
  const remembered = queue.deduplication.get(key);
  return remembered !== undefined && remembered.at + QUOTAS.deduplication * 1000 > now
    ? remembered
    : undefined;
}

// The map is in the order of time, so what is over stands at its front.
function remember(queue: Queue, key: string, remembered: Remembered): void {
  for (const [known, { at }] of queue.deduplication) {
    if (at + QUOTAS.deduplication * 1000 > remembered.at) break;
    queue.deduplication.delete(known);
  }
  queue.deduplication.set(key, remembered);
}
