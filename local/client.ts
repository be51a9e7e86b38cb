import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { ECRClient } from '@aws-sdk/client-ecr';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SNSClient } from '@aws-sdk/client-sns';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';
import { milliseconds, sleep } from '../lib/base/index.ts';
import type { Dispatcher } from './dispatch.ts';
import { LostReply } from './faults.ts';
import { type Principal, ServiceError, type ServiceId } from './service.ts';

/** The SDK's own client of each service. */
export interface SdkClients {
  readonly sqs: SQSClient;
  readonly sns: SNSClient;
  readonly dynamodb: DynamoDBClient;
  readonly cloudwatch: CloudWatchClient;
  readonly lambda: LambdaClient;
  readonly cloudformation: CloudFormationClient;
  readonly sts: STSClient;
  readonly dynamodbstreams: DynamoDBStreamsClient;
  readonly s3: S3Client;
  readonly ssm: SSMClient;
  readonly ecr: ECRClient;
  readonly iam: IAMClient;
  readonly kms: KMSClient;
}

/**
 * A client that speaks to a model in this process: typed as the SDK's, and taken wherever only `send` is used.
 *
 * @example
 * ```ts
 * const sns: ModelClient<'sns'> = modelClient(aws, 'sns');
 * ```
 */
export type ModelClient<Id extends ServiceId = ServiceId> = Pick<SdkClients[Id], 'send' | 'destroy'>;

/** What {@link modelClient} takes. */
export interface ModelClientOptions {
  /**
   * How often a call is tried when it fails as one that the SDK would repeat: throttled, the service's fault, or
   * its answer lost. Between two tries it waits as the SDK does (full jitter up to 0.1 s x 2^try), on the model's clock.
   *
   * @default 1, so that a test sees every error; the SDK's own default is 3
   */
  readonly attempts?: number;
  /**
   * Once aborted, the client does nothing any more: as when the process that owned it was killed.
   *
   * @default - none
   */
  readonly signal?: AbortSignal;
  /**
   * On whose behalf it calls.
   *
   * @default - the account's administrator
   */
  readonly principal?: Principal;
  /**
   * What every try of a call passes on its way, and its answer on the way back.
   *
   * @default - nothing
   */
  readonly passage?: Passage;
}

/**
 * What stands between a client and the services: it can hold a call back before it leaves, and its answer before it
 * arrives, for as long as the promise takes that it gives.
 */
export interface Passage {
  enter(action: string): Promise<void> | undefined;
  leave(action: string): Promise<void> | undefined;
}

/**
 * A client of the model in this process, for the SDK's own commands, without HTTP. Errors are like the SDK's:
 * `name`, `message`, `$fault`, `$metadata` and the members of the error's shape; `instanceof` the SDK's error
 * classes works. Inputs and outputs are copied, so that neither side can change what the other holds.
 *
 * @example
 * ```ts
 * const sqs = modelClient(aws, 'sqs');
 * const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders' }));
 * ```
 */
export function modelClient<Id extends ServiceId>(
  aws: Dispatcher,
  service: Id,
  options: ModelClientOptions = {},
): ModelClient<Id> {
  const { attempts = 1, signal, principal, passage } = options;
  const once = async (action: string, input: object, callSignal: AbortSignal | undefined) => {
    const call = { signal: callSignal, ...(principal === undefined ? {} : { principal }) };
    if (passage === undefined) return aws.call(service, action, input, call);
    const held = passage.enter(action);
    if (held !== undefined) await held;
    try {
      return await aws.call(service, action, input, call);
    } finally {
      const late = passage.leave(action);
      if (late !== undefined) await late;
    }
  };
  const send = async (command: SdkCommand, sendOptions: SendOptions = {}): Promise<object> => {
    const action = actionOf(command);
    const signals = [signal, sendOptions.abortSignal].filter((each) => each !== undefined);
    const merged = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    for (let attempt = 1; ; attempt++) {
      if (merged?.aborted) throw abortError();
      try {
        const output = await once(action, copy(command.input) as object, merged);
        // What a call did before the abort is done; its answer goes nowhere.
        if (merged?.aborted) throw abortError();
        return { ...(copy(output) as object), $metadata: metadata(200, attempt) };
      } catch (error) {
        if (attempt >= attempts || !isTransient(error)) throw sdkError(error, attempt);
        const { clock, random } = aws.context;
        await sleep(clock, milliseconds(random.next() * 100 * 2 ** attempt), merged);
      }
    }
  };
  // The SDK's send has four overloads with callbacks that nobody hands to a model: it is typed by the SDK's.
  return { send, destroy: () => {} } as unknown as ModelClient<Id>;
}

interface SdkCommand {
  readonly input: object;
  /** Smithy schema of the operation. */
  readonly schema?:
    | readonly [kind: number, namespace: string, action: string, ...rest: unknown[]]
    | undefined;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

const metadata = (httpStatusCode: number, attempts: number) => ({
  httpStatusCode,
  attempts,
  totalRetryDelay: 0,
});

/** As the SDK names it when `abortSignal` fires. */
/** What a command asks for: its schema says so, `[9, namespace, action, ...]`, also where a bundler has renamed its class. */
const actionOf = (command: SdkCommand): string =>
  command.schema?.[2] ?? command.constructor.name.replace(/Command$/, '');

const abortError = () => Object.assign(new Error('Request aborted'), { name: 'AbortError' });

const isTransient = (error: unknown): boolean =>
  error instanceof LostReply ||
  (error instanceof ServiceError && (error.statusCode >= 500 || /Throttl|TooManyRequests/.test(error.name)));

function sdkError(error: unknown, attempts: number): unknown {
  if (!(error instanceof ServiceError)) return error;
  const shown = new Error(error.message, { cause: error });
  return Object.assign(shown, copy(error.members), {
    name: error.name,
    $fault: error.statusCode < 500 ? 'client' : 'server',
    $metadata: metadata(error.statusCode, attempts),
  });
}

/** A deep copy of what the SDK's types hold; members that are undefined do not cross, as over the wire. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (value instanceof Date) return new Date(value.getTime());
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[name];
    if (inner !== undefined) result[name] = copy(inner);
  }
  return result;
}
