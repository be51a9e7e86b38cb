import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { defineMessaging, event, seconds } from 'sluice';
import { MessagingStack } from 'sluice/cdk';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { handlers, shop, shopStack } from './fixtures/shop.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

let template: Template;
let resources: Readonly<Record<string, Resource>>;

beforeAll(() => {
  template = Template.fromStack(shopStack().stack);
  resources = template.toJSON().Resources;
});

/** The one resource whose logical id, without its hash, is `name`. */
function resource(name: string): Resource & { readonly id: string } {
  const found = Object.entries(resources).filter(([id]) => id.replace(/[0-9A-F]{8}$/, '') === name);
  expect(found, name).toHaveLength(1);
  const [id, value] = found[0]!;
  return { ...value, id };
}

const arnOf = (name: string) => ({ 'Fn::GetAtt': [resource(name).id, 'Arn'] });
const nameOf = (name: string) => ({ 'Fn::GetAtt': [resource(name).id, 'QueueName'] });

describe('A topic becomes what was declared', () => {
  it('FIFO topics deduplicate and scale by message group', () => {
    expect(resource('OrdersTopic').Properties).toMatchObject({
      FifoTopic: true,
      FifoThroughputScope: 'MessageGroup',
      ContentBasedDeduplication: false,
      TopicName: expect.stringMatching(/\.fifo$/),
    });
  });

  it('standard topics say nothing of FIFO', () => {
    expect(resource('StockMovesTopic').Properties).toEqual({ KmsMasterKeyId: 'alias/aws/sns' });
  });

  it('a topic takes nothing that comes unencrypted', () => {
    for (const name of ['OrdersTopicPolicy', 'StockMovesTopicPolicy'])
      expect(JSON.stringify(resource(name))).toContain('"aws:SecureTransport":"false"');
  });

  it('a topic that nobody hears is pointed out', () => {
    const lonely = defineMessaging({
      name: 'lonely',
      topics: { news: {} },
      events: { told: event({ topic: 'news', schema: v.object({}) }) },
      subscribers: {},
    });
    const stack = new MessagingStack(new App(), 'Lonely', { messaging: lonely, handlers });
    Annotations.fromStack(stack).hasWarning(
      '/Lonely/NewsTopic/Topic/Resource',
      Match.stringLikeRegexp('topic-without-subscriber: found no subscription'),
    );
    Template.fromStack(stack).resourceCountIs('AWS::CloudWatch::Alarm', 0);
  });
});

