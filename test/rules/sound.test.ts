import { readFileSync } from 'node:fs';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Alarm, AlarmRule, CompositeAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaAction, SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AttributeType, type ITable, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Key } from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Bucket, EventType } from 'aws-cdk-lib/aws-s3';
import { SqsDestination as QueueOfBucket } from 'aws-cdk-lib/aws-s3-notifications';
import { FilterOrPolicy, SubscriptionFilter, Topic, type TopicProps } from 'aws-cdk-lib/aws-sns';
import {
  EmailSubscription,
  LambdaSubscription,
  SmsSubscription,
  SqsSubscription,
  UrlSubscription,
} from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Sluice } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { synthesize } from '../wrong-stacks/support/specimen.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')) as {
  readonly context: Readonly<Record<string, unknown>>;
};

const fn = (scope: Construct, id: string, props: Partial<lambda.FunctionProps> = {}) =>
  new lambda.Function(scope, id, {
    code: lambda.Code.fromInline('exports.handler = async () => ({ batchItemFailures: [] });'),
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_22_X,
    ...props,
  });
const kept = { retentionPeriod: Duration.days(14) };
const queue = (scope: Construct, id: string, props: QueueProps = {}, letters: QueueProps = {}) =>
  new Queue(scope, id, {
    deadLetterQueue: {
      queue: new Queue(scope, `${id}Letters`, { ...kept, ...letters }),
      maxReceiveCount: 10,
    },
    ...props,
  });
const heard = (scope: Construct, id: string, props: TopicProps = {}) => {
  const topic = new Topic(scope, id, props);
  topic.addSubscription(new EmailSubscription('on-call@example.com'));
  return topic;
};
const read = { reportBatchItemFailures: true, maxConcurrency: 5 };

