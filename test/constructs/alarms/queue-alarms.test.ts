import { App, Duration, Lazy, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type CfnQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QueueAlarms, type QueueAlarmsProps } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';

function watch(props: (stack: Stack) => Omit<QueueAlarmsProps, 'lag'> & Partial<QueueAlarmsProps>) {
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

const worker = (stack: Stack) =>
  new LambdaFunction(stack, 'Worker', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
    timeout: Duration.minutes(5),
  });

describe('What the queue and its function say is not asked for again', () => {
  it.each([
    [
      'an alias',
      (stack: Stack) =>
        new Alias(stack, 'Live', { aliasName: 'live', version: worker(stack).currentVersion as IVersion }),
    ],
    ['a version', (stack: Stack) => worker(stack).currentVersion],
  ])('%s: Lambda counts it under the name of its function, whose timeout it has', (_, consumer) => {
    const { template } = watch((stack) => ({
      queue: new Queue(stack, 'Queue'),
      // The CDK's own classes do not fit its interfaces under exactOptionalPropertyTypes.
      function: consumer(stack) as IFunction,
      alarms: 'full',
    }));
    expect(propertiesOf(template, 'Jobs-K-recursion')?.Dimensions).toEqual([
      { Name: 'FunctionName', Value: { Ref: expect.stringMatching(/^Worker/) } },
    ]);
    expect(propertiesOf(template, 'Jobs-H-stalled')).toMatchObject({ EvaluationPeriods: 10 });
  });

  it.each([
    ['by its props', (stack: Stack) => new Queue(stack, 'Queue', { retentionPeriod: Duration.hours(1) })],
    [
      'by an escape hatch',
      (stack: Stack) => {
        const queue = new Queue(stack, 'Queue');
        (queue.node.defaultChild as CfnQueue).messageRetentionPeriod = 3_600;
        return queue;
      },
    ],
  ])('how long a queue of the app keeps messages, %s', (_, queue) => {
    const { template } = watch((stack) => ({ queue: queue(stack), alarms: 'full' }));
    expect(propertiesOf(template, 'Jobs-D-retention-half')?.Metrics[0].Expression).toBe('100 * age / 3600');
  });
});

describe('CloudWatch is let in on the topics that hear of them', () => {
  it('a topic whose policy would drop what CloudWatch publishes', () => {
    const { template } = watch((stack) => ({
      queue: new Queue(stack, 'Queue'),
      alarmTopic: new Topic(stack, 'Pages', { enforceSSL: true }),
      ticketTopic: new Topic(stack, 'Tickets', { enforceSSL: true }),
    }));
    const policies = Object.values(template.findResources('AWS::SNS::TopicPolicy'));
    expect(policies).toHaveLength(2);
    for (const { Properties } of policies)
      expect(Properties.PolicyDocument.Statement.map(({ Sid }: { Sid: string }) => Sid)).toEqual([
        'AllowPublishThroughSSLOnly',
        'AllowCloudWatchAlarms',
      ]);
  });
});

describe('Alarms of several accounts on one topic', () => {
  const inAccount = (account: string, alarmTopic: Topic) => {
    const stack = new Stack(alarmTopic.node.root as App, `Jobs${account}`, {
      env: { account, region: 'eu-central-1' },
    });
    new QueueAlarms(stack, 'Jobs', {
      queue: new Queue(stack, 'Queue'),
      lag: Duration.minutes(1),
      alarmTopic,
    });
  };

  it('each is let in, by the policy of the topic and by that of its key', () => {
    const operations = new Stack(new App(), 'Operations', {
      env: { account: '222222222222', region: 'eu-central-1' },
    });
    const topic = new Topic(operations, 'Pages', {
      topicName: 'pages',
      masterKey: new Key(operations, 'Key'),
    });
    inAccount('111111111111', topic);
    inAccount('222222222222', topic);
    const template = Template.fromStack(operations);
    const statements = [
      ...Object.values(template.findResources('AWS::SNS::TopicPolicy'))[0]!.Properties.PolicyDocument
        .Statement,
      ...Object.values(template.findResources('AWS::KMS::Key'))[0]!.Properties.KeyPolicy.Statement,
    ].filter(({ Principal }) => Principal.Service === 'cloudwatch.amazonaws.com');
    expect(
      statements.map(({ Sid, Condition }) => [Sid, Condition.StringEquals['aws:SourceAccount']]),
    ).toEqual([
      ['AllowCloudWatchAlarmsOf111111111111', '111111111111'],
      ['AllowCloudWatchAlarms', '222222222222'],
      ['AllowCloudWatchAlarmsOf111111111111', '111111111111'],
      ['AllowCloudWatchAlarms', '222222222222'],
    ]);
  });
});

describe('What makes no sense is refused at synthesis', () => {
  it('all of it at once', () => {
    expect(() =>
      watch((stack) => {
        const queue = new Queue(stack, 'Queue');
        return {
          queue,
          lag: Duration.seconds(0),
          handlerTime: 30 as unknown as Duration,
          alarms: 'all' as 'full',
          name: '',
          traffic: Number.NaN,
          maxConcurrency: 0,
          deadLetterQueue: queue,
        };
      }),
    ).toThrow(
      [
        'Plain/Jobs:',
        '  - "lag" is Duration.seconds(0); it has to be a Duration of whole seconds above 0 that is known at synthesis, like Duration.minutes(10).',
        '  - "handlerTime" is 30; it has to be a Duration of whole seconds above 0 that is known at synthesis, like Duration.minutes(10).',
        '  - "alarms" is "all"; "lean" and "full" are allowed.',
        '  - "name" is empty: write one, or leave it out.',
        '  - "traffic" is NaN; it has to be the messages of a second, 0 or more.',
        '  - "maxConcurrency" is 0; it has to be a whole number from 1 on.',
        '  - "deadLetterQueue" is the queue itself, so every message that waits would count as given up: leave it out.',
      ].join('\n'),
    );
  });

  it.each([
    [
      'a value of the deployment',
      () => Duration.seconds(Lazy.number({ produce: () => 60 })),
      'known at synthesis',
    ],
    ['parts of seconds', () => Duration.millis(1_500), 'whole seconds'],
    ['nothing', () => undefined as unknown as Duration, '"lag" is undefined'],
  ])('an SLO of %s', (_, lag, words) => {
    expect(() => watch((stack) => ({ queue: new Queue(stack, 'Queue'), lag: lag() }))).toThrow(words);
  });

  it('an SLO that no message lives long enough to break', () => {
    expect(() =>
      watch((stack) => ({ queue: new Queue(stack, 'Queue', { retentionPeriod: Duration.minutes(10) }) })),
    ).toThrow('"lag" is 600 s and the queue deletes a message after 600 s');
  });

  it('no queue', () => {
    expect(() => watch(() => ({}) as never)).toThrow('"queue" is missing');
  });

  it('two of one name in a stack, which CloudWatch would take for one', () => {
    const stack = new Stack(new App(), 'Plain');
    const part = (id: string, name?: string) => {
      const scope = new Construct(stack, id);
      return new QueueAlarms(scope, 'Alarms', {
        queue: new Queue(scope, 'Queue'),
        lag: Duration.minutes(1),
        name,
      });
    };
    part('One');
    expect(() => part('Two')).toThrow(
      'Plain/Two/Alarms: Plain/One/Alarms has the alarm "Plain-Alarms-A-lag" already.',
    );
    expect(() => part('Three', 'three')).not.toThrow();
  });
});
