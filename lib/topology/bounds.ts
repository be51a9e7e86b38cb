import {
  batchSizeMost,
  batchWindowMost,
  batchWithoutWindowMost,
  concurrencyLeast,
  concurrencyMost,
  fifoBatchSizeMost,
  functionMemoryLeast,
  functionMemoryMost,
  functionTimeoutMost,
  inFlightMost,
  maxReceiveCountMost,
  maxReceiveCountWithLambda,
  type Quota,
  type RuleId,
  retentionLeast,
  retentionMost,
  visibilityMost,
} from '../rules/index.ts';
import { longestLife, mostAttempts } from './life.ts';
import type { Subscriber } from './types.ts';

/** A number with its limits, and what they rest on. */
export interface Bound {
  /** The rule that a value out of the limits breaks. */
  readonly rule: RuleId;
  readonly property: string;
  readonly found: unknown;
  readonly least: number;
  readonly most: number;
  /** What the limits rest on: a page of AWS, or a law of this runtime. */
  readonly why: string;
  /** What to do. Default: choose a value in that range. */
  readonly remedy?: string;
  /** Whether it counts something that has no fractions. */
  readonly whole?: boolean;
}

/** Whether a value keeps its limits. */
export const isWithin = ({ found, least, most, whole }: Bound): boolean =>
  typeof found === 'number' && found >= least && found <= most && (!whole || Number.isInteger(found));

const zero = { value: 0 };

/** Whether a value is no number within what AWS allows: the first thing to say, whatever else is wrong with it. */
const beyond = (found: unknown, least: Pick<Quota, 'value'>, most: Quota): boolean =>
  !(typeof found === 'number' && found >= least.value && found <= most.value);

/**
 * The limits of a subscriber's values, what others rest on before what rests on it. AWS's own are
 * those of lib/rules.
 */