describe('A subscriber gets its queue, its subscription, and a dead-letter queue for each', () => {
  it('FIFO queues deduplicate and scale by message group', () => {
    for (const name of ['PaymentsSubscriberQueue', 'PaymentsSubscriberDeadLetterQueue'])
      expect(resource(name).Properties).toMatchObject({
        FifoQueue: true,
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
        ContentBasedDeduplication: false,
      });
  });

  it('the kind of a dead-letter queue follows its source: the queue, or the topic of the subscription', () => {
    const fifo = (name: string) => resource(name).Properties?.FifoQueue ?? false;
    expect(fifo('PaymentsSubscriberDeadLetterQueue')).toBe(true);
    expect(fifo('PaymentsSubscriberSubscriptionDeadLetterQueue')).toBe(true);
    expect(fifo('AnalyticsSubscriberQueue')).toBe(false);
    expect(fifo('AnalyticsSubscriberDeadLetterQueue')).toBe(false);
    expect(fifo('AnalyticsSubscriberSubscriptionDeadLetterQueue')).toBe(true);
    expect(fifo('StockMailSubscriberSubscriptionDeadLetterQueue')).toBe(false);
  });

  it('visibility, retention and receive count are the declaration’s', () => {
    const { visibilityTimeout, retention, deadLetterRetention, maxReceiveCount } = shop.subscribers.payments;
    expect(resource('PaymentsSubscriberQueue').Properties).toMatchObject({
      VisibilityTimeout: visibilityTimeout,
      MessageRetentionPeriod: retention,
      RedrivePolicy: {
        deadLetterTargetArn: arnOf('PaymentsSubscriberDeadLetterQueue'),
        maxReceiveCount,
      },
    });
    for (const name of ['DeadLetterQueue', 'SubscriptionDeadLetterQueue'])
      expect(resource(`PaymentsSubscriber${name}`).Properties).toMatchObject({
        MessageRetentionPeriod: deadLetterRetention,
      });
  });

  it('every queue is encrypted at rest and refuses what comes unencrypted', () => {
    const queues = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
    expect(queues).toHaveLength(9);
    const policies = Object.values(resources).filter(({ Type }) => Type === 'AWS::SQS::QueuePolicy');
    for (const [id, queue] of queues) {
      expect(queue.Properties).toMatchObject({ SqsManagedSseEnabled: true });
      const own = policies.filter((policy) => JSON.stringify(policy.Properties?.Queues).includes(id));
      expect(JSON.stringify(own)).toContain('"aws:SecureTransport":"false"');
    }
  });

  it('the subscription delivers raw, names its dead-letter queue and always says its filter scope', () => {
    for (const name of ['Payments', 'Analytics', 'StockMail'])
      expect(resource(`${name}SubscriberSubscription`).Properties).toMatchObject({
        Protocol: 'sqs',
        RawMessageDelivery: true,
        FilterPolicyScope: 'MessageAttributes',
        Endpoint: arnOf(`${name}SubscriberQueue`),
        RedrivePolicy: { deadLetterTargetArn: arnOf(`${name}SubscriberSubscriptionDeadLetterQueue`) },
      });
  });

  it('only a declared filter is set, and never by default on a FIFO topic (hazard 27)', () => {
    expect(resource('StockMailSubscriberSubscription').Properties?.FilterPolicy).toEqual({
      type: ['stock.low'],
    });
    expect(resource('PaymentsSubscriberSubscription').Properties?.FilterPolicy).toBeUndefined();
    expect(resource('AnalyticsSubscriberSubscription').Properties?.FilterPolicy).toBeUndefined();
  });

  it('the topic, and it alone, may deliver to the queue and to the subscription’s dead-letter queue (hazard 26)', () => {
    for (const name of ['Queue', 'SubscriptionDeadLetterQueue']) {
      const { PolicyDocument } = resource(`PaymentsSubscriber${name}Policy`).Properties as {
        PolicyDocument: { Statement: { Effect: string }[] };
      };
      expect(PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow')).toEqual([
        {
          Sid: 'AllowTopic',
          Action: 'sqs:SendMessage',
          Effect: 'Allow',
          Principal: { Service: 'sns.amazonaws.com' },
          Resource: arnOf(`PaymentsSubscriber${name}`),
          Condition: { ArnEquals: { 'aws:SourceArn': { Ref: resource('OrdersTopic').id } } },
        },
      ]);
    }
    expect(JSON.stringify(resource('PaymentsSubscriberDeadLetterQueuePolicy'))).not.toContain('Allow');
  });

  it('nothing is delivered before the policies are there', () => {
    expect(resource('PaymentsSubscriberSubscription').DependsOn).toEqual(
      expect.arrayContaining([
        resource('PaymentsSubscriberQueuePolicy').id,
        resource('PaymentsSubscriberSubscriptionDeadLetterQueuePolicy').id,
      ]),
    );
  });
});

describe('Nothing has a physical name unless one is asked for', () => {
  const named = {
    'AWS::SQS::Queue': 'QueueName',
    'AWS::Lambda::Function': 'FunctionName',
    'AWS::DynamoDB::Table': 'TableName',
  };
  const namesIn = (all: Readonly<Record<string, Resource>>): unknown[] =>
    Object.entries(named).flatMap(([type, property]) =>
      Object.values(all)
        .filter(({ Type, Properties }) => Type === type && Properties?.[property] !== undefined)
        .map(({ Properties }) => Properties?.[property]),
    );

  it('none by default', () => expect(namesIn(resources)).toEqual([]));

  it('each as it was said', () => {
    const messaging = defineMessaging({
      name: 'named',
      topics: { orders: { fifo: true, topicName: 'orders.fifo' } },
      events: { placed: event({ topic: 'orders', schema: v.object({}) }) },
      subscribers: {
        payments: {
          on: ['placed'],
          fifo: true,
          handler: 'payments.ts',
          lag: seconds(60),
          queueName: 'payments.fifo',
          deadLetterQueueName: 'payments-given-up.fifo',
          subscriptionDeadLetterQueueName: 'payments-undelivered.fifo',
          functionName: 'pay',
        },
      },
    });
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const stack = new MessagingStack(app, 'Named', { messaging, handlers, recordsTableName: 'done.events' });
    const all = Template.fromStack(stack).toJSON().Resources;
    expect(namesIn(all).sort()).toEqual([
      'done.events',
      'pay',
      'payments-given-up.fifo',
      'payments-undelivered.fifo',
      'payments.fifo',
    ]);
    const queue = Object.values<Resource>(all).find(
      ({ Properties }) => Properties?.QueueName === 'payments.fifo',
    );
    expect(JSON.stringify(queue?.Properties?.RedrivePolicy)).toContain('PaymentsSubscriberDeadLetterQueue');
  });

  it('a table’s name that DynamoDB would refuse is refused at synthesis', () => {
    for (const recordsTableName of ['ab', 'my records', 'a'.repeat(256)])
      expect(() => shopStack({ recordsTableName })).toThrow(
        /table of records cannot be named .* 3 to 255 letters/,
      );
  });
});

