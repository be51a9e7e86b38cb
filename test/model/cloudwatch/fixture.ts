import type { DescribeAlarmsCommandOutput, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import {
  type AlarmChange,
  type CloudWatchOptions,
  createCloudWatch,
} from '../../../local/cloudwatch/index.ts';

export const MINUTE = milliseconds(60_000);
export const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:pages';

/** CloudWatch on a virtual clock, with what it sends and what its alarms did. */
export function cloudWatchOnVirtualClock(options: CloudWatchOptions = {}) {
  const clock = createVirtualClock();
  const began = clock.now();
  const sent: { topicArn: string; subject: string; message: Record<string, unknown> }[] = [];
  const changes: (AlarmChange & { readonly minute: number })[] = [];
  const cloudwatch = createCloudWatch(
    {
      clock,
      random: seededRandom(1),
      account: '123456789012',
      region: 'eu-central-1',
      endpoint: 'http://127.0.0.1:4566',
    },
    (topicArn, subject, message) =>
      sent.push({ topicArn, subject, message: JSON.parse(message) as Record<string, unknown> }),
    options,
  );
  cloudwatch.onAlarmChange((change) => changes.push({ ...change, minute: (change.at - began) / MINUTE }));
  cloudwatch.start();
  const call = <Output = Record<string, unknown>>(action: string, input: object) =>
    cloudwatch.operations[action]!(input, {}) as Output;
  return {
    cloudwatch,
    clock,
    began,
    sent,
    changes,
    call,
    alarm: (input: Partial<PutMetricAlarmCommandInput>) =>
      call('PutMetricAlarm', {
        AlarmName: 'alarm',
        Namespace: 'test',
        MetricName: 'metric',
        Statistic: 'Maximum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        ...input,
      }),
    describe: (name = 'alarm') =>
      call<DescribeAlarmsCommandOutput>('DescribeAlarms', { AlarmNames: [name] }).MetricAlarms![0]!,
    /** Plays one call a minute: `play(minute)` publishes what happens in that minute. */
    async minutes(count: number, play: (minute: number) => void = () => {}) {
      for (let passed = 0; passed < count; passed++) {
        play(Math.round((clock.now() - began) / MINUTE));
        await clock.advance(MINUTE);
      }
    },
  };
}
