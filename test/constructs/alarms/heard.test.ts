import { App, Duration, Stack } from 'aws-cdk-lib';
import { CfnKey } from 'aws-cdk-lib/aws-kms';
import type { CfnTopicPolicy } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AlarmTopic, QueueAlarms } from 'sluice/cdk';
import { loadAssembly } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { minutes, toMilliseconds } from '../../../lib/base/index.ts';
import { inWorld, type World } from '../../model/kms/support.ts';

/** Takes the statement for CloudWatch out of a policy of the template, as somebody who tidies up would. */
function forget(resource: CfnKey | CfnTopicPolicy, property: string): void {
  const document = Stack.of(resource).resolve(
    resource instanceof CfnKey ? resource.keyPolicy : resource.policyDocument,
  ) as { Statement: { Sid?: string }[] };
  const Statement = document.Statement.filter(({ Sid }) => Sid !== 'AllowCloudWatchAlarms');
  expect(Statement).toHaveLength(document.Statement.length - 1);
  resource.addPropertyOverride(property, { ...document, Statement });
}

/** Deploys a queue with its alarms and a topic for them, and puts a dead letter into it. */
async function ring({ aws, call, clock, letters }: World, change: (scope: AlarmTopic) => void = () => {}) {
  const app = new App();
  const stack = new Stack(app, 'Jobs', { env: { account: '000000000000', region: 'us-east-1' } });
  const alarms = new AlarmTopic(stack, 'Alarms', { emails: ['on-call@example.com'] });
  new QueueAlarms(stack, 'JobAlarms', {
    queue: new Queue(stack, 'Queue'),
    deadLetterQueue: new Queue(stack, 'Failed', { queueName: 'failed' }),
    lag: Duration.minutes(1),
    alarms: 'full',
    name: 'jobs',
    alarmTopic: alarms.topic,
    runbook: 'https://wiki.example.com/watch',
  });
  change(alarms);
  await aws.cloudformation.deploy(loadAssembly(app.synth().directory), 'Jobs');
  const { topicArn: TopicArn, token: Token } = letters.at(-1)!;
  await call('sns', 'ConfirmSubscription', { TopicArn, Token });
  const before = letters.length;
  const { QueueUrl } = await call<{ QueueUrl: string }>('sqs', 'GetQueueUrl', { QueueName: 'failed' });
  await clock.advance(toMilliseconds(minutes(3)));
  // Alarms that are new say that they are well.
  const calm = letters.slice(before).map(({ subject }) => subject);
  const started = letters.length;
  await call('sqs', 'SendMessage', { QueueUrl, MessageBody: 'given up' });
  await clock.advance(toMilliseconds(minutes(2)));
  const { MetricAlarms } = await call<{ MetricAlarms: { AlarmName: string; StateValue: string }[] }>(
    'cloudwatch',
    'DescribeAlarms',
    { AlarmNames: ['Jobs-jobs-E-dead-letters'] },
  );
  const { AlarmHistoryItems } = await call<{ AlarmHistoryItems: { HistorySummary: string }[] }>(
    'cloudwatch',
    'DescribeAlarmHistory',
    { AlarmName: 'Jobs-jobs-E-dead-letters', HistoryItemType: 'Action' },
  );
  return {
    calm,
    state: MetricAlarms[0]?.StateValue,
    heard: letters.slice(started).map(({ subject, text }) => ({ subject, text })),
    action: AlarmHistoryItems[0]?.HistorySummary,
  };
}

describe('An alarm on an encrypted topic', () => {
  it('is heard where CloudWatch may publish and may use the key', () =>
    inWorld(async (world) => {
      const { state, heard, action, calm } = await ring(world);
      expect(calm.every((subject) => subject.startsWith('OK: '))).toBe(true);
      expect(state).toBe('ALARM');
      expect(heard).toMatchObject([
        {
          subject: expect.stringContaining('ALARM: "Jobs-jobs-E-dead-letters"'),
          text: expect.stringContaining('https://wiki.example.com/watch#dead-letters'),
        },
      ]);
      expect(action).toMatch(/^Successfully executed action/);
    }));

  it('turns and is not heard where the key forgot CloudWatch', () =>
    inWorld(async (world) => {
      const { state, heard, action } = await ring(world, ({ encryptionKey }) =>
        forget(encryptionKey!.node.defaultChild as CfnKey, 'KeyPolicy'),
      );
      expect({ state, heard }).toEqual({ state: 'ALARM', heard: [] });
      expect(action).toMatch(/^Failed to execute action .*AWSKMS.*AccessDenied/);
    }));

  it('turns and is not heard where the topic’s policy forgot CloudWatch', () =>
    inWorld(async (world) => {
      const { state, heard, action } = await ring(world, ({ topic }) =>
        forget(topic.node.findChild('Policy').node.defaultChild as CfnTopicPolicy, 'PolicyDocument'),
      );
      expect({ state, heard }).toEqual({ state: 'ALARM', heard: [] });
      expect(action).toMatch(/^Failed to execute action .*not authorized to perform: SNS:Publish/);
    }));
});
