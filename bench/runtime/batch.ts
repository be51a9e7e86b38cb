import type { SQSEvent } from 'aws-lambda';

/** A batch of orders as Lambda's event source hands it over. */
export function batchOf(size: number, receives: number): SQSEvent {
  return {
    Records: Array.from({ length: size }, (_, index) => ({
      messageId: `059f36b4-87a3-44ab-83d2-66197${String(index).padStart(7, '0')}`,
      receiptHandle: `handle-${index}`,
      body: JSON.stringify({
        specversion: '1.0',
        id: `order.placed:${index + 1}`,
        source: 'sluice/orders',
        type: 'order.placed',
        time: '1997-01-12T00:00:00.000Z',
        datacontenttype: 'application/json',
        data: {
          orderId: index + 1,
          customerId: 3000 + index,
          date: '1997-01-12',
          quantity: 2,
          amountCents: 2933,
        },
      }),
      attributes: {
        ApproximateReceiveCount: String(receives),
        SentTimestamp: '853027200000',
        SenderId: 'AIDAIENQZJOLO23YVJ4VO',
        ApproximateFirstReceiveTimestamp: '853027200001',
      },
      messageAttributes: {},
      md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:bench',
      awsRegion: 'us-east-1',
    })),
  };
}
