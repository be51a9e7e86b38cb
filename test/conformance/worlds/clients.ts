import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { MiddlewareStack } from '@smithy/types';
import type { World } from '../world.ts';

/** Where clients send, and as whom. */
export interface ClientOptions {
  /** @default - AWS itself */
  readonly endpoint?: string;
  readonly region: string;
  /** @default - those of the environment or the profile */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /**
   * The profile of the account.
   *
   * @default - none
   */
  readonly profile?: string;
  /** @default 1, since a repeated call would hide the first answer */
  readonly maxAttempts?: number;
  /** Is given each client as it is made. */
  readonly prepare?: (client: PreparedClient) => void;
}

/** As much of a client as is the same for all of them. */
export interface PreparedClient {
  readonly middlewareStack: Pick<MiddlewareStack<object, object>, 'add'>;
}

/** The SDK's clients that a case may use; each sees the first answer, since a repeated call would hide one. */
export type Clients = Pick<
  World,
  'sqs' | 'sns' | 'dynamodb' | 'dynamodbstreams' | 'cloudwatch' | 'lambda' | 'cloudformation' | 's3' | 'iam'
>;

const makers = {
  sqs: SQSClient,
  sns: SNSClient,
  dynamodb: DynamoDBClient,
  dynamodbstreams: DynamoDBStreamsClient,
  cloudwatch: CloudWatchClient,
  lambda: LambdaClient,
  cloudformation: CloudFormationClient,
  s3: S3Client,
  iam: IAMClient,
} as const;

/** Makes clients when they are first asked for: a case needs two of nine. */
export function clientsFor({ prepare, ...options }: ClientOptions): Clients & { destroy(): void } {
  const made = new Map<string, { destroy(): void }>();
  const clients = { destroy: () => made.forEach((client) => void client.destroy()) };
  for (const [name, Maker] of Object.entries(makers))
    Object.defineProperty(clients, name, {
      enumerable: true,
      get() {
        let client = made.get(name);
        if (client === undefined) {
          client = new Maker({
            maxAttempts: 1,
            ...options,
            ...(name === 'sqs' ? { useQueueUrlAsEndpoint: false } : {}),
            ...(name === 's3' ? { forcePathStyle: true } : {}),
          });
          prepare?.(client as unknown as PreparedClient);
          made.set(name, client);
        }
        return client;
      },
    });
  return clients as Clients & { destroy(): void };
}
