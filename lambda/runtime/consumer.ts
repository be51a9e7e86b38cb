import {
  type Clock,
  milliseconds,
  type Random,
  systemClock,
  systemRandom,
  toMilliseconds,
  uuid,
} from '../../lib/base/index.ts';
import type { CloudEvent, EventFor, Messaging, SubscriberName } from '../../lib/topology/index.ts';
import type { AwsClient } from './client.ts';
import { createSendLetter } from './deadletter.ts';
import { startDeadline } from './deadline.ts';
import { asError, ConfigurationError, DeadlineReached, describeError } from './errors.ts';
import type { Handler } from './handler.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { LambdaContext, SqsBatchResponse, SqsEvent, SqsRecord } from './lambda.ts';
import { type Logger, tolerant } from './logger.ts';
import { type Metrics, noMeasures } from './metrics.ts';
import { partsOf } from './parallel.ts';
import { prepare } from './prepare.ts';
import { batchResponse, concludeOutcomes, copiesDone, visibilityChanges } from './response.ts';
import { runGroups, runUnordered } from './schedule.ts';
import { openSession } from './session.ts';
import { type ConsumerSettings, consumerSettings, type Environment } from './settings.ts';
import { createSettlements } from './settlement.ts';
import { statementsFor } from './statements.ts';
import { createRecordStore } from './store.ts';
import { newTask } from './task.ts';
import { createChangeVisibility } from './visibility.ts';
import { createWork } from './work.ts';

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

/** Large standard batches are claimed and run in parts: four calls of 25 statements each. */
const messagesAtOnce = 100;

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
  subscriberName: S,
  handler: Handler<EventFor<M, S>>,
  parts: ConsumerParts,
): ConsumerFunction {
  const subscriber = messaging.subscribers[subscriberName];
  if (subscriber === undefined)
    throw new ConfigurationError(
      `There is no subscriber "${subscriberName}"; declared are ${Object.keys(messaging.subscribers).join(', ')}.`,
    );
  const clock = parts.clock ?? systemClock;
  const random = parts.random ?? systemRandom;
  const logger = tolerant(parts.logger);
  const limit = parts.concurrency ?? 10;
  let settings: ConsumerSettings | undefined;

  return async (event, lambda) => {
    const records = recordsOf(event);
    settings ??= consumerSettings(parts.environment ?? process.env);
    const { table, queueUrl, deadLetterQueueUrl } = settings;
    const tasks = records.map(newTask);
    const measures = noMeasures();
    const received = milliseconds(clock.now() - toMilliseconds(subscriber.batchWindow));
    const deadline = startDeadline(clock, lambda, received, () => {
      for (const task of tasks)
        task.claim?.abort(
          new DeadlineReached('The function’s time is nearly over: stop, the event comes back.'),
        );
    });

    const session = openSession(clock);
    const sqs = session.open(parts.sqs);
    const dynamodb = session.open(parts.dynamodb);
    const store = createRecordStore({ client: dynamodb, table, clock, random });
    const statements = statementsFor(table);
    const { recordLife, fifo } = subscriber;
    const settlements = createSettlements({ store, statements, clock, recordLife, logger });
    const changeVisibility = createChangeVisibility({ client: sqs, queueUrl, fifo, logger });
    const heartbeat = startHeartbeat({
      clock,
      random,
      lease: subscriber.lease,
      bound: deadline.end,
      store,
      statements,
      settlements,
      changeVisibility,
      messages: tasks,
      logger,
    });
    const work = createWork({
      subscriber,
      handler: handler as Handler<CloudEvent>,
      client: dynamodb,
      table,
      clock,
      random,
      store,
      statements,
      settlements,
      heartbeat,
      deadline,
      recordLife,
      sendLetter: createSendLetter({ client: sqs, deadLetterQueueUrl, fifo, clock }),
      logger,
      measures,
      permanent: parts.permanent ?? (() => false),
    });
    const claims = {
      store,
      statements,
      clock,
      random,
      // The request says where to look; the rest makes it unique, whatever the request's id is worth.
      owner: `${lambda.awsRequestId} ${uuid(random)}`,
      recordLife,
      leaseEnd: heartbeat.leaseEnd,
      subscriber,
      events: messaging.events,
    };

    const handleAll = async () => {
      try {
        for (const part of partsOf(tasks, messagesAtOnce)) {
          if (deadline.reached()) break;
          await prepare(claims, part);
          heartbeat.hold(part.flatMap((task) => task.claim ?? []));
          await (fifo ? runGroups(part, limit, work) : runUnordered(part, limit, work));
        }
      } catch (thrown) {
        const error = describeError(asError(thrown), 300);
        logger.error('The batch was broken off: what is not done goes back', { error });
      }
      // From here on visibilities have one owner: no beat is under way any more, and none will start.
      await heartbeat.stop();
      await settlements.flush();
      concludeOutcomes(tasks, fifo);
      const changes = visibilityChanges(tasks, fifo);
      if (changes.length > 0) await changeVisibility(changes);
    };
    if ((await Promise.race([handleAll(), deadline.lastCall])) === 'last call') {
      logger.error('The time was over before the services answered: what is not known to be done goes back');
      void heartbeat.stop();
    }
    concludeOutcomes(tasks, fifo);
    session.close();
    deadline.cancel();
    measures.duplicates += copiesDone(tasks);
    report(parts.metrics, subscriber.name, measures, logger);
    return batchResponse(tasks);
  };
}

/** The batch's messages; an invocation that is none, or that has messages without id, fails as a whole. */
function recordsOf(event: SqsEvent): readonly SqsRecord[] {
  const records: unknown = event?.Records;
  const legal =
    Array.isArray(records) &&
    records.every(
      (record) =>
        typeof record?.messageId === 'string' && record.messageId !== '' && typeof record.body === 'string',
    );
  if (!legal)
    throw new ConfigurationError(
      'The invocation is not a batch of SQS messages, each with messageId and body. ' +
        'Let an SQS event source invoke this function. Nothing is acknowledged.',
    );
  return records as readonly SqsRecord[];
}

function report(
  metrics: Metrics,
  subscriber: string,
  measures: ReturnType<typeof noMeasures>,
  logger: Logger,
) {
  try {
    const result: unknown = metrics.record(subscriber, measures);
    if (result instanceof Promise) result.catch(() => undefined);
  } catch (thrown) {
    logger.error('The metrics could not be recorded', { error: describeError(asError(thrown), 300) });
  }
}
