import { days, type Seconds, seconds } from '../base/index.ts';
import { maxReceiveCountMost } from '../rules/index.ts';
import { longestLife } from './life.ts';
import type { Subscriber, SubscriberDeclaration, Topic } from './types.ts';

/** Fills in what a declaration leaves out. Shared with the rules, so that they judge the values that will hold. */
export function complete(name: string, declared: SubscriberDeclaration, topic: Topic): Subscriber {
  const fifo = declared.fifo ?? false;
  const timeout = declared.timeout ?? seconds(30);
  const effects = declared.effects ?? 'exactlyOnceEffect';
  const onDeadLetter = declared.onDeadLetter ?? 'skip';
  const attempts = declared.attempts ?? (effects === 'atMostOnce' ? 1 : 5);
  const batchSize = declared.batchSize ?? 10;
  const batchWindow = declared.batchWindow ?? seconds(batchSize > 10 ? 1 : 0);
  const visibilityTimeout = declared.visibilityTimeout ?? visibility(timeout, batchWindow);
  const backoff = { base: declared.backoff?.base ?? seconds(1), cap: declared.backoff?.cap ?? seconds(300) };
  const retention = declared.retention ?? patience(longestLife({ attempts, timeout, backoff }));
  const deadLetterRetention = declared.deadLetterRetention ?? days(14);
  const replayMargin = declared.replayMargin ?? days(7);
  return {
    name,
    topic: topic.name,
    on: declared.on,
    handler: declared.handler,
    fifo,
    lag: declared.lag,
    alarms: declared.alarms ?? 'lean',
    traffic: declared.traffic,
    effects,
    onDeadLetter,
    onUnknownOutcome: declared.onUnknownOutcome ?? 'retry',
    sequenceGuard: declared.sequenceGuard ?? false,
    timeout,
    handlerTime: declared.handlerTime ?? timeout,
    concurrency: declared.concurrency ?? 10,
    attempts,
    backoff,
    batchSize,
    batchWindow,
    memorySize: declared.memorySize ?? 256,
    lease: declared.lease ?? seconds(Math.min(30, visibilityTimeout)),
    visibilityTimeout,
    retention,
    deadLetterRetention,
    deadLetterFifo: declared.deadLetterFifo ?? fifo,
    subscriptionDeadLetterFifo: declared.subscriptionDeadLetterFifo ?? topic.fifo,
    maxReceiveCount:
      declared.maxReceiveCount ?? (onDeadLetter === 'halt' ? 1000 : lastNet(fifo, attempts, batchSize)),
    replayMargin,
    recordLife: declared.recordLife ?? seconds(retention + deadLetterRetention + replayMargin),
    filter: declared.filter ?? (!topic.fifo && topic.events.some((event) => !declared.on.includes(event))),
    queueName: declared.queueName,
    deadLetterQueueName: declared.deadLetterQueueName,
    subscriptionDeadLetterQueueName: declared.subscriptionDeadLetterQueueName,
    functionName: declared.functionName,
  };
}

/** Lambda developer guide, "Using Lambda with Amazon SQS": six times the function's timeout, plus the window. */
const visibility = (timeout: Seconds, window: Seconds): Seconds => seconds(6 * timeout + window);

/** SQS's own default of 4 days, or all attempts with their waits; 14 days at most (SQS developer guide, quotas). */
const patience = (life: Seconds): Seconds =>
  seconds(Math.max(days(4), Number.isFinite(life) ? Math.min(days(14), Math.ceil(life)) : 0));

/** Far above the attempts, since receives are burnt without one; SQS allows at most 1,000 (API reference). */
const lastNet = (fifo: boolean, attempts: number, batchSize: number): number =>
  Math.min(maxReceiveCountMost.value, Math.max(100, fifo ? 4 * attempts * batchSize : 20 * attempts));
