import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { SqsRecord } from '../runtime/index.ts';

/** A record as Lambda makes it, with the members that the runtime has no use for (Lambda developer guide, example event). */
export interface LambdaSqsRecord extends SqsRecord {
  readonly messageAttributes: Readonly<Record<string, LambdaSqsAttribute>>;
  readonly md5OfMessageAttributes?: string;
  readonly md5OfBody: string;
  readonly eventSource: 'aws:sqs';
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

interface LambdaSqsAttribute {
  readonly dataType: string;
  readonly stringValue?: string;
  /** Base64. */
  readonly binaryValue?: string;
  readonly stringListValues: readonly string[];
  readonly binaryListValues: readonly string[];
}

/** A message as Lambda hands it to a function. */
export function toRecord(message: Message, queueArn: string): LambdaSqsRecord {
  const { MD5OfMessageAttributes: md5OfMessageAttributes } = message;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    // Asked for with All, so that ApproximateReceiveCount is among them.
    attributes: { ...message.Attributes } as SqsRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, toAttribute(value)]),
    ),
    ...(md5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes }),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

const toAttribute = ({ StringValue, BinaryValue, DataType }: MessageAttributeValue): LambdaSqsAttribute => ({
  ...(StringValue === undefined ? {} : { stringValue: StringValue }),
  ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType ?? 'String',
});

/** The message group; every message of a FIFO queue has one. */
export const groupOf = (record: SqsRecord): string => record.attributes.MessageGroupId ?? '';
