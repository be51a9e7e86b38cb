import { SQSClient } from '@aws-sdk/client-sqs';

/**
 * A client whose requests may last as long as a poll and a little longer; then the connection is taken for dead. Region,
 * credentials and endpoint come from the environment; a queue's URL is not taken as the endpoint.
 */
export const createPollingClient = (): SQSClient =>
  new SQSClient({
    useQueueUrlAsEndpoint: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
