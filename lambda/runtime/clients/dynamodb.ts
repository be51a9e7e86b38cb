import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientDefaults } from '../client.ts';

/** Region, credentials and endpoint come from the environment (`AWS_ENDPOINT_URL`). */
export const createDynamoDbClient = (): DynamoDBClient => new DynamoDBClient(clientDefaults);
