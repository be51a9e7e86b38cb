import type {
  DescribeAlarmHistoryCommandOutput,
  PutMetricAlarmCommandInput,
} from '@aws-sdk/client-cloudwatch';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { createCloudWatch } from '../../../local/cloudwatch/index.ts';
import { ServiceError } from '../../../local/service.ts';
import { cloudWatchOnVirtualClock, MINUTE, TOPIC } from './fixture.ts';

const math = (
  ...Metrics: NonNullable<PutMetricAlarmCommandInput['Metrics']>
): Partial<PutMetricAlarmCommandInput> => ({
  Namespace: undefined,
  MetricName: undefined,
  Statistic: undefined,
  Period: undefined,
  Metrics,
});
const metric = (Id: string, Period = 60, MetricName = Id) => ({
  Id,
  ReturnData: false,
  MetricStat: { Metric: { Namespace: 'test', MetricName }, Period, Stat: 'Sum' },
});

describe('an alarm', () => {
  it('starts without data, changes state at full minutes, and tells each change once', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ Threshold: 5 });
    expect(model.describe()).toMatchObject({ StateValue: 'INSUFFICIENT_DATA', ActionsEnabled: true });

    const values = [1, 9, 9, 2];
    await model.minutes(4, (minute) => model.cloudwatch.metrics.count('test', 'metric', {}, values[minute]!));

    expect(model.changes.map(({ from, to, minute }) => [minute, from, to])).toEqual([
      [1, 'INSUFFICIENT_DATA', 'OK'],
      [2, 'OK', 'ALARM'],
      [4, 'ALARM', 'OK'],
    ]);
    expect(model.changes[1]!.reason).toBe(
      'Threshold Crossed: 1 out of the last 1 datapoint [9.0 (01/01/26 00:01:00)] was greater than the threshold (5.0) (minimum 1 datapoint for OK -> ALARM transition).',
    );
    expect(model.cloudwatch.alarms()).toMatchObject([
      { name: 'alarm', state: 'OK', changedAt: model.clock.now() },
    ]);
  });

  it("sends AWS's message to the topics of the new state", async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({
      AlarmName: 'payments lag',
      AlarmDescription: 'runbook',
      AlarmActions: [TOPIC],
      OKActions: [`${TOPIC}-ok`],
      Dimensions: [{ Name: 'QueueName', Value: 'payments' }],
      TreatMissingData: 'notBreaching',
    });
    await model.minutes(1, () =>
      model.cloudwatch.metrics.count('test', 'metric', { QueueName: 'payments' }, 7),
    );

    expect(model.sent).toEqual([
      {
        topicArn: TOPIC,
        subject: 'ALARM: "payments lag" in EU (Frankfurt)',
        message: {
          AlarmName: 'payments lag',
          AlarmDescription: 'runbook',
          AWSAccountId: '123456789012',
          AlarmConfigurationUpdatedTimestamp: '2026-01-01T00:00:00.000+0000',
          NewStateValue: 'ALARM',
          NewStateReason: expect.stringContaining('Threshold Crossed: 1 out of the last 1 datapoint [7.0'),
          StateChangeTime: '2026-01-01T00:01:00.000+0000',
          Region: 'EU (Frankfurt)',
          AlarmArn: 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:payments lag',
          OldStateValue: 'INSUFFICIENT_DATA',
          OKActions: [`${TOPIC}-ok`],
          AlarmActions: [TOPIC],
          InsufficientDataActions: [],
          Trigger: {
            MetricName: 'metric',
            Namespace: 'test',
            StatisticType: 'Statistic',
            Statistic: 'MAXIMUM',
            Unit: null,
            Dimensions: [{ value: 'payments', name: 'QueueName' }],
            Period: 60,
            EvaluationPeriods: 1,
            DatapointsToAlarm: 1,
            ComparisonOperator: 'GreaterThanThreshold',
            Threshold: 0,
            TreatMissingData: 'notBreaching',
            EvaluateLowSampleCountPercentile: '',
          },
        },
      },
    ]);
    await model.minutes(5);
    expect(model.sent.map(({ topicArn }) => topicArn)).toEqual([TOPIC, `${TOPIC}-ok`]);
  });

  it('on an expression sends the metrics of the expression', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({
      ...math({ Id: 'e1', Expression: 'a + b', Label: 'both' }, metric('a'), metric('b')),
      AlarmActions: [TOPIC],
    });
    await model.minutes(1, () => model.cloudwatch.metrics.count('test', 'a', {}, 7));
    expect(model.sent[0]!.message.Trigger).toMatchObject({
      Period: 60,
      Metrics: [
        { Id: 'e1', Expression: 'a + b', Label: 'both', ReturnData: true },
        {
          Id: 'a',
          MetricStat: { Metric: { MetricName: 'a', Namespace: 'test' }, Stat: 'Sum' },
          ReturnData: false,
        },
        { Id: 'b', ReturnData: false },
      ],
    });
  });

  it.each([
    ['GreaterThanThreshold', [false, false, true]],
    ['GreaterThanOrEqualToThreshold', [false, true, true]],
    ['LessThanThreshold', [true, false, false]],
    ['LessThanOrEqualToThreshold', [true, true, false]],
  ] as const)('compares by %s', async (ComparisonOperator, expected) => {
    const states: boolean[] = [];
    for (const value of [4, 5, 6]) {
      const model = cloudWatchOnVirtualClock();
      model.alarm({ ComparisonOperator, Threshold: 5 });
      await model.minutes(1, () => model.cloudwatch.metrics.count('test', 'metric', {}, value));
      states.push(model.describe().StateValue === 'ALARM');
    }
    expect(states).toEqual(expected);
  });

  it('3 of 5 needs three breaching minutes, in any order', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ EvaluationPeriods: 5, DatapointsToAlarm: 3 });
    const values = [0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0];
    await model.minutes(values.length, (minute) =>
      model.cloudwatch.metrics.count('test', 'metric', {}, values[minute]!),
    );
    expect(model.changes.slice(1).map(({ to, minute }) => [minute, to])).toEqual([
      [10, 'ALARM'],
      [11, 'OK'],
    ]);
  });

  it('with a period of 5 minutes looks at a window that slides by the minute', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ Statistic: 'Sum', Period: 300, Threshold: 9 });
    // Five minutes with one each from minute 3 on, twice the rate after minute 8.
    await model.minutes(15, (minute) => {
      if (minute >= 3) model.cloudwatch.metrics.count('test', 'metric', {}, minute >= 8 ? 2 : 1);
    });
    // The sum of [m-5, m) is above 9 first for m = 13: only the full window at twice the rate.
    expect(model.changes.at(-1)).toMatchObject({ to: 'ALARM', minute: 13 });
  });

  it.each([
    ['its own', {}, { EvaluationWindow: { WallClockWindow: {} } }],
    ["the model's", { evaluationWindow: 'wallClock' }, {}],
  ] as const)(
    'with a wall clock window, %s, looks at full periods of the clock only',
    async (_, options, own) => {
      const model = cloudWatchOnVirtualClock(options);
      model.alarm({ Statistic: 'Sum', Period: 300, Threshold: 9, ...own });
      await model.minutes(20, (minute) => {
        if (minute >= 3) model.cloudwatch.metrics.count('test', 'metric', {}, minute >= 8 ? 2 : 1);
      });
      expect(model.changes.at(-1)).toMatchObject({ to: 'ALARM', minute: 15 });
    },
  );

  it('forgets a missing metric after its evaluation range, by its own treatment of missing data', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ AlarmName: 'missing' });
    model.alarm({ AlarmName: 'ignore', TreatMissingData: 'ignore' });
    model.alarm({
      AlarmName: 'breaching',
      TreatMissingData: 'breaching',
      ComparisonOperator: 'LessThanThreshold',
    });
    model.alarm({ AlarmName: 'notBreaching', TreatMissingData: 'notBreaching' });
    await model.minutes(6, (minute) => {
      if (minute === 0) model.cloudwatch.metrics.count('test', 'metric', {}, 1);
    });
    const ends = Object.fromEntries(model.cloudwatch.alarms().map(({ name, state }) => [name, state]));
    expect(ends).toEqual({
      missing: 'INSUFFICIENT_DATA',
      ignore: 'ALARM',
      breaching: 'ALARM',
      notBreaching: 'OK',
    });
  });

  it('on a DynamoDB metric ignores missing data, whatever it says', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ Namespace: 'AWS/DynamoDB', TreatMissingData: 'notBreaching' });
    await model.minutes(6, (minute) => {
      if (minute === 0) model.cloudwatch.metrics.count('AWS/DynamoDB', 'metric', {}, 1);
    });
    expect(model.describe().StateValue).toBe('ALARM');
  });

  it('that names a unit looks at points of that unit only', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ AlarmName: 'counts', Unit: 'Count' });
    model.alarm({ AlarmName: 'bytes', Unit: 'Bytes' });
    await model.minutes(1, () => model.cloudwatch.metrics.count('test', 'metric', {}, 1, 'Count'));
    expect(model.describe('counts').StateValue).toBe('ALARM');
    expect(model.describe('bytes').StateValue).toBe('INSUFFICIENT_DATA');
  });

  it('set by hand acts at once, and goes back at the next evaluation', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ AlarmActions: [TOPIC], TreatMissingData: 'notBreaching' });
    await model.minutes(1);
    model.call('SetAlarmState', { AlarmName: 'alarm', StateValue: 'ALARM', StateReason: 'a drill' });
    expect(model.sent).toMatchObject([{ message: { NewStateReason: 'a drill', OldStateValue: 'OK' } }]);
    expect(model.describe()).toMatchObject({ StateValue: 'ALARM', StateReason: 'a drill' });
    await model.minutes(1);
    expect(model.describe().StateValue).toBe('OK');
  });

  it('does not act while its actions are disabled', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ AlarmActions: [TOPIC] });
    const set = (StateValue: string) =>
      model.call('SetAlarmState', { AlarmName: 'alarm', StateValue, StateReason: 'x' });
    model.call('DisableAlarmActions', { AlarmNames: ['alarm'] });
    set('ALARM');
    model.call('EnableAlarmActions', { AlarmNames: ['alarm'] });
    set('OK');
    expect(model.sent).toEqual([]);
    set('ALARM');
    expect(model.sent).toHaveLength(1);
  });

  it('set to the state that it is in does not act again', () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ AlarmActions: [TOPIC] });
    for (const StateReason of ['first', 'second'])
      model.call('SetAlarmState', { AlarmName: 'alarm', StateValue: 'ALARM', StateReason });
    expect(model.sent).toHaveLength(1);
    expect(model.changes).toHaveLength(1);
    expect(model.describe().StateReason).toBe('second');
  });

  it('on a difference sees it from the second point on', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ ...math({ Id: 'e', Expression: 'DIFF(a)' }, metric('a')), EvaluationPeriods: 3 });
    await model.minutes(6, (minute) => model.cloudwatch.metrics.count('test', 'a', {}, minute));
    // Points at minutes 0 to 3 give three differences.
    expect(model.changes.at(-1)).toMatchObject({ to: 'ALARM', minute: 4 });
  });

  it('keeps its state when it is changed, and its history when it is deleted', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({ AlarmActions: [TOPIC] });
    await model.minutes(1, () => model.cloudwatch.metrics.count('test', 'metric', {}, 1));
    model.alarm({ Threshold: 100 });
    expect(model.describe().StateValue).toBe('ALARM');
    model.call('DeleteAlarms', { AlarmNames: ['alarm', 'unknown'] });
    await model.minutes(3);
    const { AlarmHistoryItems: items } = model.call<DescribeAlarmHistoryCommandOutput>(
      'DescribeAlarmHistory',
      {
        AlarmName: 'alarm',
      },
    );
    expect(items!.map((item) => [item.HistoryItemType, item.HistorySummary])).toEqual([
      ['ConfigurationUpdate', 'Alarm "alarm" deleted'],
      ['ConfigurationUpdate', 'Alarm "alarm" updated'],
      ['Action', `Successfully executed action ${TOPIC}`],
      ['StateUpdate', 'Alarm updated from INSUFFICIENT_DATA to ALARM'],
      ['ConfigurationUpdate', 'Alarm "alarm" created'],
    ]);
    expect(model.cloudwatch.alarms()).toEqual([]);
    expect(() =>
      model.call('SetAlarmState', { AlarmName: 'alarm', StateValue: 'OK', StateReason: '' }),
    ).toThrow('does not exist');
  });

  it('whose topic is gone tells so in its history and goes on', () => {
    const cloudwatch = createCloudWatch(
      {
        clock: createVirtualClock(),
        random: seededRandom(1),
        account: '123456789012',
        region: 'eu-central-1',
        endpoint: '',
      },
      () => {
        throw new ServiceError('NotFoundException', 'Topic does not exist', { statusCode: 404 });
      },
    );
    cloudwatch.operations.PutMetricAlarm!(
      {
        AlarmName: 'a',
        Namespace: 'test',
        MetricName: 'm',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        AlarmActions: [TOPIC],
      },
      {},
    );
    cloudwatch.operations.SetAlarmState!({ AlarmName: 'a', StateValue: 'ALARM', StateReason: 'x' }, {});
    const { AlarmHistoryItems: items } = cloudwatch.operations.DescribeAlarmHistory!(
      {},
      {},
    ) as DescribeAlarmHistoryCommandOutput;
    expect(items![0]!.HistorySummary).toContain('Failed to execute action');
  });

  it('is found by name, prefix, state and action, page by page', () => {
    const model = cloudWatchOnVirtualClock();
    for (let count = 0; count < 60; count++) model.alarm({ AlarmName: `a${count}` });
    model.alarm({ AlarmName: 'b', OKActions: [TOPIC] });
    const names = (input: object) =>
      model
        .call<{ MetricAlarms: { AlarmName: string }[] }>('DescribeAlarms', input)
        .MetricAlarms.map((one) => one.AlarmName);
    expect(names({})).toHaveLength(50);
    expect(names({ NextToken: '50' })).toHaveLength(11);
    expect(names({ AlarmNamePrefix: 'b' })).toEqual(['b']);
    expect(names({ ActionPrefix: TOPIC })).toEqual(['b']);
    expect(names({ AlarmNames: ['a3', 'b'] })).toEqual(['a3', 'b']);
    expect(names({ StateValue: 'OK' })).toEqual([]);
  });

  it('is no longer evaluated after stop, and hours pass in a moment with endMinute', async () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm({});
    model.cloudwatch.stop();
    await model.minutes(2, () => model.cloudwatch.metrics.count('test', 'metric', {}, 1));
    expect(model.changes).toEqual([]);
    model.cloudwatch.endMinute();
    expect(model.changes).toMatchObject([{ to: 'ALARM' }]);
    expect(MINUTE).toBe(60_000);
  });
});

