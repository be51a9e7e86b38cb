import { equal, ok } from 'node:assert/strict';
import type { PutMetricAlarmCommandInput, StateValue } from '@aws-sdk/client-cloudwatch';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import type { World } from '../world.ts';
import {
  alarm,
  described,
  inbox,
  metric,
  namespaceOf,
  nextMinute,
  publish,
  stateOf,
} from './kit/cloudwatch.ts';
import { queue } from './kit/sqs.ts';

const evaluating = 'CloudWatch user guide, "Alarm evaluation"';
const missing = 'CloudWatch user guide, "Configuring how CloudWatch alarms treat missing data"';
const mathPage = 'CloudWatch user guide, "Create a CloudWatch alarm based on a metric math expression"';

/** A value for each minute; `undefined` where nothing is published. */
type Values = readonly (number | undefined)[];

/** Publishes a value a minute and tells the state after each of them. */
async function play(
  world: World,
  values: Values,
  input: Partial<PutMetricAlarmCommandInput> = {},
): Promise<{ states: (StateValue | undefined)[]; name: string; namespace: string }> {
  const namespace = namespaceOf(world);
  await nextMinute(world, 1);
  const name = await alarm(world, { Namespace: namespace, ...input });
  const states: (StateValue | undefined)[] = [];
  for (const Value of values) {
    if (Value !== undefined) await publish(world, namespace, [{ Value }]);
    await nextMinute(world, 1);
    states.push(await stateOf(world, name));
  }
  return { states, name, namespace };
}

const short: Readonly<Record<StateValue, string>> = { OK: 'ok', ALARM: 'ALARM', INSUFFICIENT_DATA: 'none' };

/** A row of values and the states that follow them. */
const row = (
  name: string,
  title: string,
  values: Values,
  expected: string,
  input: Partial<PutMetricAlarmCommandInput>,
  source: Partial<ConformanceCase['source']> & { says: string },
): ConformanceCase => ({
  name,
  title,
  hours: true,
  source: { page: evaluating, ...source },
  async run(world) {
    const { states } = await play(world, values, input);
    const found = states.map((state) => short[state ?? 'INSUFFICIENT_DATA']).join(' ');
    equal(found, expected, `After ${values.map((each) => each ?? '-').join(' ')} the states are ${found}.`);
  },
});

const gap = undefined;

