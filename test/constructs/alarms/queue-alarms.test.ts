import { App, Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { QueueAlarms, type QueueAlarmsProps } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';

function watch(props: (stack: Stack) => Omit<QueueAlarmsProps, 'lag'>) {
  const stack = new Stack(new App(), 'Plain');
  const alarms = new QueueAlarms(stack, 'Jobs', { lag: Duration.minutes(10), ...props(stack) });
  return { keys: [...alarms.byKey.keys()], template: Template.fromStack(stack) };
}

const propertiesOf = (template: Template, name: string) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm')).find(
    ({ Properties }) => Properties.AlarmName === `Plain-${name}`,
  )?.Properties;

describe('A queue that no declaration made has the alarms of a subscriber', () => {
  it('a queue, its own dead-letter queue, a function', () => {
    const { keys, template } = watch((stack) => ({
      queue: new Queue(stack, 'Queue', {
        deadLetterQueue: { queue: new Queue(stack, 'Failed'), maxReceiveCount: 5 },
      }),
      function: new LambdaFunction(stack, 'Worker', {
        runtime: Runtime.NODEJS_22_X,
        handler: 'index.handler',
        code: Code.fromInline('exports.handler = async () => {};'),
        timeout: Duration.minutes(5),
      }),
      alarmTopic: new Topic(stack, 'Pages'),
      alarms: 'full',
    }));
    expect(keys).toContain('Jobs-K-errors');
    expect(keys).not.toContain('Jobs-E-undelivered');
    expect(propertiesOf(template, 'Jobs-A-lag')).toMatchObject({
      Threshold: 600,
      Dimensions: [
        { Name: 'QueueName', Value: { 'Fn::GetAtt': [expect.stringMatching(/^Queue/), 'QueueName'] } },
      ],
    });
    expect(propertiesOf(template, 'Jobs-E-dead-letters')).toMatchObject({
      Dimensions: [{ Value: { 'Fn::GetAtt': [expect.stringMatching(/^Failed/), 'QueueName'] } }],
    });
    // Twice the timeout of its function.
    expect(propertiesOf(template, 'Jobs-H-stalled')).toMatchObject({ EvaluationPeriods: 10 });
    template.resourceCountIs('AWS::CloudWatch::CompositeAlarm', 3);
  });

  it('an imported FIFO queue alone, under a name of its own', () => {
    const { keys, template } = watch((stack) => ({
      queue: Queue.fromQueueArn(stack, 'Queue', 'arn:aws:sqs:eu-central-1:123456789012:jobs.fifo'),
      name: 'imports',
      alarms: 'full',
      maxConcurrency: 20,
      handlerTime: Duration.hours(12),
      retentionPeriod: Duration.days(14),
      traffic: 50,
    }));
    expect(keys.filter((key) => /-(E2?|K)-/.test(key))).toEqual([]);
    expect(propertiesOf(template, 'imports-I2-hot-group')?.Metrics[0].Expression).toBe(
      'IF(vis > 1500 AND FILL(grp, 0) > 0 AND FILL(grp, 0) < 5, 1, 0)',
    );
    expect(propertiesOf(template, 'imports-H-stalled')).toMatchObject({ EvaluationPeriods: 1440 });
    expect(propertiesOf(template, 'imports-D-retention-half')?.Metrics[0].Expression).toBe(
      '100 * age / 1209600',
    );
    expect(propertiesOf(template, 'imports-A-lag')?.Dimensions).toEqual([
      { Name: 'QueueName', Value: 'jobs.fifo' },
    ]);
  });

  it('lean when nothing is said', () => {
    const { keys } = watch((stack) => ({
      queue: new Queue(stack, 'Queue'),
      deadLetterQueue: new Queue(stack, 'Failed'),
      subscriptionDeadLetterQueue: new Queue(stack, 'Undelivered'),
    }));
    expect(keys).toEqual([
      'Jobs-A-lag',
      'Jobs-B-growth',
      'Jobs-E-dead-letters',
      'Jobs-E-undelivered',
      'Jobs-H-stalled',
      'Jobs-J-redelivery',
    ]);
  });
});