describe('an alarm that CloudWatch does not take', () => {
  const eleven = Array.from({ length: 11 }, (_, index) => metric(`m${index}`));
  it.each<[string, Partial<PutMetricAlarmCommandInput>, string]>([
    [
      'eleven metrics',
      math({ Id: 'e', Expression: 'SUM(METRICS())' }, ...eleven),
      'takes 10 metrics; found 11',
    ],
    [
      'two returned series',
      math({ Id: 'e', Expression: 'a' }, { ...metric('a'), ReturnData: true }),
      'exactly one query',
    ],
    ['no returned series', math(metric('a')), 'found none'],
    ['an id in upper case', math({ Id: 'E', Expression: 'a' }, metric('a')), "found 'E'"],
    ['an id twice', math({ Id: 'a', Expression: 'a' }, metric('a')), 'used twice'],
    ['an unknown id', math({ Id: 'e', Expression: 'a + b' }, metric('a')), "no query with the id 'b'"],
    [
      'a circle',
      math({ Id: 'e', Expression: 'f' }, { Id: 'f', Expression: 'e', ReturnData: false }, metric('a')),
      'e -> f -> e',
    ],
    [
      'two periods',
      math({ Id: 'e', Expression: 'a + b' }, metric('a'), metric('b', 300)),
      'different periods (60, 300 s)',
    ],
    ['a syntax error', math({ Id: 'e', Expression: 'a +' }, metric('a')), 'found its end'],
    ['a number', math({ Id: 'e', Expression: 'PERIOD(a)' }, metric('a')), 'must return one time series'],
    [
      'several series',
      math({ Id: 'e', Expression: 'METRICS()' }, metric('a')),
      'must return one time series',
    ],
    [
      'MAX of one series',
      math({ Id: 'e', Expression: 'a / MAX(a)' }, metric('a')),
      'MAX of a single time series is not allowed',
    ],
    [
      'RUNNING_SUM',
      math({ Id: 'e', Expression: 'RUNNING_SUM(a)' }, metric('a')),
      'RUNNING_SUM is not allowed in alarms',
    ],
    ['a range over a day', { Period: 60, EvaluationPeriods: 1441 }, 'at most 86400 s are allowed'],
    ['a range over a week', { Period: 3600, EvaluationPeriods: 169 }, 'at most 604800 s are allowed'],
    ['a period of 10 s', { Period: 10 }, 'a multiple of 60 is allowed'],
    [
      'more to alarm than there are',
      { EvaluationPeriods: 2, DatapointsToAlarm: 3 },
      'from 1 to EvaluationPeriods (2)',
    ],
    ['an unknown treatment', { TreatMissingData: 'guess' }, 'TreatMissingData is one of'],
    ['an unknown statistic', { Statistic: 'Median' as 'Sum' }, "the statistic 'Median'"],
    [
      'an anomaly band',
      { ComparisonOperator: 'GreaterThanUpperThreshold', ThresholdMetricId: 'ad1' },
      'fixed threshold',
    ],
    [
      'an action on a machine',
      { AlarmActions: ['arn:aws:automate:eu-central-1:ec2:stop'] },
      'to SNS topics only',
    ],
    ['six actions', { AlarmActions: Array.from({ length: 6 }, () => TOPIC) }, 'takes 5 actions'],
    ['no threshold', { Threshold: undefined }, 'Threshold is required'],
  ])('%s', (_, input, message) => {
    expect(() => cloudWatchOnVirtualClock().alarm(input)).toThrow(message);
  });

  it('takes the limits themselves', () => {
    const model = cloudWatchOnVirtualClock();
    model.alarm(math({ Id: 'e', Expression: 'SUM(METRICS())' }, ...eleven.slice(1)));
    model.alarm({ AlarmName: 'a day', EvaluationPeriods: 1440 });
    model.alarm({ AlarmName: 'a week', Period: 3600, EvaluationPeriods: 168 });
  });
});
