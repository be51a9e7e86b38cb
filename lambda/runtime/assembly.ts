import { milliseconds, systemClock, systemRandom, toMilliseconds, uuid } from '../../lib/base/index.ts';
import type { CloudEvent, Effects, Messaging, SubscriberName } from '../../lib/topology/index.ts';
import { createBury } from './bury.ts';
import { claimAll, recordEnd } from './claim.ts';
import { createCommitter } from './commit.ts';
import type { ConsumerFunction, ConsumerParts } from './consumer.ts';
import { createSendLetter } from './deadletter.ts';
import { startDeadline } from './deadline.ts';
import { asError, ConfigurationError, DeadlineReached, describeError, mostLogLength } from './errors.ts';
import { createGroups } from './groups.ts';
import type { Handler, HandlerFor, PlainHandler, TransactionalHandler } from './handler.ts';
import { startHeartbeat } from './heartbeat.ts';
import { payloadHash, recordKey } from './identity.ts';
import type { SqsRecord } from './lambda.ts';
import { type Logger, tolerant } from './logger.ts';
import { type Metrics, noMeasures } from './metrics.ts';
import { partsOf } from './parallel.ts';
import { claimWanted, decodeAll, type Wanted } from './prepare.ts';
import { createProgress } from './progress.ts';
import { judge } from './record.ts';
import { refuseReplay } from './replay.ts';
import { batchResponse, concludeOutcomes, copiesDone, visibilityChanges } from './response.ts';
import { runGroups, runUnordered } from './schedule.ts';
import { guardItem, guardOf, staleGuards } from './sequence.ts';
import { openSession } from './session.ts';
import { type ConsumerSettings, consumerSettings } from './settings.ts';
import { createSettlements } from './settlement.ts';
import { type Statements, statementsFor } from './statements.ts';
import { createStop } from './stop.ts';
import { createRecordStore } from './store.ts';
import { newTask } from './task.ts';
import { commitTogether, committing } from './together.ts';
import { plain, runUnclaimed } from './unclaimed.ts';
import { createChangeVisibility } from './visibility.ts';
import { type ClaimedHandler, createWork } from './work.ts';

/** Large standard batches are claimed and run in parts: four calls of 25 statements each. */
const messagesAtOnce = 100;

/**
 * What the runtime is put together from. Each part holds a protection or several: a runtime that is assembled with
 * one of them broken shows whether the tests would notice.
 */
export const standardParts = {
  batchResponse,
  claimAll,
  commitTogether,
  concludeOutcomes,
  createBury,
  createChangeVisibility,
  createCommitter,
  createGroups,
  createProgress,
  createRecordStore,
  createSendLetter,
  createSettlements,
  createWork,
  guardOf,
  judge,
  openSession,
  payloadHash,
  recordKey,
  refuseReplay,
  runGroups,
  runUnclaimed,
  runUnordered,
  staleGuards,
  startDeadline,
  startHeartbeat,
  statementsFor,
  visibilityChanges,
};

/** The parts of a runtime. */
export type RuntimeParts = typeof standardParts;

