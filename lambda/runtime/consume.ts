import { systemClock } from '../../lib/base/index.ts';
import type { Messaging, SubscriberName } from '../../lib/topology/index.ts';
import type { AwsClient } from './client.ts';
import { createDynamoDbClient } from './clients/dynamodb.ts';
import { createSqsClient } from './clients/sqs.ts';
import { type ConsumerFunction, type ConsumerParts, consumer } from './consumer.ts';
import { embeddedMetrics } from './emf.ts';
import type { HandlerFor } from './handler.ts';
import { jsonLogger } from './json-logger.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/**
 * What can be handed to {@link consume}; everything has a default.
 *
 * @example
 * ```ts
 * const options: ConsumeOptions = { concurrency: 4, permanent: (error) => error.name === 'CardDeclined' };
 * export const handler = consume(shop, 'payments', charge, options);
 * ```
 */
export interface ConsumeOptions extends Omit<ConsumerParts, 'sqs' | 'dynamodb' | 'logger' | 'metrics'> {
  /** @default - a client from the environment, made once */
  readonly sqs?: AwsClient | undefined;
  /** @default - a client from the environment, made once */
  readonly dynamodb?: AwsClient | undefined;
  /** @default - JSON lines on standard output; Powertools Logger fits as it is */
  readonly logger?: Logger | undefined;
  /** @default - CloudWatch's embedded metric format, on standard output */
  readonly metrics?: Metrics | undefined;
}

/**
 * Makes the Lambda function of a subscriber out of a handler for one event. Delivery is at least once; the
 * handler's effect happens once: always, when it is written by `commitWith`, and but for a crash between effect
 * and record, when it lies elsewhere.
 *
 * The handler resolves: done. It throws: the event is tried again after a backoff, up to the declared attempts,
 * then dead-lettered; {@link PermanentError} dead-letters at once, {@link RetryLater} chooses the wait.
 *
 * @param subscriber - the subscriber's name in the declaration
 * @returns the function to export as `handler`
 * @throws {ConfigurationError} when invoked without the variables that the stack sets
 * @example
 * ```ts
 * export const handler = consume(shop, 'payments', async (event, { signal, logger }) => {
 *   await charge(event.data, { idempotencyKey: event.id, signal });
 *   logger.info('charged');
 * });
 * ```
 */
export function consume<M extends Messaging, S extends SubscriberName<M>>(
  messaging: M,
  subscriber: S,
  handler: HandlerFor<M, S>,
  options: ConsumeOptions = {},
): ConsumerFunction {
  const { clock = systemClock, environment = process.env } = options;
  return consumer(messaging, subscriber, handler, {
    ...options,
    sqs: options.sqs ?? createSqsClient(),
    dynamodb: options.dynamodb ?? createDynamoDbClient(),
    logger: options.logger ?? jsonLogger({ service: messaging.name, subscriber, clock, environment }),
    metrics: options.metrics ?? embeddedMetrics(clock),
  });
}
