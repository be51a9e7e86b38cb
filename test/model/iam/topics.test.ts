import { describe, expect, it } from 'vitest';
import { minutes, toMilliseconds } from '../../../lib/base/index.ts';
import { createAws } from '../../../local/aws.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { allow, deny, document } from './support.ts';

const owner = '000000000000';
const topicArn = `arn:aws:sns:us-east-1:${owner}:pages`;

/** A topic with a policy, an alarm that publishes to it, and what its history says of the action. */
async function alarmOn(policy: object | undefined) {
  const clock = createVirtualClock();
  const aws = createAws({ clock });
  await aws.call('sns', 'CreateTopic', {
    Name: 'pages',
    ...(policy === undefined ? {} : { Attributes: { Policy: JSON.stringify(policy) } }),
  });
  await aws.call('cloudwatch', 'PutMetricAlarm', {
    AlarmName: 'lag',
    Namespace: 'x',
    MetricName: 'y',
    Period: 60,
    EvaluationPeriods: 1,
    Statistic: 'Sum',
    Threshold: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'breaching',
    AlarmActions: [topicArn],
  });
  await clock.advance(toMilliseconds(minutes(5)));
  const { AlarmHistoryItems } = (await aws.call('cloudwatch', 'DescribeAlarmHistory', {
    AlarmName: 'lag',
    HistoryItemType: 'Action',
  })) as { AlarmHistoryItems: { HistorySummary: string }[] };
  aws.stop();
  return AlarmHistoryItems.map(({ HistorySummary }) => HistorySummary).join('\n');
}

const tls = deny('sns:Publish', topicArn, {
  Principal: '*',
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
const alarms = allow('sns:Publish', topicArn, {
  Principal: { Service: 'cloudwatch.amazonaws.com' },
  Condition: {
    StringEquals: { 'aws:SourceAccount': owner },
    ArnLike: { 'aws:SourceArn': `arn:aws:cloudwatch:us-east-1:${owner}:alarm:*` },
  },
});

describe('the policy of a topic', () => {
  it('lets alarms publish while the topic has none but its own', async () => {
    expect(await alarmOn(undefined)).toMatch(/^Successfully executed action/);
  });

  it('lets them publish when it says so, and what comes over loopback counts as safe on its way', async () => {
    expect(await alarmOn(document(tls, alarms))).toMatch(/^Successfully executed action/);
  });

  it('keeps them out when it was given and does not name them, which the history says', async () => {
    expect(await alarmOn(document(tls))).toBe(
      `Failed to execute action ${topicArn}. Received error: "Resource: arn:aws:cloudwatch:us-east-1:${owner}:alarm:lag ` +
        `is not authorized to perform: SNS:Publish on resource: ${topicArn}"`,
    );
  });

  it('is refused with what the model does not have', async () => {
    const policy = document(
      allow('sns:Publish', topicArn, {
        Principal: '*',
        Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } },
      }),
    );
    await expect(alarmOn(policy)).rejects.toThrow(/Policy Error: The condition operator IpAddress/);
  });
});
