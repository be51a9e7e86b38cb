import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';

const place = {
  endpoint: 'http://127.0.0.1:9',
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

/** The clients that a consumer needs, and every candidate makes. */
export const dynamodb = new DynamoDBClient(place);
export const sqs = new SQSClient(place);
