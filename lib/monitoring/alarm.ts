import type { Seconds } from '../topology/index.ts';
import type { CompositeRule } from './composite.ts';
import type { MetricDefinition } from './metrics.ts';

/** Which rule: the ids under which the operations guide knows them. */
export type AlarmId =
  | 'A'
  | 'A2'
  | 'B'
  | 'C1'
  | 'C2'
  | 'C3'
  | 'D'
  | 'E'
  | 'E2'
  | 'F'
  | 'G1'
  | 'G2'
  | 'G3'
  | 'H'
  | 'I1'
  | 'I2'
  | 'J'
  | 'K'
  | 'L';

/** How much an alarm matters: `page` wakes somebody, `ticket` waits for the morning. */
export type Severity = 'page' | 'ticket';

/** What an alarm does with a period that has no data: CloudWatch's own words. */
export type MissingData = 'breaching' | 'notBreaching' | 'ignore' | 'missing';

/** What every alarm has. */
export interface AlarmFacts {
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
  /** Whether the return to normal is announced as well. */
  readonly notifyOnOk: boolean;
  /** Anchor of the section in the runbook that says what to do. */
  readonly runbook: string;
}

/**
 * An alarm on a metric or an expression, ready to be made in CloudWatch or evaluated by the model.
 *
 * @example
 * ```ts
 * const lag = subscriberAlarms(shop.subscribers.payments)[0] as MetricAlarmDefinition;
 * lag.threshold; // 60, the SLO
 * ```
 */
export interface MetricAlarmDefinition extends AlarmFacts {
  readonly kind: 'metric';
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
}

/**
 * An alarm on other alarms. Those say nothing themselves while there is one that speaks for them.
 *
 * @example
 * ```ts
 * const page = subscriberAlarms(shop.subscribers.payments).find(({ key }) => key === 'payments-L-page');
 * if (page?.kind === 'composite') membersOf(page.rule); // ['payments-A-lag', ...]
 * ```
 */
export interface CompositeAlarmDefinition extends AlarmFacts {
  readonly kind: 'composite';
  /** When it is in alarm, by the keys of other alarms of the stack, which come before it. */
  readonly rule: CompositeRule;
  /** Holds its actions back while another alarm is in alarm. */
  readonly suppressor?: Suppressor | undefined;
}

/** An alarm whose ALARM holds back the actions of a composite. */
export interface Suppressor {
  /** Its key. */
  readonly key: string;
  /** How long every action waits for it to go off. */
  readonly wait: Seconds;
  /** How long actions are held back after its end. */
  readonly extension: Seconds;
}

/**
 * One alarm as data: on a metric or an expression, or on other alarms. Told apart by `kind`.
 *
 * @example
 * ```ts
 * const thresholds = alarmsOf(shop).flatMap((alarm) => (alarm.kind === 'metric' ? [alarm.threshold] : []));
 * ```
 */
export type AlarmDefinition = MetricAlarmDefinition | CompositeAlarmDefinition;