describe('A subscriber’s function consumes its queue', () => {
  it('the event source has partial batches on, maximum concurrency, batch and window (hazards 14, 19)', () => {
    expect(resource('PaymentsSubscriberConsumerEventSource').Properties).toEqual({
      EventSourceArn: arnOf('PaymentsSubscriberQueue'),
      FunctionName: { Ref: resource('PaymentsSubscriberConsumerFunction').id },
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 50 },
    });
    expect(resource('AnalyticsSubscriberConsumerEventSource').Properties).toMatchObject({
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 2,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    template.allResourcesProperties(
      'AWS::Lambda::Function',
      Match.objectLike({ ReservedConcurrentExecutions: Match.absent() }),
    );
  });

  it('it runs with the declared size and time, and knows where its things are', () => {
    const { timeout, memorySize } = shop.subscribers.payments;
    expect(resource('PaymentsSubscriberConsumerFunction').Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: timeout,
      MemorySize: memorySize,
      Environment: {
        Variables: {
          SLUICE_RECORDS_TABLE: { Ref: resource('RecordsTable').id },
          SLUICE_QUEUE_URL: { Ref: resource('PaymentsSubscriberQueue').id },
          SLUICE_DEAD_LETTER_QUEUE_URL: { Ref: resource('PaymentsSubscriberDeadLetterQueue').id },
        },
      },
    });
  });

  it('its role may do what the runtime does, on its own things, and nothing else', () => {
    const { PolicyDocument } = resource('PaymentsSubscriberConsumerRoleDefaultPolicy').Properties as {
      PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown; Effect: string }[] };
    };
    const allowed = PolicyDocument.Statement.map(({ Action, Resource }) => [
      [Action].flat().sort(),
      Resource,
    ]);
    expect(allowed).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], arnOf('PaymentsSubscriberConsumerLogGroup')],
      [
        ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        arnOf('PaymentsSubscriberQueue'),
      ],
      [['sqs:SendMessage'], arnOf('PaymentsSubscriberDeadLetterQueue')],
      [
        [
          'dynamodb:BatchGetItem',
          'dynamodb:GetItem',
          'dynamodb:PartiQLInsert',
          'dynamodb:PartiQLUpdate',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
        ],
        arnOf('RecordsTable'),
      ],
    ]);
    expect(resource('PaymentsSubscriberConsumerRole').Properties).not.toHaveProperty('ManagedPolicyArns');
  });

  it('its log is kept for a bounded time', () => {
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 90 });
    const brief = Template.fromStack(shopStack({ logRetention: RetentionDays.ONE_DAY }).stack);
    brief.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 1 });
  });

  it('variables of the user reach every function, and one function alone', () => {
    const { stack } = shopStack({ environment: { LOG_LEVEL: 'warn' } });
    stack.subscriber('payments').function.addEnvironment('PROVIDER_URL', 'https://provider.example');
    const made = Template.fromStack(stack);
    made.allResourcesProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ LOG_LEVEL: 'warn' }) },
    });
    const told = made.findResources('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: { PROVIDER_URL: 'https://provider.example' } } },
    });
    expect(Object.keys(told)).toEqual([expect.stringContaining('Payments')]);
  });

  it('handlers that do not exist are all named in one error', () => {
    const gone = defineMessaging({
      name: 'gone',
      topics: { orders: {} },
      events: { placed: event({ topic: 'orders', schema: v.object({}) }) },
      subscribers: {
        one: { on: ['placed'], handler: 'one.ts', lag: seconds(60) },
        two: { on: ['placed'], handler: 'two.ts', lag: seconds(60) },
      },
    });
    expect(() => new MessagingStack(new App(), 'Gone', { messaging: gone, handlers })).toThrow(
      /subscribers\.one\.handler.*one\.ts[\s\S]*subscribers\.two\.handler.*two\.ts/,
    );
  });
});

