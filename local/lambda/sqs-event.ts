import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/** One record of an SQS event (Lambda developer guide, "Using Lambda with Amazon SQS", example event). */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, SqsRecordAttribute>>;
  readonly md5OfMessageAttributes?: string;
  readonly md5OfBody: string;
  readonly eventSource: 'aws:sqs';
  readonly eventSourceARN: string;
  readonly awsRegion: string;
}

/** A message attribute in Lambda's own casing; `binaryValue` is base64. */
export interface SqsRecordAttribute {
  readonly stringValue?: string;
  readonly binaryValue?: string;
  readonly stringListValues: readonly string[];
  readonly binaryListValues: readonly string[];
  readonly dataType: string;
}

/** A received message as Lambda hands it to a function. */
export function toRecord(message: Message, queueArn: string, region: string): SqsRecord {
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: message.Attributes ?? {},
    messageAttributes: toAttributes(message.MessageAttributes),
    ...(message.MD5OfMessageAttributes !== undefined && {
      md5OfMessageAttributes: message.MD5OfMessageAttributes,
    }),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}

function toAttributes(given: Message['MessageAttributes']): Record<string, SqsRecordAttribute> {
  const attributes: Record<string, SqsRecordAttribute> = {};
  for (const name in given) attributes[name] = toAttribute(given[name]!);
  return attributes;
}

const toAttribute = (value: MessageAttributeValue): SqsRecordAttribute => ({
  ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
  ...(value.BinaryValue !== undefined && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: value.DataType ?? 'String',
});
