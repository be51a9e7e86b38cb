import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarmRule,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import {
  type AlarmDefinition,
  alarmDescription,
  alarmName,
  announcing,
  type CompositeAlarmDefinition,
  type CompositeRule,
  defaultRunbook,
  type MetricAlarmDefinition,
  type MissingData,
  type PhysicalName,
  type Severity,
  validateAlarms,
} from '../monitoring/index.ts';
import { allowAlarms } from './alarm-topic.ts';
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
   * Who hears of alarms that page.
   *
   * @default - `ticketTopic`; nobody without one: the alarms only change their state
   */
  readonly alarmTopic?: ITopic | undefined;
  /**
   * Who hears of alarms that can wait.
   *
   * @default - `alarmTopic`
   */
  readonly ticketTopic?: ITopic | undefined;
  /**
   * Where the runbook is; the alarm's anchor is appended.
   *
   * @default 'node_modules/sluice/docs/watch.md', the page that comes with the package
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
 * The alarms of one topic or subscriber, as CloudWatch resources. What a composite speaks for changes its state and
 * notifies nobody; all others notify when they go off, and those whose end is news then too. CloudWatch is let in on the
 * topics that hear of them: see {@link allowAlarms}.
 *
 * @throws Error when the stack has alarms of these names already
 * @throws AlarmError listing everything that CloudWatch would refuse about the definitions
 * @example
 * ```ts
 * new Alarms(subscriber, 'Alarms', {
 *   definitions: subscriberAlarms(subscriber.definition),
 *   physicalName: subscriber.physicalName,
 *   alarmTopic,
 * }).byKey.get('payments-A-lag');
 * ```
 */
export class Alarms extends Construct {
  /** By the key of their definition. */
  readonly byKey: ReadonlyMap<string, AlarmBase>;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { definitions, runbook = defaultRunbook } = props;
    const { stackName } = Stack.of(this);
    validateAlarms(definitions, { nameOf: (key) => alarmName(stackName, { key }), runbook });
    demandOwnNames(this, definitions);
    const aloud = announcing(definitions);
    const made = new Map<string, AlarmBase>();
    for (const definition of definitions) {
      const names = {
        alarmName: alarmName(stackName, definition),
        alarmDescription: alarmDescription(definition, runbook),
      };
      const alarm =
        definition.kind === 'metric'
          ? metricAlarm(this, definition, names, props.physicalName)
          : compositeAlarm(this, definition, names, made);
      made.set(definition.key, alarm);
      const topic = topicOf(definition.severity, props);
      if (topic === undefined || !aloud.has(definition.key)) continue;
      allowAlarms(topic, this);
      const action = new SnsAction(topic);
      alarm.addAlarmAction(action);
      if (definition.notifyOnOk) alarm.addOkAction(action);
    }
    this.byKey = made;
  }
}

/** The names of a stack's alarms, with who made them. */
const namesOf = new WeakMap<Stack, Map<string, Construct>>();

/** Two alarms of one name: CloudWatch has the name once in an account and region, and the deployment would fail. */
function demandOwnNames(scope: Construct, definitions: readonly AlarmDefinition[]): void {
  const stack = Stack.of(scope);
  const names = namesOf.get(stack) ?? new Map<string, Construct>();
  namesOf.set(stack, names);
  for (const { key, subject } of definitions) {
    const first = names.get(key);
    if (first !== undefined)
      throw new Error(
        `${scope.node.path}: ${first.node.path} has the alarm ${JSON.stringify(alarmName(stack.stackName, { key }))} already. Names of alarms are unique in an account and region: give one of the two another "name" than ${JSON.stringify(subject.name)}.`,
      );
    names.set(key, scope);
  }
}

interface Names {
  readonly alarmName: string;
  readonly alarmDescription: string;
}

const topicOf = (
  severity: Severity,
  { alarmTopic, ticketTopic }: Pick<AlarmsProps, 'alarmTopic' | 'ticketTopic'>,
): ITopic | undefined => (severity === 'page' ? (alarmTopic ?? ticketTopic) : (ticketTopic ?? alarmTopic));

const metricAlarm = (
  scope: Construct,
  definition: MetricAlarmDefinition,
  names: Names,
  physicalName: PhysicalName,
): Alarm =>
  new Alarm(scope, constructId(definition), {
    ...names,
    metric: expression(definition.expression, definition.metrics, physicalName),
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    threshold: definition.threshold,
    datapointsToAlarm: definition.datapointsToAlarm,
    evaluationPeriods: definition.evaluationPeriods,
    treatMissingData: missing[definition.treatMissingData],
  });

function compositeAlarm(
  scope: Construct,
  definition: CompositeAlarmDefinition,
  names: Names,
  made: ReadonlyMap<string, AlarmBase>,
): CompositeAlarm {
  const { rule, suppressor } = definition;
  return new CompositeAlarm(scope, constructId(definition), {
    compositeAlarmName: names.alarmName,
    alarmDescription: names.alarmDescription,
    alarmRule: ruleOf(rule, made),
    ...(suppressor === undefined
      ? {}
      : {
          actionsSuppressor: made.get(suppressor.key) as AlarmBase,
          actionsSuppressorWaitPeriod: Duration.seconds(suppressor.wait),
          actionsSuppressorExtensionPeriod: Duration.seconds(suppressor.extension),
        }),
  });
}

/** By ARN, not by name: so CloudFormation makes the members first, and deletes them last. */
function ruleOf(rule: CompositeRule, made: ReadonlyMap<string, AlarmBase>): IAlarmRule {
  if (typeof rule === 'string') return AlarmRule.fromAlarm(made.get(rule) as AlarmBase, AlarmState.ALARM);
  return 'any' in rule
    ? AlarmRule.anyOf(...rule.any.map((part) => ruleOf(part, made)))
    : AlarmRule.allOf(...rule.all.map((part) => ruleOf(part, made)));
}

/** What the alarm is, without whose it is: the scope says that. */
const constructId = ({ key, subject }: AlarmDefinition): string =>
  pascalCase(key.slice(subject.name.length + 1));
