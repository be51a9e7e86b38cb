import type { OutgoingMessage } from './message.ts';

// The model holds no key that AWS would vouch for, so it does not sign: the two members are there because
// parsers ask for them, and say so.
const NO_SIGNATURE = 'unsigned-by-the-local-model';

/**
 * The JSON document that SNS delivers when raw delivery is off. `Signature` and `SigningCertURL` are
 * placeholders: the model does not sign, and verifying them fails.
 *
 * @param endpoint - the model's own address, for the two URLs
 */
export function envelope(
  message: OutgoingMessage,
  topicArn: string,
  subscriptionArn: string,
  endpoint: string,
): string {
  const attributes = Object.entries(message.attributes ?? {}).map(([name, attribute]) => [
    name,
    {
      Type: attribute.DataType,
      Value:
        attribute.BinaryValue === undefined
          ? attribute.StringValue
          : Buffer.from(attribute.BinaryValue).toString('base64'),
    },
  ]);
  return JSON.stringify({
    Type: 'Notification',
    MessageId: message.messageId,
    SequenceNumber: message.sequenceNumber,
    TopicArn: topicArn,
    Subject: message.subject,
    Message: message.text,
    Timestamp: message.timestamp,
    SignatureVersion: '1',
    Signature: NO_SIGNATURE,
    SigningCertURL: `${endpoint}/${NO_SIGNATURE}.pem`,
    UnsubscribeURL: `${endpoint}/?Action=Unsubscribe&SubscriptionArn=${subscriptionArn}`,
    MessageAttributes: attributes.length === 0 ? undefined : Object.fromEntries(attributes),
  });
}
