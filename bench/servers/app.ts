import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Dashboard, GraphWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';

/*
 * The probe stack, in plain aws-cdk-lib: two topics, four queues, two functions, a table, two alarms, a dashboard. Nothing in
 * it is beyond any of the servers.
 */
const stack = new Stack(new App(), 'Probe');
const table = new Table(stack, 'Records', {
  partitionKey: { name: 'pk', type: AttributeType.STRING },
  billingMode: BillingMode.PAY_PER_REQUEST,
  removalPolicy: RemovalPolicy.DESTROY,
});
const dashboard = new Dashboard(stack, 'Dashboard');
for (const name of ['First', 'Second']) {
  const topic = new Topic(stack, `${name}Topic`);
  const deadLetters = new Queue(stack, `${name}DeadLetters`, { retentionPeriod: Duration.days(14) });
  const queue = new Queue(stack, `${name}Queue`, {
    visibilityTimeout: Duration.seconds(60),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 5 },
  });
  topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true }));
  const consumer = new LambdaFunction(stack, `${name}Function`, {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromAsset(process.env.PROBE_CODE ?? ''),
    timeout: Duration.seconds(10),
    memorySize: 256,
    environment: { RECORDS: table.tableName, QUEUE: name },
  });
  table.grantWriteData(consumer);
  consumer.addEventSource(new SqsEventSource(queue, { batchSize: 10 }));
  const depth = queue.metricApproximateNumberOfMessagesVisible();
  depth.createAlarm(stack, `${name}Depth`, { threshold: 10_000, evaluationPeriods: 3 });
  dashboard.addWidgets(new GraphWidget({ left: [depth], width: 12 }));
  new CfnOutput(stack, `${name}TopicArn`, { value: topic.topicArn });
  new CfnOutput(stack, `${name}QueueUrl`, { value: queue.queueUrl });
}
new CfnOutput(stack, 'Table', { value: table.tableName });