/** Puts a runtime together; what comes out makes Lambda functions of handlers, as `consumer` does. */
export function assemble(runtime: RuntimeParts) {
  return <M extends Messaging, S extends SubscriberName<M>>(
    messaging: M,
    subscriberName: S,
    handler: HandlerFor<M, S>,
    parts: ConsumerParts,
  ): ConsumerFunction => {
    const subscriber = messaging.subscribers[subscriberName];
    if (subscriber === undefined)
      throw new ConfigurationError(
        `There is no subscriber "${subscriberName}"; declared are ${Object.keys(messaging.subscribers).join(', ')}.`,
      );
    const clock = parts.clock ?? systemClock;
    const random = parts.random ?? systemRandom;
    const logger = tolerant(parts.logger);
    const limit = parts.concurrency ?? 10;
    if (!(limit >= 1))
      throw new ConfigurationError(
        `The concurrency of "${subscriberName}" is ${limit}; allowed: 1 and more. With none no message would ever run.`,
      );
    const run = claimedHandler(subscriber.effects, handler);
    const permanent = parts.permanent ?? (() => false);
    const { claimAll, judge, recordKey, payloadHash, guardOf, staleGuards, refuseReplay } = runtime;
    const deciding = { claimAll, judge, recordKey, payloadHash, guardOf, staleGuards, refuseReplay };
    let settings: ConsumerSettings | undefined;
    let statements: Statements | undefined;

    return async (event, lambda) => {
      const records = recordsOf(event);
      settings ??= consumerSettings(parts.environment ?? process.env);
      const { table, queueUrl, deadLetterQueueUrl } = settings;
      const tasks = records.map(newTask);
      const measures = noMeasures();
      const stop = createStop();
      const received = milliseconds(clock.now() - toMilliseconds(subscriber.batchWindow));
      const deadline = runtime.startDeadline(clock, lambda, received, () => {
        const reason = new DeadlineReached('The function’s time is nearly over: stop, the event comes back.');
        for (const who of [stop, ...tasks.map(({ claim }) => claim)]) who?.abort(reason);
      });

      const session = runtime.openSession(clock, logger);
      const sqs = session.open(parts.sqs);
      const dynamodb = session.open(parts.dynamodb);
      const store = runtime.createRecordStore({ client: dynamodb, table, clock, random });
      statements ??= runtime.statementsFor(table);
      const { recordLife, fifo } = subscriber;
      const settlements = runtime.createSettlements({ store, statements, clock, recordLife, logger });
      const changeVisibility = runtime.createChangeVisibility({ client: sqs, queueUrl, fifo, logger });
      const heartbeat = runtime.startHeartbeat({
        clock,
        random,
        lease: subscriber.lease,
        bound: deadline.end,
        store,
        statements,
        settlements,
        changeVisibility,
        messages: tasks,
        // Of an event that runs at most once its record says from the start that it is done: whoever meets it again
        // passes. So on FIFO the queue's own visibility, longer than the function's time, holds its group back; one
        // as short as a lease would let the group pass a worker that stands still.
        shortens: !(fifo && subscriber.effects === 'atMostOnce'),
        logger,
      });
      const groups = runtime.createGroups({
        client: dynamodb,
        table,
        store,
        clock,
        random,
        subscriber,
        measures,
        logger,
      });
      const work = runtime.createWork({
        subscriber,
        handler: run,
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
        sendLetter: runtime.createSendLetter({
          client: sqs,
          deadLetterQueueUrl,
          fifo,
          clock,
          subscriber: subscriber.name,
          functionVersion: lambda.functionVersion,
        }),
        groups,
        logger,
        measures,
        permanent,
        createBury: runtime.createBury,
        createCommitter: runtime.createCommitter,
        createProgress: runtime.createProgress,
        guardOf,
      });
      // The request says where to look; the rest makes it unique, whatever the request's id is worth.
      const owner = `${lambda.awsRequestId} ${uuid(random)}`;
      const firstDeliveries = () => ({
        ...{ fifo, limit, clock, random, deadline, stop, groups, logger, measures },
        ...{ client: dynamodb, table, store, judge, owner, recordLife },
        guardOf: (event: CloudEvent) => {
          const guard = guardOf(subscriber, event);
          return guard && guardItem(table, guard, recordEnd(clock.now(), recordLife));
        },
      });
      const preparing = {
        ...deciding,
        store,
        statements,
        clock,
        random,
        owner,
        recordLife,
        leaseEnd: heartbeat.leaseEnd,
        subscriber,
        events: messaging.events,
        firsts: new Map<string, Wanted>(),
      };

      const handleAll = async () => {
        try {
          for (const part of partsOf(tasks, messagesAtOnce)) {
            if (deadline.reached()) break;
            const open = await groups.keepParkedBack(part);
            const wanted = await decodeAll(preparing, open);
            if (subscriber.effects === 'transactional')
              await runtime.commitTogether(
                firstDeliveries(),
                handler as TransactionalHandler<CloudEvent>,
                open,
                wanted,
              );
            else if (subscriber.effects === 'atLeastOnce')
              await runtime.runUnclaimed(
                firstDeliveries(),
                handler as PlainHandler<CloudEvent>,
                open,
                wanted,
              );
            if (deadline.reached()) break;
            await claimWanted(
              preparing,
              wanted.filter(({ task }) => task.outcome === undefined),
            );
            heartbeat.hold(open.flatMap((task) => task.claim ?? []));
            await (fifo ? runtime.runGroups(open, limit, work) : runtime.runUnordered(open, limit, work));
          }
        } catch (thrown) {
          const error = describeError(asError(thrown), mostLogLength);
          logger.error('The batch was broken off: what is not done goes back', { error });
        }
        // From here on visibilities have one owner: no beat is under way any more, and none will start.
        await heartbeat.stop();
        await settlements.flush();
        runtime.concludeOutcomes(tasks, fifo);
        const changes = runtime.visibilityChanges(tasks, fifo);
        if (changes.length > 0) await changeVisibility(changes);
      };
      if ((await Promise.race([handleAll(), deadline.lastCall])) === 'last call') {
        logger.error(
          'The time was over before the services answered: what is not known to be done goes back',
        );
        void heartbeat.stop();
      }
      runtime.concludeOutcomes(tasks, fifo);
      session.close();
      deadline.cancel();
      measures.duplicates += copiesDone(tasks);
      report(parts.metrics, subscriber.name, measures, logger);
      return runtime.batchResponse(tasks);
    };
  };
}

/** The handler as it runs under a claim. */
function claimedHandler(effects: Effects, handler: unknown): ClaimedHandler {
  switch (effects) {
    case 'exactlyOnceEffect':
      return handler as Handler<CloudEvent>;
    case 'transactional':
      return committing(handler as TransactionalHandler<CloudEvent>);
    case 'atLeastOnce':
    case 'atMostOnce':
      return plain(handler as PlainHandler<CloudEvent>);
  }
}

/** The batch's messages; an invocation that is none, or that has messages without id, fails as a whole. */
function recordsOf(event: { readonly Records: readonly SqsRecord[] }): readonly SqsRecord[] {
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
    logger.error('The metrics could not be recorded', {
      error: describeError(asError(thrown), mostLogLength),
    });
  }
}