export function bounds(value: Subscriber): Bound[] {
  const { fifo, timeout, attempts, batchSize, batchWindow, retention, deadLetterRetention, maxReceiveCount } =
    value;
  const receives = Math.max(maxReceiveCountWithLambda.value, attempts + 1);
  const fourteenDays = retentionMost.value;
  const life = longestLife(value);
  return [
    {
      rule: 'function-timeout',
      property: 'timeout',
      found: value.timeout,
      least: 1,
      most: functionTimeoutMost.value,
      why: 'seconds, Lambda quotas',
      whole: true,
    },
    {
      rule: 'handler-time',
      property: 'handlerTime',
      found: value.handlerTime,
      least: 0,
      most: timeout,
      why: 'seconds, up to the timeout: Lambda ends a run then',
    },
    {
      rule: 'attempts',
      property: 'attempts',
      found: value.attempts,
      least: 1,
      most: value.effects === 'atMostOnce' ? 1 : mostAttempts,
      why: value.effects === 'atMostOnce' ? 'at most once is one attempt' : 'counted in the record',
      whole: true,
    },
    {
      rule: 'batch-size',
      property: 'batchSize',
      found: value.batchSize,
      least: 1,
      most: (fifo ? fifoBatchSizeMost : batchSizeMost).value,
      why: fifo ? 'Lambda, FIFO queue' : 'Lambda, standard queue',
      whole: true,
    },
    {
      rule: 'batch-window',
      property: 'batchWindow',
      found: value.batchWindow,
      least: !fifo && batchSize > batchWithoutWindowMost.value ? 1 : 0,
      most: fifo ? 0 : batchWindowMost.value,
      why: fifo ? 'Lambda has no window on FIFO' : 'seconds; at least 1 when the batch is larger than 10',
      whole: true,
    },
    {
      rule: beyond(value.concurrency, concurrencyLeast, concurrencyMost)
        ? 'maximum-concurrency'
        : 'in-flight',
      property: 'concurrency',
      found: value.concurrency,
      least: concurrencyLeast.value,
      most: Math.max(
        concurrencyLeast.value,
        Math.min(concurrencyMost.value, Math.floor(inFlightMost.value / batchSize)),
      ),
      why: 'Lambda MaximumConcurrency, and times the batch size no more than the 120,000 messages in flight of SQS',
      whole: true,
    },
    {
      rule: 'function-memory',
      property: 'memorySize',
      found: value.memorySize,
      least: functionMemoryLeast.value,
      most: functionMemoryMost.value,
      why: 'MiB, Lambda quotas',
      whole: true,
    },
    {
      rule: 'backoff',
      property: 'backoff.cap',
      found: value.backoff.cap,
      least: 1,
      most: visibilityMost.value,
      why: 'seconds, SQS visibility',
    },
    {
      rule: 'backoff',
      property: 'backoff.base',
      found: value.backoff.base,
      least: 0,
      most: value.backoff.cap,
      why: 'seconds, up to the cap',
    },
    {
      rule: 'backoff',
      property: 'backoff',
      found: life,
      least: 0,
      most: fourteenDays,
      why: 'seconds for all attempts and waits together; SQS keeps no message longer',
      remedy: 'Lower attempts, timeout or backoff.',
    },
    {
      rule: beyond(value.visibilityTimeout, zero, visibilityMost)
        ? 'visibility-timeout'
        : 'visibility-below-timeout',
      property: 'visibilityTimeout',
      found: value.visibilityTimeout,
      least: Math.max(3, timeout + batchWindow),
      most: visibilityMost.value,
      why: 'seconds; a message is hidden while its batch is gathered and run, and SQS allows 12 hours',
      remedy: 'Leave it out, or choose timeout + batchWindow or more.',
      whole: true,
    },
    {
      rule: 'lease',
      property: 'lease',
      found: value.lease,
      least: 3,
      most: Math.min(visibilityMost.value, value.visibilityTimeout),
      why: 'seconds; three heartbeats must fit, and the lease ends before the visibility',
      whole: true,
    },
    {
      rule: beyond(retention, retentionLeast, retentionMost)
        ? 'queue-retention'
        : 'retention-covers-attempts',
      property: 'retention',
      found: value.retention,
      least: life > fourteenDays ? retentionLeast.value : Math.max(retentionLeast.value, Math.ceil(life)),
      most: fourteenDays,
      why: 'seconds, SQS quotas; a message that grows older than this is deleted, so all its attempts and waits must fit',
      remedy: 'Keep messages longer, or lower attempts, timeout or backoff.',
      whole: true,
    },
    {
      rule: 'lag-within-retention',
      property: 'lag',
      found: value.lag,
      least: 1,
      most: retention,
      why: 'seconds, up to the retention: older messages are deleted',
    },
    {
      rule: 'dead-letter-retention',
      property: 'deadLetterRetention',
      found: value.deadLetterRetention,
      least: fifo ? retentionLeast.value : Math.min(retention + 1, fourteenDays),
      most: fourteenDays,
      why: 'seconds; on a standard queue the age goes on counting in the dead-letter queue',
      remedy: 'Keep dead letters longer than the queue keeps messages.',
      whole: true,
    },
    {
      rule: beyond(maxReceiveCount, { value: 2 }, maxReceiveCountMost)
        ? 'max-receive-count'
        : Number(maxReceiveCount) < receives
          ? 'receive-margin'
          : 'fifo-receives',
      property: 'maxReceiveCount',
      found: value.maxReceiveCount,
      // On FIFO the messages behind a failing head come back with it, untried: each of its receives is one of theirs.
      least: Math.min(maxReceiveCountMost.value, Math.max(receives, fifo ? attempts * batchSize : 0)),
      most: maxReceiveCountMost.value,
      why: 'SQS; at least 5 with Lambda, above the attempts, and on FIFO attempts x batch size',
      remedy: 'Leave it out: it is the last net, not the number of attempts.',
      whole: true,
    },
    ...(value.traffic === undefined
      ? []
      : [
          {
            rule: 'traffic' as const,
            property: 'traffic',
            found: value.traffic,
            least: 0,
            most: 1_000_000,
            why: 'messages a second in a normal hour',
            remedy: 'Choose a value in that range, or leave it out.',
          },
        ]),
    {
      rule: 'replay-margin',
      property: 'replayMargin',
      found: value.replayMargin,
      least: 0,
      most: 31_536_000,
      why: 'seconds',
    },
    {
      rule: 'record-life',
      property: 'recordLife',
      found: value.recordLife,
      least: retention + deadLetterRetention,
      most: 157_680_000,
      why: 'seconds; a message can come back after both retentions',
      remedy: 'Leave it out, or choose retention + deadLetterRetention or more.',
    },
  ];
}