describe('The table of records is on demand, forgets by itself and can be restored', () => {
  it('has the partition key and the time to live that the runtime writes', () => {
    expect(resource('RecordsTable').Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: expect.arrayContaining([{ AttributeName: 'pk', AttributeType: 'S' }]),
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it('lists the markers of groups by their subscriber', () => {
    expect(resource('RecordsTable').Properties?.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'groups',
        KeySchema: [
          { AttributeName: 'markedBy', KeyType: 'HASH' },
          { AttributeName: 'since', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ]);
  });

  it('outlives the stack unless that is asked otherwise', () => {
    expect(resource('RecordsTable').DeletionPolicy).toBe('Retain');
    Template.fromStack(shopStack({ recordsRemovalPolicy: RemovalPolicy.DESTROY }).stack).hasResource(
      'AWS::DynamoDB::Table',
      { DeletionPolicy: 'Delete' },
    );
  });
});

describe('The stack watches itself', () => {
  it('every subscriber has A, B, E, H and J, every topic G1 and G2, with a filter behind it G3', () => {
    const names = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties.AlarmName,
    );
    expect(names.sort()).toEqual([
      'Shop-analytics-A-lag',
      'Shop-analytics-B-growth',
      'Shop-analytics-E-dead-letters',
      'Shop-analytics-E-undelivered',
      'Shop-analytics-H-stalled',
      'Shop-analytics-J-redelivery',
      'Shop-orders-G1-delivery-failed',
      'Shop-orders-G2-delivery-lost',
      'Shop-payments-A-lag',
      'Shop-payments-B-growth',
      'Shop-payments-E-dead-letters',
      'Shop-payments-E-undelivered',
      'Shop-payments-H-stalled',
      'Shop-payments-J-redelivery',
      'Shop-stock-mail-A-lag',
      'Shop-stock-mail-B-growth',
      'Shop-stock-mail-E-dead-letters',
      'Shop-stock-mail-E-undelivered',
      'Shop-stock-mail-H-stalled',
      'Shop-stock-mail-J-redelivery',
      'Shop-stock-moves-G1-delivery-failed',
      'Shop-stock-moves-G2-delivery-lost',
      'Shop-stock-moves-G3-filter-input',
    ]);
  });

  it('the lag alarm is the SLO on the age of the subscriber’s own queue', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'Shop-payments-A-lag',
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [{ Name: 'QueueName', Value: nameOf('PaymentsSubscriberQueue') }],
      Statistic: 'Maximum',
      Period: 60,
      Threshold: 60,
      ComparisonOperator: 'GreaterThanThreshold',
      DatapointsToAlarm: 3,
      EvaluationPeriods: 5,
      TreatMissingData: 'notBreaching',
      AlarmDescription: Match.stringLikeRegexp('docs/watch\\.md#lag$'),
    });
  });

  it('the stalled alarm is an expression over two metrics', () => {
    const [alarm] = Object.values(
      template.findResources('AWS::CloudWatch::Alarm', {
        Properties: { AlarmName: 'Shop-stock-mail-H-stalled' },
      }),
    );
    expect(alarm?.Properties).toMatchObject({ EvaluationPeriods: 10, DatapointsToAlarm: 10 });
    expect(alarm?.Properties.Metrics).toMatchObject([
      { Expression: 'IF(vis > 0, IF(FILL(del, 0) == 0, 1, 0), 0)', ReturnData: true },
      { Id: 'vis', MetricStat: { Stat: 'Maximum', Period: 60 }, ReturnData: false },
      { Id: 'del', MetricStat: { Stat: 'Sum', Period: 60 }, ReturnData: false },
    ]);
  });

  it('a topic for alarms hears every one, and the all-clear of those that have one', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const alarmTopic = new Topic(new Stack(app, 'Operations'), 'Alarms');
    const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarmTopic });
    const made = Template.fromStack(stack);
    made.allResourcesProperties(
      'AWS::CloudWatch::Alarm',
      Match.objectLike({ AlarmActions: [Match.anyValue()] }),
    );
    made.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'Shop-payments-E-dead-letters',
      OKActions: [Match.anyValue()],
    });
    template.allResourcesProperties(
      'AWS::CloudWatch::Alarm',
      Match.objectLike({ AlarmActions: Match.absent() }),
    );
  });

  it('CloudWatch may publish on the topic for alarms, and use its key', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const operations = new Stack(app, 'Operations');
    const alarmTopic = new Topic(operations, 'Alarms', { masterKey: new Key(operations, 'Key') });
    new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarmTopic });
    const made = Template.fromStack(operations);
    const principal = { Service: 'cloudwatch.amazonaws.com' };
    made.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([Match.objectLike({ Action: 'sns:Publish', Principal: principal })]),
      },
    });
    made.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: ['kms:Decrypt', 'kms:GenerateDataKey*'], Principal: principal }),
        ]),
      },
    });
  });
});

