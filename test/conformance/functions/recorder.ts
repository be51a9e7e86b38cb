import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Context, type Orders, obey, type Report, type Surroundings } from './orders.ts';

const { ENDPOINT } = process.env;
const sqs = new SQSClient({
  useQueueUrlAsEndpoint: false,
  ...(ENDPOINT === undefined
    ? {}
    : { endpoint: ENDPOINT, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }),
});

const surroundings: Surroundings = {
  variables: process.env,
  now: Date.now,
  sleep: (seconds) => pause(seconds * 1000),
  exit: () => process.exit(1),
  send: (QueueUrl, MessageBody) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody })),
};

/** The function of the cases, as it is deployed. */
export const handler = (event: Orders & Report['event'], context: Context): Promise<unknown> =>
  obey(event, context, surroundings);
