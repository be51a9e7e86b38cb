import type { Message, MessageAttributeValue, ReceiveMessageCommandInput } from '@aws-sdk/client-sqs';
import { attributesDigest } from './digest.ts';
import { formatHandle, sequenceNumber } from './identifiers.ts';
import type { StoredMessage } from './message.ts';
import type { Queue } from './queue.ts';

type Selection = Pick<
  ReceiveMessageCommandInput,
  'AttributeNames' | 'MessageSystemAttributeNames' | 'MessageAttributeNames'
>;

/** How the messages of one receive are shown: made once from the request, used for each message. */
export function createRenderer(
  queue: Queue,
  selection: Selection,
): (message: StoredMessage, receipt: number) => Message {
  const wanted = [...(selection.AttributeNames ?? []), ...(selection.MessageSystemAttributeNames ?? [])];
  const everything = wanted.includes('All');
  const userNames = selection.MessageAttributeNames ?? [];
  const allUser = ['All', '.*', '*'].some((name) => userNames.includes(name));
  return (message, receipt) => {
    const { content } = message;
    const shown: Message = {
      MessageId: message.id,
      ReceiptHandle: formatHandle(queue.handlePrefix, message.number, receipt),
      MD5OfBody: content.bodyMd5,
      Body: content.body,
    };
    if (wanted.length > 0) {
      const all = systemAttributesOf(queue, message);
      if (everything) shown.Attributes = all;
      else {
        const chosen = Object.entries(all).filter(([name]) => (wanted as readonly string[]).includes(name));
        if (chosen.length > 0) shown.Attributes = Object.fromEntries(chosen);
      }
    }
    if (userNames.length > 0 && content.attributes !== undefined) {
      if (allUser) {
        shown.MessageAttributes = { ...content.attributes };
        if (content.attributesMd5 !== undefined) shown.MD5OfMessageAttributes = content.attributesMd5;
      } else {
        const chosen = chooseAttributes(content.attributes, userNames);
        if (chosen !== undefined) {
          shown.MessageAttributes = chosen;
          shown.MD5OfMessageAttributes = attributesDigest(chosen);
        }
      }
    }
    return shown;
  };
}

function systemAttributesOf(queue: Queue, message: StoredMessage): Record<string, string> {
  const { content } = message;
  const attributes: Record<string, string> = {
    SenderId: content.sender,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.receivedAt),
  };
  if (queue.fifo) attributes.SequenceNumber = sequenceNumber(message.number);
  if (content.deduplicationId !== undefined) attributes.MessageDeduplicationId = content.deduplicationId;
  if (content.groupId !== undefined) attributes.MessageGroupId = content.groupId;
  if (content.traceHeader !== undefined) attributes.AWSTraceHeader = content.traceHeader;
  if (message.deadLetterSource !== undefined) attributes.DeadLetterQueueSourceArn = message.deadLetterSource;
  return attributes;
}

// A name, or a prefix with `.*` behind it. The digest covers what is shown, not what was sent.
function chooseAttributes(
  attributes: Readonly<Record<string, MessageAttributeValue>>,
  names: readonly string[],
): Record<string, MessageAttributeValue> | undefined {
  const chosen = Object.entries(attributes).filter(([name]) =>
    names.some(
      (wanted) => wanted === name || (wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2))),
    ),
  );
  return chosen.length === 0 ? undefined : Object.fromEntries(chosen);
}
