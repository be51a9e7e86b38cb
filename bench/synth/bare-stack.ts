import { fileURLToPath } from 'node:url';
import { type App, CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  AlarmWidget,
  ComparisonOperator,
  CompositeAlarm,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, EventSourceMapping, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { FifoThroughputScope, Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The orders' resources as somebody writes them with the CDK alone: what their synthesis costs is what a stack of sluice is
 * measured by.
 */
export function bareStack(app: App): Stack {
  const stack = new Stack(app, 'Orders', { terminationProtection: true });

  const table = (id: string) =>
    new Table(stack, id, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
  const records = table('Records');
  const tables = { inventory: table('Stock'), analytics: table('Revenue') };
  const topic = new Topic(stack, 'Topic', {
    fifo: true,
    fifoThroughputScope: FifoThroughputScope.MESSAGE_GROUP,
    enforceSSL: true,
  });

  const expression = (text: string, usingMetrics: Record<string, IMetric>) =>
    new MathExpression({ expression: text, usingMetrics, period: Duration.minutes(1) });

  function alarm(scope: Construct, id: string, metric: IMetric, threshold: number): Alarm {
    return new Alarm(scope, id, {
      metric,
      threshold,
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${id}: see the runbook`,
    });
  }

  const failed = (metricName: string) =>
    new Metric({
      namespace: 'AWS/SNS',
      metricName,
      dimensionsMap: { TopicName: topic.topicName },
      period: Duration.minutes(1),
      statistic: 'Sum',
    });
  const alarms = [
    alarm(stack, 'Failed', failed('NumberOfNotificationsFailed'), 0),
    alarm(stack, 'FailedToRedrive', failed('NumberOfNotificationsFailedToRedriveToDlq'), 0),
  ];
  const dashboard = new Dashboard(stack, 'Dashboard', { dashboardName: 'Orders' });

  function queue(id: string, fifo: boolean, deadLetterQueue?: Queue): Queue {
    return new Queue(stack, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      receiveMessageWaitTime: Duration.seconds(20),
      visibilityTimeout: Duration.seconds(180),
      retentionPeriod: Duration.days(14),
      ...(fifo
        ? {
            fifo: true,
            deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
            fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
          }
        : {}),
      ...(deadLetterQueue === undefined
        ? {}
        : { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 100 } }),
    });
  }

  function letDeliver(to: Queue): void {
    to.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        resources: [to.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
      }),
    );
  }

  /** As many alarms more as the full set of a subscriber has, and the composites over them. */
  function fullSet(name: string, age: IMetric, visible: IMetric, deleted: IMetric): Alarm[] {
    const made = Array.from({ length: 15 }, (_, index) =>
      alarm(
        stack,
        `${name}Full${index}`,
        expression('IF(v > 100 AND FILL(a,0) > 60, v/(FILL(d,0)+1), 0)', { v: visible, a: age, d: deleted }),
        index,
      ),
    );
    for (const [index, id] of ['Burn', 'Page', 'Ticket'].entries())
      new CompositeAlarm(stack, `${name}${id}`, {
        alarmRule: AlarmRule.anyOf(...made.slice(index * 3, index * 3 + 3)),
      });
    return made;
  }

  function subscriber(name: string, fifo: boolean, address?: string, full = false): void {
    const deadLetters = queue(`${name}DeadLetters`, fifo);
    const messages = queue(`${name}Queue`, fifo, deadLetters);
    const undelivered = queue(`${name}Undelivered`, true);
    letDeliver(messages);
    letDeliver(undelivered);
    new Subscription(stack, `${name}Subscription`, {
      topic,
      protocol: SubscriptionProtocol.SQS,
      endpoint: messages.queueArn,
      rawMessageDelivery: true,
      deadLetterQueue: undelivered,
    });
    const logGroup = new LogGroup(stack, `${name}Log`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(stack, `${name}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    messages.grantConsumeMessages(role);
    deadLetters.grantSendMessages(role);
    records.grantReadWriteData(role);
    const consumer = new NodejsFunction(stack, `${name}Function`, {
      entry: `${root}/examples/orders/handlers/${name}.ts`,
      depsLockFilePath: `${root}/package-lock.json`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.seconds(30),
      role,
      logGroup,
      environment: {
        RECORDS_TABLE: records.tableName,
        QUEUE_URL: messages.queueUrl,
        DEAD_LETTER_QUEUE_URL: deadLetters.queueUrl,
      },
      bundling: {
        format: OutputFormat.ESM,
        target: 'node20',
        minify: true,
        externalModules: [],
        mainFields: ['module', 'main'],
        banner:
          "import{createRequire as createBareRequire}from'node:module';const require=createBareRequire(import.meta.url);",
      },
    });
    new EventSourceMapping(stack, `${name}Source`, {
      target: consumer,
      eventSourceArn: messages.queueArn,
      batchSize: 10,
      maxConcurrency: 50,
      reportBatchItemFailures: true,
    });
    const own = (tables as Record<string, Table>)[name];
    if (own !== undefined) {
      own.grant(consumer, 'dynamodb:UpdateItem');
      consumer.addEnvironment('TABLE', own.tableName);
    }
    if (address !== undefined)
      consumer.addEnvironment(
        'URL',
        new CfnParameter(stack, `${name}Url`, { type: 'String', default: address }).valueAsString,
      );
    const [visible, sent, deleted, received] = [
      'ApproximateNumberOfMessagesVisible',
      'NumberOfMessagesSent',
      'NumberOfMessagesDeleted',
      'NumberOfMessagesReceived',
    ].map((metricName) => messages.metric(metricName, { period: Duration.minutes(1) })) as [
      Metric,
      Metric,
      Metric,
      Metric,
    ];
    const age = messages.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) });
    const found = [
      alarm(stack, `${name}Lag`, age, 60),
      alarm(
        stack,
        `${name}Growth`,
        expression('IF(v > 100 AND DIFF(v) > 0 AND FILL(s,0) > FILL(d,0), 1, 0)', {
          v: visible,
          s: sent,
          d: deleted,
        }),
        0,
      ),
      alarm(stack, `${name}Dead`, deadLetters.metricApproximateNumberOfMessagesVisible(), 0),
      alarm(stack, `${name}Lost`, undelivered.metricApproximateNumberOfMessagesVisible(), 0),
      alarm(
        stack,
        `${name}Stalled`,
        expression('IF(v > 0 AND FILL(d,0) == 0, 1, 0)', { v: visible, d: deleted }),
        0,
      ),
      alarm(
        stack,
        `${name}Again`,
        expression('IF(FILL(r,0) > 100, FILL(r,0)/(FILL(d,0)+1), 0)', { r: received, d: deleted }),
        1.3,
      ),
    ];
    if (full) found.push(...fullSet(name, age, visible, deleted));
    alarms.push(...found);
    dashboard.addWidgets(
      new GraphWidget({ title: `${name}: lag`, left: [age], width: 6 }),
      new GraphWidget({ title: `${name}: backlog`, left: [visible], width: 6 }),
      new GraphWidget({ title: `${name}: in and out`, left: [sent, deleted], width: 6 }),
      new GraphWidget({
        title: `${name}: function`,
        left: [consumer.metricErrors()],
        right: [consumer.metricDuration()],
        width: 6,
      }),
      ...found.map((each) => new AlarmWidget({ alarm: each, width: 4 })),
    );
    new CfnOutput(stack, `${name}QueueUrl`, { value: messages.queueUrl });
    new CfnOutput(stack, `${name}DeadLetterQueueUrl`, { value: deadLetters.queueUrl });
  }

  subscriber('payments', true, 'https://payments.example.com', true);
  subscriber('inventory', true);
  subscriber('email', false, 'https://mail.example.com');
  subscriber('analytics', false);
  subscriber('fraud', true, 'https://fraud.example.com');
  new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
  return stack;
}
