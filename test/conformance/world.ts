import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { ServerName } from '../servers/names.ts';

/** A server as a case meets it: the SDK's own clients over HTTP, and time. */
export interface World {
  readonly server: ServerName | 'aws';
  readonly url: string;
  readonly account: string;
  readonly region: string;
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly dynamodb: DynamoDBClient;
  readonly dynamodbstreams: DynamoDBStreamsClient;
  readonly cloudwatch: CloudWatchClient;
  readonly lambda: LambdaClient;
  readonly cloudformation: CloudFormationClient;
  readonly s3: S3Client;
  readonly iam: IAMClient;
  /** A name that no other case has; `suffix` for `.fifo`. At most 64 characters. */
  name(base: string, suffix?: string): string;
  /** Lets time pass: real seconds on a server, the clock's on the model. */
  pass(seconds: number): Promise<void>;
  /** Server time, milliseconds since the epoch. */
  now(): number;
  /**
   * Looks again and again, for at most `within` seconds of {@link pass}, until the look gives something other than
   * `undefined`; gives that.
   *
   * @throws {Difference} when it never does; `what` says what was waited for
   */
  eventually<Found>(what: string, within: number, look: () => Promise<Found | undefined>): Promise<Found>;
  /** Removes something when the case is over, however it ended; the last one first. */
  after(remove: () => Promise<unknown>): void;
}
