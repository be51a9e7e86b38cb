import type { SQSEvent } from 'aws-lambda';
import { dynamodb, sqs } from './clients.ts';

/** A handler that has its clients, and nothing else. */
export const handler = async (event: SQSEvent): Promise<number> =>
  [dynamodb, sqs].length + event.Records.length;