describe('What others need of the stack is at hand', () => {
  it('outputs: topics, queues, records, dashboard', () => {
    expect(Object.keys(template.toJSON().Outputs).sort()).toEqual([
      'DashboardUrl',
      'DeadLetterQueueUrlAnalytics',
      'DeadLetterQueueUrlPayments',
      'DeadLetterQueueUrlStockMail',
      'QueueUrlAnalytics',
      'QueueUrlPayments',
      'QueueUrlStockMail',
      'RecordsTable',
      'SubscriptionDeadLetterQueueUrlAnalytics',
      'SubscriptionDeadLetterQueueUrlPayments',
      'SubscriptionDeadLetterQueueUrlStockMail',
      'TopicArnOrders',
      'TopicArnStockMoves',
    ]);
  });

  it('every resource is a field', () => {
    const { stack } = shopStack();
    const payments = stack.subscriber('payments');
    expect(payments.queue.fifo).toBe(true);
    expect(payments.function.timeout?.toSeconds()).toBe(Duration.seconds(20).toSeconds());
    expect(payments.eventSource?.eventSourceMappingId).toBeDefined();
    expect([...payments.alarms.keys()]).toContain('payments-A-lag');
    expect(stack.alarms.size).toBe(23);
    expect(stack.topic('orders').fifo).toBe(true);
    expect(stack.records.tableName).toBeDefined();
  });

  it('a name that is not declared is refused with those that are', () => {
    const { stack } = shopStack();
    expect(() => stack.topic('order')).toThrow(
      'No topic is named "order"; declared are "orders", "stock-moves"',
    );
    // @ts-expect-error: the subscriber's name is part of the stack's type
    expect(() => stack.subscriber('payment')).toThrow('No subscriber is named "payment"');
  });

  it('a publisher may publish, to all topics or to one, and a function is told where', () => {
    const { stack } = shopStack();
    const role = new Role(stack, 'Teller', { assumedBy: new AccountPrincipal('123456789012') });
    stack.grantPublish(role);
    const code = Code.fromInline('exports.handler = async () => {}');
    const checkout = new LambdaFunction(stack, 'Checkout', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code,
    });
    stack.grantPublish(checkout, 'orders');
    const made = Template.fromStack(stack);
    const publishing = Object.entries(made.findResources('AWS::IAM::Policy')).filter(([, policy]) =>
      JSON.stringify(policy).includes('sns:Publish'),
    );
    expect(publishing.map(([id]) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'CheckoutServiceRoleDefaultPolicy',
      'TellerDefaultPolicy',
    ]);
    const [, all] = publishing.find(([id]) => id.startsWith('Teller'))!;
    expect(JSON.stringify(all)).toContain('StockMovesTopic');
    const [, one] = publishing.find(([id]) => id.startsWith('Checkout'))!;
    expect(JSON.stringify(one)).not.toContain('StockMovesTopic');
    made.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { SLUICE_TOPIC_ARN_ORDERS: { Ref: Match.stringLikeRegexp('OrdersTopic') } } },
    });
  });
});
