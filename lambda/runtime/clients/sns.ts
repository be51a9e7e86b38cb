import { SNSClient } from '@aws-sdk/client-sns';
import { clientDefaults } from '../client.ts';

/** Region, credentials and endpoint come from the environment (`AWS_ENDPOINT_URL`). */
export const createSnsClient = (): SNSClient => new SNSClient(clientDefaults);
