import { longestLife, mostAttempts } from './life.ts';
import type { Subscriber } from './types.ts';

/** A number with its limits, and what they rest on. */
export interface Bound {
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

const twelveHours = 43_200;
const fourteenDays = 1_209_600;
/** SQS quotas: messages that a queue hands out at once, before it refuses (standard) or falls silent (FIFO). */
const inFlight = 120_000;

/**
 * The limits of a subscriber's values, what others rest on before what rests on it. Figures are those of the
 * services' quota pages, November 2026.
 */
export function bounds(value: Subscriber): Bound[] {
  const { fifo, timeout, attempts, batchSize, batchWindow, retention, deadLetterRetention } = value;
  const life = longestLife(value);
  return [
    {
      property: 'timeout',
      found: value.timeout,
      least: 1,
      most: 900,
      why: 'seconds, Lambda quotas',
      whole: true,
    },
    {
      property: 'handlerTime',
      found: value.handlerTime,
      least: 0,
      most: timeout,
      why: 'seconds, up to the timeout: Lambda ends a run then',
    },
    {
      property: 'attempts',
      found: value.attempts,
      least: 1,
      most: value.effects === 'atMostOnce' ? 1 : mostAttempts,
      why: value.effects === 'atMostOnce' ? 'at most once is one attempt' : 'counted in the record',
      whole: true,
    },
    {
      property: 'batchSize',
      found: value.batchSize,
      least: 1,
      most: fifo ? 10 : 10_000,
      why: fifo ? 'Lambda, FIFO queue' : 'Lambda, standard queue',
      whole: true,
    },
    {
      property: 'batchWindow',
      found: value.batchWindow,
      least: !fifo && batchSize > 10 ? 1 : 0,
      most: fifo ? 0 : 300,
      why: fifo ? 'Lambda has no window on FIFO' : 'seconds; at least 1 when the batch is larger than 10',
      whole: true,
    },
    {
      property: 'concurrency',
      found: value.concurrency,
      least: 2,
      most: Math.max(2, Math.min(1000, Math.floor(inFlight / batchSize))),
      why: 'Lambda MaximumConcurrency, and times the batch size no more than the 120,000 messages in flight of SQS',
      whole: true,
    },
    {
      property: 'memorySize',
      found: value.memorySize,
      least: 128,
      most: 10_240,
      why: 'MiB, Lambda quotas',
      whole: true,
    },
    {
      property: 'backoff.cap',
      found: value.backoff.cap,
      least: 1,
      most: twelveHours,
      why: 'seconds, SQS visibility',
    },
    {
      property: 'backoff.base',
      found: value.backoff.base,
      least: 0,
      most: value.backoff.cap,
      why: 'seconds, up to the cap',
    },
    {
      property: 'backoff',
      found: life,
      least: 0,
      most: fourteenDays,
      why: 'seconds for all attempts and waits together; SQS keeps no message longer',
      remedy: 'Lower attempts, timeout or backoff.',
    },
    {
      property: 'visibilityTimeout',
      found: value.visibilityTimeout,
      least: Math.max(3, timeout + batchWindow),
      most: twelveHours,
      why: 'seconds; a message is hidden while its batch is gathered and run, and SQS allows 12 hours',
      remedy: 'Leave it out, or choose timeout + batchWindow or more.',
      whole: true,
    },
    {
      property: 'lease',
      found: value.lease,
      least: 3,
      most: Math.min(twelveHours, value.visibilityTimeout),
      why: 'seconds; three heartbeats must fit, and the lease ends before the visibility',
      whole: true,
    },
    {
      property: 'retention',
      found: value.retention,
      least: life > fourteenDays ? 60 : Math.max(60, Math.ceil(life)),
      most: fourteenDays,
      why: 'seconds, SQS quotas; a message that grows older than this is deleted, so all its attempts and waits must fit',
      remedy: 'Keep messages longer, or lower attempts, timeout or backoff.',
      whole: true,
    },
    {
      property: 'lag',
      found: value.lag,
      least: 1,
      most: retention,
      why: 'seconds, up to the retention: older messages are deleted',
    },
    {
      property: 'deadLetterRetention',
      found: value.deadLetterRetention,
      least: fifo ? 60 : Math.min(retention + 1, fourteenDays),
      most: fourteenDays,
      why: 'seconds; on a standard queue the age goes on counting in the dead-letter queue',
      remedy: 'Keep dead letters longer than the queue keeps messages.',
      whole: true,
    },
    {
      property: 'maxReceiveCount',
      found: value.maxReceiveCount,
      // On FIFO the messages behind a failing head come back with it, untried: each of its receives is one of theirs.
      least: Math.min(1000, Math.max(5, attempts + 1, fifo ? attempts * batchSize : 0)),
      most: 1000,
      why: 'SQS; at least 5 with Lambda, above the attempts, and on FIFO attempts x batch size',
      remedy: 'Leave it out: it is the last net, not the number of attempts.',
      whole: true,
    },
    ...(value.traffic === undefined
      ? []
      : [
          {
            property: 'traffic',
            found: value.traffic,
            least: 0,
            most: 1_000_000,
            why: 'messages a second in a normal hour',
            remedy: 'Choose a value in that range, or leave it out.',
          },
        ]),
    { property: 'replayMargin', found: value.replayMargin, least: 0, most: 31_536_000, why: 'seconds' },
    {
      property: 'recordLife',
      found: value.recordLife,
      least: retention + deadLetterRetention,
      most: 157_680_000,
      why: 'seconds; a message can come back after both retentions',
      remedy: 'Leave it out, or choose retention + deadLetterRetention or more.',
    },
  ];
}
