import type { Clock, Random } from '../../lib/base/index.ts';
import type { Messaging, SubscriberName } from '../../lib/topology/index.ts';
import { assemble, standardParts } from './assembly.ts';
import type { AwsClient } from './client.ts';
import type { HandlerFor } from './handler.ts';
import type { LambdaContext, SqsBatchResponse, SqsEvent } from './lambda.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Environment } from './settings.ts';

/**
 * What a consumer is made of.
 *
 * @example
 * ```ts
 * const parts: ConsumerParts = { sqs: new SQSClient(), dynamodb: new DynamoDBClient(), logger: console, metrics };
 * export const handler = consumer(shop, 'payments', charge, parts);
 * ```
 */
export interface ConsumerParts {
  readonly sqs: AwsClient;
  readonly dynamodb: AwsClient;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** @default - the machine's clock */
  readonly clock?: Clock | undefined;
  /** @default - the machine's randomness */
  readonly random?: Random | undefined;
  /** @default process.env */
  readonly environment?: Environment | undefined;
  /**
   * Which errors of the handler can never pass: they are dead-lettered at once, as {@link PermanentError} is.
   *
   * @default - none but PermanentError
   */
  readonly permanent?: ((error: Error) => boolean) | undefined;
  /**
   * How many messages (standard) or groups (FIFO) one invocation handles at once.
   *
   * @default 10
   */
  readonly concurrency?: number | undefined;
}

/**
 * A function for an SQS event source.
 *
 * @example
 * ```ts
 * const invoke: ConsumerFunction = consume(shop, 'payments', charge);
 * const { batchItemFailures } = await invoke({ Records: [record] }, lambdaContext);
 * ```
 */
export type ConsumerFunction = (event: SqsEvent, context: LambdaContext) => Promise<SqsBatchResponse>;

const assembled = assemble(standardParts);

/**
 * A consumer made of given parts: {@link consume} without the default clients, logger and metrics, so that a
 * bundle holds none of them.
 *
 * @example
 * ```ts
 * export const handler = consumer(shop, 'payments', charge, { sqs, dynamodb, logger: console, metrics });
 * ```
 */
export function consumer<M extends Messaging, S extends SubscriberName<M>>(
  messaging: M,
  subscriber: S,
  handler: HandlerFor<M, S>,
  parts: ConsumerParts,
): ConsumerFunction {
  return assembled(messaging, subscriber, handler, parts);
}
