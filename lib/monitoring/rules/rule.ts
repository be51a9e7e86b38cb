import { type AlarmProfile, seconds } from '../../topology/index.ts';
import type { AlarmFacts, AlarmId, CompositeAlarmDefinition, MetricAlarmDefinition } from '../alarm.ts';
import type { WatchedFacts, WatchedTopic } from '../watched.ts';

type Without<Definition> = Omit<
  Definition,
  Exclude<keyof AlarmFacts, 'title' | 'severity' | 'notifyOnOk' | 'runbook'>
>;

/** An alarm before it has a name. */
export type Watch = Without<MetricAlarmDefinition> | Without<CompositeAlarmDefinition>;

/** A rule makes one alarm for each subscriber. */
export interface SubscriberRule {
  readonly id: AlarmId;
  /** Last part of the alarm's key. */
  readonly name: string;
  /** The smallest set that has it: what is in `lean` is in `full` too. */
  readonly set: AlarmProfile;
  /** Left out: every subscriber has it. */
  readonly applies?: (watched: WatchedFacts) => boolean;
  readonly make: (watched: WatchedFacts) => Watch;
}

/** A rule makes one alarm for each topic. */
export interface TopicRule extends Pick<SubscriberRule, 'id' | 'name'> {
  readonly applies?: (topic: WatchedTopic) => boolean;
  readonly make: (topic: WatchedTopic) => Watch;
}

/** One point a minute is what SQS, SNS and Lambda publish (their developer guides, "Monitoring"). */
export const minute = seconds(60);
export const fiveMinutes = seconds(300);

/** What most rules share: one-minute points, and silence (an idle queue publishes nothing) is health. */
export const common = {
  kind: 'metric',
  comparison: 'GreaterThanThreshold',
  threshold: 0,
  period: minute,
  datapointsToAlarm: 1,
  evaluationPeriods: 1,
  treatMissingData: 'notBreaching',
  notifyOnOk: true,
} as const satisfies Partial<Watch>;

/** A number in an expression: plain digits, which the exponents of JavaScript are not. */
export const digits = (value: number): string => String(Number(value.toFixed(6)));
