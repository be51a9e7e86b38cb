import { equal, ok } from 'node:assert/strict';
import {
  DeleteAlarmsCommand,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
  type PutMetricAlarmCommandInput,
} from '@aws-sdk/client-cloudwatch';
import { type ConformanceCase, group } from '../case.ts';
import { alarm, comesTo, described, inbox, metric, put, stateOf } from './kit/cloudwatch.ts';
import { refused } from './kit/refusal.ts';

const putting = 'CloudWatch API reference, PutMetricAlarm';
const guide = 'CloudWatch user guide, "Using Amazon CloudWatch alarms"';
const wrong = {
  name: [
    'InvalidParameterValueException',
    'InvalidParameterValue',
    'InvalidParameterCombinationException',
    'InvalidParameterCombination',
    'ValidationException',
    'ValidationError',
    'MissingRequiredParameterException',
    'MissingParameter',
  ],
} as const;

/** An alarm that is refused. */
const refusal = (
  name: string,
  title: string,
  input: Partial<PutMetricAlarmCommandInput>,
  says: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: putting, says },
  async run(world) {
    await refused(title.replace(/ (is|are) refused\.$/, ''), wrong, () => alarm(world, input));
  },
});

export const cloudwatchAlarms = group(
  'cloudwatch-alarms',
  'Alarms: their settings and actions',
  ['cloudwatch'],
  [
    {
      name: 'new-alarm',
      title: 'A new alarm is in INSUFFICIENT_DATA, has an ARN, and its actions are on.',
      source: {
        page: putting,
        says: 'when it is created, its state is immediately set to INSUFFICIENT_DATA',
      },
      async run(world) {
        const name = await alarm(world);
        const found = await described(world, name);
        equal(found.StateValue, 'INSUFFICIENT_DATA');
        equal(found.AlarmArn, `arn:aws:cloudwatch:${world.region}:${world.account}:alarm:${name}`);
        equal(found.ActionsEnabled, true);
        equal(
          JSON.stringify([found.AlarmActions, found.OKActions, found.InsufficientDataActions]),
          '[[],[],[]]',
        );
      },
    },
    {
      name: 'update-keeps-the-state',
      title: 'An update of an alarm replaces its settings and keeps its state.',
      source: {
        page: putting,
        says: 'the state is left unchanged when an existing alarm is updated, the rest is overwritten',
      },
      async run(world) {
        const name = await alarm(world, { AlarmDescription: 'first', Threshold: 5 });
        await put(world, name, 'ALARM');
        await alarm(world, { AlarmName: name, Threshold: 7 });
        const found = await described(world, name);
        equal(`${found.StateValue} ${found.Threshold}`, 'ALARM 7');
        equal(found.AlarmDescription, undefined, 'The description of the first version is still there.');
      },
    },
    {
      name: 'set-state-runs-actions',
      title:
        'A state that is set by hand runs the actions of that state, with a message that tells the change.',
      needs: ['sns', 'sqs'],
      source: {
        page: 'CloudWatch API reference, SetAlarmState',
        says: 'when the updated state differs from the previous, the actions for the state are invoked',
      },
      async run(world) {
        const { topicArn, read } = await inbox(world);
        const name = await alarm(world, { AlarmActions: [topicArn], AlarmDescription: 'about' });
        await put(world, name, 'ALARM', 'because I say so');
        const [message] = await read(1);
        equal(message?.AlarmName, name);
        equal(`${message?.OldStateValue} ${message?.NewStateValue}`, 'INSUFFICIENT_DATA ALARM');
        equal(message?.NewStateReason, 'because I say so');
        equal(message?.AlarmDescription, 'about');
        equal(message?.AWSAccountId, world.account);
        const trigger = message?.Trigger as Record<string, unknown> | undefined;
        equal(`${trigger?.MetricName} ${trigger?.Statistic} ${trigger?.Period}`, 'm MAXIMUM 60');
      },
    },
    {
      name: 'same-state-runs-no-actions',
      title: 'A state that is the present one runs no actions.',
      needs: ['sns', 'sqs'],
      source: { page: guide, says: 'actions run for changes of state only' },
      async run(world) {
        const { topicArn, read } = await inbox(world);
        const name = await alarm(world, { AlarmActions: [topicArn] });
        await put(world, name, 'ALARM');
        await put(world, name, 'ALARM');
        await read(1);
        await world.pass(1);
        equal((await read(0)).length, 1);
      },
    },
    {
      name: 'actions-by-state',
      title: 'OK and INSUFFICIENT_DATA have actions of their own.',
      needs: ['sns', 'sqs'],
      source: { page: putting, says: 'AlarmActions, OKActions and InsufficientDataActions' },
      async run(world) {
        const { topicArn, read } = await inbox(world);
        const name = await alarm(world, { OKActions: [topicArn], InsufficientDataActions: [topicArn] });
        await put(world, name, 'ALARM');
        await put(world, name, 'OK');
        await put(world, name, 'INSUFFICIENT_DATA');
        const states = (await read(2)).map(({ NewStateValue }) => NewStateValue);
        equal(states.toSorted().join(), 'INSUFFICIENT_DATA,OK');
      },
    },
    {
      name: 'disabled-actions',
      title: 'Disabled actions do not run, though the state changes; enabled again, they do.',
      needs: ['sns', 'sqs'],
      source: {
        page: 'CloudWatch API reference, DisableAlarmActions',
        says: 'actions are off, the state may change',
      },
      async run(world) {
        const { topicArn, read } = await inbox(world);
        const name = await alarm(world, { AlarmActions: [topicArn], OKActions: [topicArn] });
        await world.cloudwatch.send(new DisableAlarmActionsCommand({ AlarmNames: [name] }));
        await put(world, name, 'ALARM');
        equal((await described(world, name)).ActionsEnabled, false);
        await world.cloudwatch.send(new EnableAlarmActionsCommand({ AlarmNames: [name] }));
        await put(world, name, 'OK');
        await read(1);
        await world.pass(0.5);
        equal((await read(0)).map(({ NewStateValue }) => NewStateValue).join(), 'OK');
      },
    },
    {
      name: 'history',
      title: 'The history has the creation, the change of state and the action, the newest first.',
      needs: ['sns', 'sqs'],
      source: {
        page: 'CloudWatch API reference, DescribeAlarmHistory',
        says: 'ConfigurationUpdate, StateUpdate and Action; newest first by default',
      },
      async run(world) {
        const { topicArn, read } = await inbox(world);
        const name = await alarm(world, { AlarmActions: [topicArn] });
        await world.pass(0.1);
        await put(world, name, 'ALARM');
        await read(1);
        const { AlarmHistoryItems = [] } = await world.cloudwatch.send(
          new DescribeAlarmHistoryCommand({ AlarmName: name }),
        );
        const kinds = AlarmHistoryItems.map(({ HistoryItemType }) => HistoryItemType);
        equal(kinds.at(-1), 'ConfigurationUpdate', `The history is ${kinds.join(', ') || 'empty'}.`);
        equal(kinds.toSorted().join(), 'Action,ConfigurationUpdate,StateUpdate');
        const update = AlarmHistoryItems.find((each) => each.HistoryItemType === 'StateUpdate');
        ok(
          /from INSUFFICIENT_DATA to ALARM/.test(update?.HistorySummary ?? ''),
          `The change is told as "${update?.HistorySummary}".`,
        );
      },
    },
    {
      name: 'described-by-state-prefix-and-action',
      title: 'Alarms are found by the beginning of their name, by state and by action.',
      needs: ['sns', 'sqs'],
      source: {
        page: 'CloudWatch API reference, DescribeAlarms',
        says: 'AlarmNamePrefix, StateValue and ActionPrefix',
      },
      async run(world) {
        const { topicArn } = await inbox(world);
        const AlarmNamePrefix = world.name('many');
        await alarm(world, { AlarmName: `${AlarmNamePrefix}-a`, AlarmActions: [topicArn] });
        await alarm(world, { AlarmName: `${AlarmNamePrefix}-b` });
        await put(world, `${AlarmNamePrefix}-b`, 'ALARM');
        const find = async (by: object) => {
          const { MetricAlarms = [] } = await world.cloudwatch.send(new DescribeAlarmsCommand(by));
          return MetricAlarms.map(({ AlarmName }) => AlarmName?.slice(-1))
            .sort()
            .join();
        };
        equal(await find({ AlarmNamePrefix }), 'a,b');
        equal(await find({ AlarmNamePrefix, StateValue: 'ALARM' }), 'b');
        equal(await find({ AlarmNamePrefix, ActionPrefix: topicArn }), 'a');
      },
    },
    {
      name: 'deleted',
      title: 'A deleted alarm is gone, and so is one that never was: deleting it is no error.',
      source: {
        page: 'CloudWatch API reference, DeleteAlarms',
        says: 'up to 100 alarms; names that are not there',
        conflict:
          'The page speaks of an error for an incorrect name; AWS is known to answer ResourceNotFound for some and nothing for others. The model deletes what is there and says nothing of the rest.',
      },
      async run(world) {
        const name = await alarm(world);
        await world.cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [name] }));
        const { MetricAlarms = [] } = await world.cloudwatch.send(
          new DescribeAlarmsCommand({ AlarmNames: [name] }),
        );
        equal(MetricAlarms.length, 0, 'The alarm is still there.');
      },
    },
    {
      name: 'state-of-an-unknown-alarm',
      title: 'The state of an alarm that does not exist cannot be set.',
      source: { page: 'CloudWatch API reference, SetAlarmState', says: 'ResourceNotFound' },
      async run(world) {
        await refused(
          'a state for an alarm that is not there',
          { name: ['ResourceNotFound', 'ResourceNotFoundException'] },
          () => put(world, world.name('nobody'), 'OK'),
        );
      },
    },
    {
      name: 'metric-math',
      title: 'An alarm may watch an expression over several metrics.',
      source: {
        page: 'CloudWatch user guide, "Create a CloudWatch alarm based on a metric math expression"',
        says: 'up to ten metrics, one returned',
      },
      async run(world) {
        const name = await alarm(world, {
          Metrics: [
            metric('a', 'conformance', 'Sum', { ReturnData: false }),
            metric('b', 'conformance', 'Sum', { MetricName: 'n', ReturnData: false }),
            { Id: 'e', Expression: 'IF(a > 1, b / a, 0)', ReturnData: true },
          ],
        });
        const found = await described(world, name);
        equal(found.Metrics?.map(({ Id }) => Id).join(), 'a,b,e');
        equal(await stateOf(world, name), 'INSUFFICIENT_DATA');
      },
    },
    {
      name: 'percentile-alarm',
      title: 'An alarm may watch a percentile.',
      source: { page: putting, says: 'ExtendedStatistic p0.0 to p100' },
      async run(world) {
        const name = await alarm(world, { ExtendedStatistic: 'p99.9' });
        equal((await described(world, name)).ExtendedStatistic, 'p99.9');
        await put(world, name, 'ALARM');
        await comesTo(world, name, 'ALARM');
      },
    },
    refusal(
      'more-points-than-periods',
      'DatapointsToAlarm above EvaluationPeriods is refused.',
      { EvaluationPeriods: 2, DatapointsToAlarm: 3 },
      'M of N: M is N at most',
    ),
    refusal(
      'no-evaluation-periods',
      'EvaluationPeriods of 0 is refused.',
      { EvaluationPeriods: 0 },
      'EvaluationPeriods is 1 at least',
    ),
    refusal(
      'more-than-a-day',
      'A range of more than a day, of periods under an hour, is refused.',
      { Period: 60, EvaluationPeriods: 1441 },
      'the product is 86,400 s at most with periods under one hour',
    ),
    refusal(
      'more-than-seven-days',
      'A range of more than seven days is refused.',
      { Period: 86_400, EvaluationPeriods: 8 },
      'the product is 604,800 s at most',
    ),
    refusal(
      'period-of-45-seconds',
      'A period of 45 s is refused.',
      { Period: 45 },
      'Period is 10, 20, 30 or a multiple of 60',
    ),
    refusal(
      'unknown-treatment',
      'An unknown treatment of missing data is refused.',
      { TreatMissingData: 'guess' },
      'breaching, notBreaching, ignore, missing',
    ),
    refusal(
      'unknown-comparison',
      'An unknown comparison is refused.',
      { ComparisonOperator: 'Resembles' as never },
      'the comparison operators',
    ),
    refusal(
      'more-than-five-actions',
      'More than five actions of a state are refused.',
      { AlarmActions: [1, 2, 3, 4, 5, 6].map((each) => `arn:aws:sns:us-east-1:000000000000:t${each}`) },
      'five actions',
    ),
    refusal(
      'two-returned-series',
      'An alarm with two returned series is refused.',
      { Metrics: [metric('a', 'conformance', 'Sum'), metric('b', 'conformance', 'Maximum')] },
      'exactly one element returns data',
    ),
    refusal(
      'metric-and-metrics',
      'A metric beside a list of metrics is refused.',
      { MetricName: 'm', Namespace: 'conformance', Metrics: [metric('a', 'conformance', 'Sum')] },
      'either MetricName or Metrics',
    ),
    refusal(
      'more-than-ten-metrics',
      'An expression over more than ten metrics is refused.',
      {
        Metrics: [
          ...Array.from({ length: 11 }, (_, index) =>
            metric(`m${index}`, 'conformance', 'Sum', { ReturnData: false }),
          ),
          { Id: 'e', Expression: 'SUM(METRICS())', ReturnData: true },
        ],
      },
      'up to ten metrics in an expression',
    ),
    refusal(
      'search-in-an-alarm',
      'An alarm on a SEARCH expression is refused.',
      {
        Metrics: [
          {
            Id: 'e',
            Expression: `SEARCH('{AWS/SQS,QueueName} MetricName="NumberOfMessagesSent"', 'Sum', 60)`,
            ReturnData: true,
            Period: 60,
          },
        ],
      },
      'alarms cannot be based on SEARCH expressions',
    ),
  ],
);
