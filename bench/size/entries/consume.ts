import { consume } from 'sluice/lambda';
import { dynamodb, sqs } from './clients.ts';
import { shop } from './declaration.ts';

export const handler = consume(shop, 'payments', (event) => console.log(event.data.orderId), {
  dynamodb,
  sqs,
});
