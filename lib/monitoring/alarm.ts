import type { Seconds } from '../topology/index.ts';
import type { MetricDefinition } from './metrics.ts';

/** Which rule: the ids under which the operations guide knows them. */
export type AlarmId = 'A' | 'E' | 'G1' | 'G2' | 'H' | 'I2' | 'J';

/** How much an alarm matters: `page` wakes somebody, `ticket` waits for the morning. */
export type Severity = 'page' | 'ticket';

/** What an alarm does with a period that has no data: CloudWatch's own words. */
export type MissingData = 'breaching' | 'notBreaching' | 'ignore' | 'missing';

/**
 * One alarm, ready to be made in CloudWatch or evaluated by the model.
 *
 * @example
 * ```ts
 * const [lag]: AlarmDefinition[] = subscriberAlarms(shop.subscribers.payments);
 * lag?.threshold; // 60, the SLO
 * ```
 */
export interface AlarmDefinition {
  /** The rule it comes from. */
  readonly id: AlarmId;
  /** Unique among a stack's alarms, the same in every deployment: `payments-A-lag`. */
  readonly key: string;
  /** What it watches, by its name in the declaration. */
  readonly subject:
    | { readonly kind: 'subscriber'; readonly name: string }
    | { readonly kind: 'topic'; readonly name: string };
  /** What is wrong when it fires, in one line. */
  readonly title: string;
  readonly severity: Severity;
  readonly metrics: readonly MetricDefinition[];
  /** CloudWatch metric math over the ids of `metrics`; the id alone where a metric is compared as it is. */
  readonly expression: string;
  readonly comparison: 'GreaterThanThreshold';
  readonly threshold: number;
  /** Seconds; the period of every metric of the alarm. */
  readonly period: Seconds;
  /** M: how many of the last N periods must breach. */
  readonly datapointsToAlarm: number;
  /** N. */
  readonly evaluationPeriods: number;
  readonly treatMissingData: MissingData;
  /** Whether the return to normal is announced as well. */
  readonly notifyOnOk: boolean;
  /** Anchor of the section in the runbook that says what to do. */
  readonly runbook: string;
}
