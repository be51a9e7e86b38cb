import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type AlarmDefinition, alarmName, type MissingData, type PhysicalName } from '../monitoring/index.ts';
import { expression } from './metric.ts';
import { pascalCase } from './naming.ts';

/**
 * Props of {@link Alarms}.
 *
 * @example
 * ```ts
 * const props: AlarmsProps = {
 *   definitions: subscriberAlarms(subscriber.definition),
 *   physicalName: subscriber.physicalName,
 *   alarmTopic,
 *   runbook: 'https://wiki.example.com/sluice/watch',
 * };
 * ```
 */
export interface AlarmsProps {
  readonly definitions: readonly AlarmDefinition[];
  /** Gives the physical names of what the definitions watch. */
  readonly physicalName: PhysicalName;
  /**
   * Who hears of them.
   *
   * @default - nobody: the alarms only change their state
   */
  readonly alarmTopic?: ITopic | undefined;
  /**
   * Where the runbook is; the alarm's anchor is appended.
   *
   * @default 'docs/watch.md'
   */
  readonly runbook?: string | undefined;
}

const missing: Readonly<Record<MissingData, TreatMissingData>> = {
  breaching: TreatMissingData.BREACHING,
  notBreaching: TreatMissingData.NOT_BREACHING,
  ignore: TreatMissingData.IGNORE,
  missing: TreatMissingData.MISSING,
};

/**
 * The alarms of one topic or subscriber, as CloudWatch resources.
 *
 * @example
 * ```ts
 * new Alarms(subscriber, 'Alarms', {
 *   definitions: subscriberAlarms(subscriber.definition),
 *   physicalName: subscriber.physicalName,
 * }).byKey.get('payments-A-lag');
 * ```
 */
export class Alarms extends Construct {
  /** By the key of their definition. */
  readonly byKey: ReadonlyMap<string, Alarm>;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const stackName = Stack.of(this).stackName;
    this.byKey = new Map(
      props.definitions.map((definition) => {
        const alarm = new Alarm(this, constructId(definition), {
          alarmName: alarmName(stackName, definition),
          alarmDescription: `[${definition.severity}] ${definition.title}. Runbook: ${props.runbook ?? 'docs/watch.md'}#${definition.runbook}`,
          metric: expression(definition.expression, definition.metrics, props.physicalName),
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          threshold: definition.threshold,
          datapointsToAlarm: definition.datapointsToAlarm,
          evaluationPeriods: definition.evaluationPeriods,
          treatMissingData: missing[definition.treatMissingData],
        });
        if (props.alarmTopic !== undefined) {
          const action = new SnsAction(props.alarmTopic);
          alarm.addAlarmAction(action);
          if (definition.notifyOnOk) alarm.addOkAction(action);
        }
        return [definition.key, alarm] as const;
      }),
    );
  }
}

/** What the alarm is, without whose it is: the scope says that. */
const constructId = ({ key, subject }: AlarmDefinition): string =>
  pascalCase(key.slice(subject.name.length + 1));
