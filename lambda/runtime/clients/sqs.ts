import { SQSClient } from '@aws-sdk/client-sqs';
import { clientDefaults } from '../client.ts';

/**
 * Region, credentials and endpoint come from the environment. The queue's URL is not taken as the endpoint: a
 * stack that runs against `AWS_ENDPOINT_URL` must not send a message elsewhere because of a URL in a variable.
 */
export const createSqsClient = (): SQSClient =>
  new SQSClient({ ...clientDefaults, useQueueUrlAsEndpoint: false });
