import type { Milliseconds } from '../../lib/base/index.ts';

/**
 * What an invocation counts, by metric.
 *
 * @example
 * ```ts
 * const record = (subscriber: string, { processed, failed }: Measures) =>
 *   console.log(subscriber, processed, failed);
 * ```
 */
export interface Measures {
  /** Events whose effect happened now. */
  processed: number;
  /** Tries that failed. */
  failed: number;
  /** Deliveries of what was done before. */
  duplicates: number;
  /** Deliveries that met a live owner. */
  deferred: number;
  /** Events past their expiry. */
  expired: number;
  /** Events that the subscriber did not ask for. */
  unwanted: number;
  /** Events older than the last one applied of their key, dropped by the guard of sequences. */
  stale: number;
  /** Deliveries of groups that wait behind a dead letter, given back untouched. */
  parked: number;
  /** Dead letters by reason. */
  readonly deadLettered: Map<string, number>;
  /** How long each handler ran. */
  readonly handlerTimes: Milliseconds[];
}

/**
 * Where measures go, once for each invocation. The default prints them in CloudWatch's embedded metric format;
 * any other can be handed in.
 *
 * @example
 * ```ts
 * const metrics: Metrics = { record: (subscriber, measures) => statsd.send(subscriber, measures) };
 * consume(messaging, 'payments', handler, { metrics });
 * ```
 */
export interface Metrics {
  /** Takes the measures of one invocation of the subscriber's function. */
  record(subscriber: string, measures: Measures): void;
}

export const noMeasures = (): Measures => ({
  processed: 0,
  failed: 0,
  duplicates: 0,
  deferred: 0,
  expired: 0,
  unwanted: 0,
  stale: 0,
  parked: 0,
  deadLettered: new Map(),
  handlerTimes: [],
});
