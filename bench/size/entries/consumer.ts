import { consumer } from 'sluice/lambda';
import { dynamodb, sqs } from './clients.ts';
import { shop } from './declaration.ts';

export const handler = consumer(shop, 'payments', (event) => console.log(event.data.orderId), {
  dynamodb,
  sqs,
  logger: console,
  metrics: { record: (_, { processed }) => console.log(processed) },
});