/** What people write who do nothing wrong. */
const apps: Readonly<Record<string, (stack: Stack) => void>> = {
  'a topic with subscribers of every kind, and filters on attributes or on the body'(stack) {
    const topic = heard(stack, 'Topic');
    const deadLetterQueue = new Queue(stack, 'Undelivered', kept);
    topic.addSubscription(new UrlSubscription('https://example.com/hook'));
    topic.addSubscription(new SmsSubscription('+41790000000'));
    topic.addSubscription(new LambdaSubscription(fn(stack, 'Function'), { deadLetterQueue }));
    topic.addSubscription(new SqsSubscription(queue(stack, 'Queue'), { deadLetterQueue }));
    topic.addSubscription(
      new SqsSubscription(queue(stack, 'Filtered'), {
        deadLetterQueue,
        rawMessageDelivery: true,
        filterPolicyWithMessageBody: {
          order: FilterOrPolicy.policy({
            country: FilterOrPolicy.filter(SubscriptionFilter.stringFilter({ denylist: ['CH'] })),
          }),
        },
      }),
    );
  },
  'queues that other services fill, and that are read by no function'(stack) {
    const deadLetterQueue = new Queue(stack, 'RuleLetters');
    new Rule(stack, 'Rule', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new SqsQueue(queue(stack, 'Events'), { deadLetterQueue })],
    });
    const encryptionMasterKey = new Key(stack, 'Key');
    new Bucket(stack, 'Bucket').addEventNotification(
      EventType.OBJECT_CREATED,
      new QueueOfBucket(queue(stack, 'Objects', { encryptionMasterKey })),
    );
    new Queue(stack, 'Managed', { encryption: QueueEncryption.KMS_MANAGED });
  },
  'functions that read what others gave up'(stack) {
    const visibilityTimeout = Duration.minutes(1);
    const read = (id: string) => {
      const letters = new Queue(stack, id, { visibilityTimeout });
      fn(stack, `${id}Reader`).addEventSource(new SqsEventSource(letters, { batchSize: 1 }));
      return letters;
    };
    fn(stack, 'Invoked', {
      onFailure: new SqsDestination(read('Failed')),
      onSuccess: new SnsDestination(heard(stack, 'Done')),
    });
    new Rule(stack, 'Rule', {
      schedule: Schedule.rate(Duration.minutes(5)),
      targets: [new LambdaFunction(fn(stack, 'Scheduled'), { deadLetterQueue: read('Missed') })],
    });
    const table = new TableV2(stack, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      dynamoStream: StreamViewType.NEW_IMAGE,
    });
    fn(stack, 'Streamed').addEventSource(
      new DynamoEventSource(table as ITable, {
        startingPosition: lambda.StartingPosition.LATEST,
        onFailure: new SqsDlq(read('Broken')),
        filters: [lambda.FilterCriteria.filter({ eventName: lambda.FilterRule.isEqual('INSERT') })],
      }),
    );
  },
  'a consumer by its alias, under a customer key, on FIFO'(stack) {
    const encryptionMasterKey = new Key(stack, 'Key');
    const topic = new Topic(stack, 'Topic', { fifo: true, masterKey: new Key(stack, 'TopicKey') });
    const own = queue(
      stack,
      'Queue',
      {
        fifo: true,
        encryptionMasterKey,
        visibilityTimeout: Duration.minutes(3),
        deadLetterQueue: {
          queue: new Queue(stack, 'Letters', { fifo: true, encryptionMasterKey }),
          maxReceiveCount: 100,
        },
      },
      kept,
    );
    const deadLetterQueue = new Queue(stack, 'Undelivered', { fifo: true });
    topic.addSubscription(new SqsSubscription(own, { deadLetterQueue }));
    topic.addSubscription(new SqsSubscription(queue(stack, 'Copies'), { deadLetterQueue }));
    const consumer = fn(stack, 'Function', { reservedConcurrentExecutions: 5 });
    new lambda.Alias(stack, 'Live', {
      aliasName: 'live',
      version: consumer.currentVersion as lambda.IVersion,
    }).addEventSource(new SqsEventSource(own, read));
    // It tells others, and puts aside what it cannot do.
    heard(stack, 'Told').grantPublish(consumer);
    own.deadLetterQueue!.queue.grantSendMessages(consumer);
  },
  'alarms that are heard, by themselves or in a composite'(stack) {
    const [metric, threshold] = [new Queue(stack, 'Queue').metricApproximateAgeOfOldestMessage(), 60];
    const alarm = (id: string) => new Alarm(stack, id, { metric, threshold, evaluationPeriods: 1 });
    const alarmRule = AlarmRule.allOf(alarm('Slow'), AlarmRule.not(alarm('Quiet')));
    new CompositeAlarm(stack, 'Both', { alarmRule }).addAlarmAction(new SnsAction(heard(stack, 'Pager')));
    alarm('Mended').addAlarmAction(new LambdaAction(fn(stack, 'Mender')));
  },
  'what is imported'(stack) {
    const place = 'eu-west-1:222222222222';
    const own = Queue.fromQueueArn(stack, 'Queue', `arn:aws:sqs:${place}:orders`);
    const deadLetterQueue = Queue.fromQueueArn(stack, 'Undelivered', `arn:aws:sqs:${place}:undelivered`);
    Topic.fromTopicArn(stack, 'Topic', `arn:aws:sns:${place}:orders`).addSubscription(
      new SqsSubscription(own, { deadLetterQueue }),
    );
    fn(stack, 'Function').addEventSource(new SqsEventSource(own, read));
    const key = Key.fromKeyArn(stack, 'Key', `arn:aws:kms:${place}:key/11111111-1111-1111-1111-111111111111`);
    const role = fn(stack, 'Other').role!;
    lambda.Function.fromFunctionAttributes(stack, 'Elsewhere', {
      functionArn: `arn:aws:lambda:${place}:function:elsewhere`,
      role,
    }).addEventSource(new SqsEventSource(queue(stack, 'Encrypted', { encryptionMasterKey: key }), read));
  },
};

describe('A sound app of the CDK alone passes, with the flags that the CDK recommends', () => {
  it.each(Object.entries(apps))('%s', (_, fill) => {
    const app = new App({ analyticsReporting: false, context });
    Sluice.check(app);
    fill(new Stack(app, 'One'));
    expect(synthesize(app)).toEqual({ errors: [], warnings: [], message: '' });
  });
});