export const cloudwatchEvaluation = group(
  'cloudwatch-evaluation',
  'Alarms: how they are evaluated',
  ['cloudwatch'],
  [
    row(
      'one-of-one',
      'One of one: the alarm follows each point.',
      [0, 1, 0, 1],
      'ok ALARM ok ALARM',
      {},
      {
        says: 'the alarm goes off when M of N points breach',
      },
    ),
    row(
      'threshold-is-no-breach',
      'A value at the threshold does not breach GreaterThanThreshold, and does GreaterThanOrEqualToThreshold.',
      [5, 6],
      'ok ALARM',
      { Threshold: 5 },
      { says: 'the comparison operators' },
    ),
    row(
      'at-the-threshold',
      'A value at the threshold breaches GreaterThanOrEqualToThreshold.',
      [4, 5],
      'ok ALARM',
      { Threshold: 5, ComparisonOperator: 'GreaterThanOrEqualToThreshold' },
      { says: 'the comparison operators' },
    ),
    row(
      'less-than',
      'LessThanThreshold goes off below.',
      [5, 4],
      'ok ALARM',
      { Threshold: 5, ComparisonOperator: 'LessThanThreshold' },
      { says: 'the comparison operators' },
    ),
    row(
      'three-of-three',
      'Three of three: a good point in between begins anew.',
      [1, 1, 0, 1, 1, 1, 0],
      'ok ok ok ok ok ALARM ok',
      { EvaluationPeriods: 3, TreatMissingData: 'notBreaching' },
      { says: 'all N points have to breach when M is not given' },
    ),
    row(
      'two-of-three',
      'Two of three: the breaching points need not follow each other.',
      [1, 0, 1, 0, 0, 1, 1],
      'ok ok ALARM ok ok ok ALARM',
      { EvaluationPeriods: 3, DatapointsToAlarm: 2, TreatMissingData: 'notBreaching' },
      { says: 'M of N points within the evaluation interval' },
    ),
    row(
      'missing-is-missing',
      'Treated as missing, a series that ends leaves INSUFFICIENT_DATA once nothing real is in the range.',
      [1, gap, gap, gap, gap],
      'ALARM ALARM ALARM none none',
      {},
      {
        page: missing,
        says: 'missing: with all points of the evaluation range missing, INSUFFICIENT_DATA',
        conflict:
          'The page gives no length of the range ("a higher number of data points"); its tables show five points for N = 3. The model looks two periods further back than N.',
      },
    ),
    row(
      'missing-is-breaching',
      'Treated as breaching, missing points set the alarm off.',
      [0, gap, gap, gap],
      'ok ok ok ALARM',
      { TreatMissingData: 'breaching' },
      {
        page: missing,
        says: 'as long as N real points are in the range they decide; afterwards missing ones breach',
        conflict: 'The length of the range is not told; the model looks two periods further back than N.',
      },
    ),
    row(
      'missing-is-not-breaching',
      'Treated as not breaching, missing points end the alarm.',
      [1, gap, gap, gap],
      'ALARM ALARM ALARM ok',
      { TreatMissingData: 'notBreaching' },
      {
        page: missing,
        says: 'as long as N real points are in the range they decide; afterwards missing ones are good',
        conflict: 'The length of the range is not told; the model looks two periods further back than N.',
      },
    ),
    row(
      'missing-is-ignored',
      'Treated as ignored, the state stays while nothing comes.',
      [1, gap, gap, gap, gap, gap],
      'ALARM ALARM ALARM ALARM ALARM ALARM',
      { TreatMissingData: 'ignore' },
      { page: missing, says: 'ignore: the current state is kept' },
    ),
    row(
      'no-data-at-all',
      'Without any data, breaching alarms, notBreaching is OK, missing stays without data.',
      [gap, gap],
      'none none',
      { TreatMissingData: 'missing' },
      { page: missing, says: 'the table of treatments' },
    ),
    row(
      'no-data-breaching',
      'Without any data an alarm that treats it as breaching goes off.',
      [gap],
      'ALARM',
      { TreatMissingData: 'breaching' },
      { page: missing, says: 'the table of treatments' },
    ),
    row(
      'no-data-not-breaching',
      'Without any data an alarm that treats it as not breaching is OK.',
      [gap],
      'ok',
      { TreatMissingData: 'notBreaching' },
      { page: missing, says: 'the table of treatments' },
    ),
    row(
      'premature-alarm-is-avoided',
      'One breaching point and nothing else does not set off three of three while it is young.',
      [1, gap, gap],
      'ok ok ALARM',
      { EvaluationPeriods: 3 },
      {
        page: missing,
        says: 'when the oldest breaching point is as old as M and all others are breaching or missing, it goes into ALARM; before, it is kept from going off too early',
      },
    ),
    row(
      'dynamodb-ignores-missing',
      'An alarm on a metric of DynamoDB ignores missing data, whatever it says.',
      [gap, gap],
      'none none',
      { Namespace: 'AWS/DynamoDB', MetricName: 'ThrottledRequests', TreatMissingData: 'breaching' },
      { page: missing, says: 'alarms on metrics of AWS/DynamoDB always ignore missing data' },
    ),
    {
      name: 'sliding-window',
      title: 'With a period of five minutes a breach is seen a minute later, not at the end of the period.',
      hours: true,
      source: {
        page: 'CloudWatch user guide, "Alarm evaluation window"',
        says: 'a sliding window is evaluated each minute and ends at the evaluation; it is the default',
      },
      async run(world) {
        const namespace = namespaceOf(world);
        const five = 300_000;
        await world.pass((five - (world.now() % five)) / 1000 + 1);
        const name = await alarm(world, {
          Namespace: namespace,
          Period: 300,
          Statistic: 'Sum',
          Threshold: 5,
        });
        await publish(world, namespace, [{ Value: 1 }]);
        await nextMinute(world, 1);
        equal(await stateOf(world, name), 'OK');
        await publish(world, namespace, [{ Value: 9 }]);
        await nextMinute(world, 1);
        equal(await stateOf(world, name), 'ALARM', 'The alarm waits for the end of its five minutes.');
      },
    },
    {
      name: 'sum-over-a-longer-period',
      title: 'The statistic is taken over the whole period.',
      hours: true,
      source: { page: evaluating, says: 'each point is the statistic of one period' },
      async run(world) {
        const namespace = namespaceOf(world);
        await nextMinute(world, 1);
        const name = await alarm(world, {
          Namespace: namespace,
          Period: 300,
          Statistic: 'Sum',
          Threshold: 5,
        });
        const states: string[] = [];
        for (let count = 0; count < 4; count++) {
          await publish(world, namespace, [{ Value: 2 }]);
          await nextMinute(world, 1);
          states.push((await stateOf(world, name)) ?? '');
        }
        equal(states.join(), 'OK,OK,ALARM,ALARM');
      },
    },
    {
      name: 'metric-math',
      title: 'An alarm on an expression goes off when the expression does.',
      hours: true,
      source: { page: mathPage, says: 'the alarm watches the expression that returns data' },
      async run(world) {
        const namespace = namespaceOf(world);
        await nextMinute(world, 1);
        const name = await alarm(world, {
          Metrics: [
            metric('sent', namespace, 'Sum', { MetricName: 'sent', ReturnData: false }),
            metric('done', namespace, 'Sum', { MetricName: 'done', ReturnData: false }),
            { Id: 'e', Expression: 'IF(sent > done, 1, 0)', ReturnData: true },
          ],
        });
        const states: string[] = [];
        for (const [sent, done] of [
          [5, 5],
          [6, 5],
          [5, 6],
        ]) {
          await publish(world, namespace, [
            { MetricName: 'sent', Value: sent },
            { MetricName: 'done', Value: done },
          ]);
          await nextMinute(world, 1);
          states.push((await stateOf(world, name)) ?? '');
        }
        equal(states.join(), 'OK,ALARM,OK');
      },
    },
    {
      name: 'metric-math-fill',
      title: 'FILL lets an alarm see a metric that has stopped.',
      hours: true,
      source: { page: mathPage, says: 'FILL(metric, value) has a point in every period' },
      async run(world) {
        const namespace = namespaceOf(world);
        await nextMinute(world, 1);
        const name = await alarm(world, {
          Metrics: [
            metric('visible', namespace, 'Maximum', { MetricName: 'visible', ReturnData: false }),
            metric('done', namespace, 'Sum', { MetricName: 'done', ReturnData: false }),
            { Id: 'e', Expression: 'IF(visible > 0 AND FILL(done, 0) == 0, 1, 0)', ReturnData: true },
          ],
        });
        await publish(world, namespace, [
          { MetricName: 'visible', Value: 3 },
          { MetricName: 'done', Value: 3 },
        ]);
        await nextMinute(world, 1);
        equal(await stateOf(world, name), 'OK');
        await publish(world, namespace, [{ MetricName: 'visible', Value: 3 }]);
        await nextMinute(world, 1);
        equal(await stateOf(world, name), 'ALARM');
      },
    },
    {
      name: 'reason-tells-the-points',
      title: 'The reason names the points that decided, the threshold, and how many were needed.',
      hours: true,
      source: { page: evaluating, says: 'StateReason and StateReasonData explain the state' },
      async run(world) {
        const { name } = await play(world, [0, 7], { Threshold: 5 });
        const { StateReason = '', StateReasonData = '{}' } = await described(world, name);
        ok(
          /Threshold Crossed: 1 .*\[7\.0 .*greater than the threshold \(5\.0\)/.test(StateReason),
          `The reason is "${StateReason}".`,
        );
        const data = JSON.parse(StateReasonData) as { threshold?: number; recentDatapoints?: number[] };
        equal(`${data.threshold} ${data.recentDatapoints?.join()}`, '5 7');
      },
    },
    {
      name: 'actions-once-for-each-change',
      title: 'Actions run once at each change, and not again while the alarm stays.',
      hours: true,
      needs: ['sns', 'sqs'],
      source: {
        page: 'CloudWatch user guide, "Alarm actions"',
        says: 'actions are invoked for changes of state only',
      },
      async run(world) {
        const { topicArn, read } = await inbox(world);
        await play(world, [0, 1, 1, 1, 0], { AlarmActions: [topicArn], OKActions: [topicArn] });
        const states = (await read(1)).map(({ NewStateValue }) => NewStateValue);
        equal(states.join(), 'OK,ALARM,OK');
      },
    },
    {
      name: 'alarm-on-the-depth-of-a-queue',
      title: 'An alarm on the visible messages of a queue goes off within two minutes.',
      hours: true,
      needs: ['sqs'],
      source: {
        page: 'SQS developer guide, "Creating CloudWatch alarms for Amazon SQS metrics"',
        says: 'an alarm on ApproximateNumberOfMessagesVisible',
      },
      async run(world) {
        const url = await queue(world, {});
        const name = await alarm(world, {
          Namespace: 'AWS/SQS',
          MetricName: 'ApproximateNumberOfMessagesVisible',
          Dimensions: [{ Name: 'QueueName', Value: url.split('/').at(-1) }],
          TreatMissingData: 'notBreaching',
        });
        await world.sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'here' }));
        await nextMinute(world, 1);
        await nextMinute(world, 1);
        equal(await stateOf(world, name), 'ALARM');
      },
    },
  ],
);
