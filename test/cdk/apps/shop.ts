import { fileURLToPath } from 'node:url';
import {
  App,
  CfnOutput,
  aws_cloudwatch as cloudwatch,
  Duration,
  aws_dynamodb as dynamodb,
  aws_ec2 as ec2,
  aws_lambda as lambda,
  RemovalPolicy,
  Stack,
  aws_s3 as s3,
  aws_sns as sns,
  aws_sqs as sqs,
  aws_ssm as ssm,
} from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** What differs between two declarations of the same app. */
export interface ShopOptions {
  /** @default 30 s: in place */
  readonly visibility?: Duration;
  /** The name of the limit's parameter: another one needs another parameter. */
  readonly parameterName?: string;
  /** @default '5' */
  readonly limit?: string;
  /** @default - there is an archive */
  readonly withoutArchive?: boolean;
  /** Folder of the handler's code. */
  readonly code?: string;
  /** Something that the model does not have. */
  readonly withNetwork?: boolean;
  /** A queue that cannot be made, behind changes that can. */
  readonly withFault?: boolean;
}

/** Without it the CDK warns of what an app of two stacks is. */
const context = { '@aws-cdk/core:defaultCrossStackReferences': 'strong' };

/** Prices and their topic: another stack refers to what this one exports. */
class Catalog extends Stack {
  readonly topic: sns.Topic;
  readonly limit: ssm.StringParameter;

  constructor(scope: Construct, id: string, options: ShopOptions) {
    super(scope, id);
    this.topic = new sns.Topic(this, 'Prices', { displayName: 'Prices' });
    this.limit = new ssm.StringParameter(this, 'Limit', {
      parameterName: options.parameterName ?? '/shop/limit',
      stringValue: options.limit ?? '5',
    });
    new CfnOutput(this, 'TopicArn', { value: this.topic.topicArn });
  }
}

/** What reads the prices. */
class Readers extends Stack {
  constructor(scope: Construct, id: string, catalog: Catalog, options: ShopOptions) {
    super(scope, id);
    const letters = new sqs.Queue(this, 'Letters');
    const queue = new sqs.Queue(this, 'Queue', {
      visibilityTimeout: options.visibility ?? Duration.seconds(30),
      deadLetterQueue: { queue: letters, maxReceiveCount: 3 },
    });
    catalog.topic.addSubscription(new SqsSubscription(queue, { rawMessageDelivery: true }));
    const table = new dynamodb.TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: dynamodb.AttributeType.STRING },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const reader = new lambda.Function(this, 'Reader', {
      runtime: lambda.Runtime.NODEJS_20_X,
      handler: 'index.handler',
      code: lambda.Code.fromAsset(options.code ?? fileURLToPath(new URL('reader', import.meta.url))),
      environment: { TABLE: table.tableName, LIMIT: catalog.limit.stringValue },
    });
    reader.addEventSource(new SqsEventSource(queue, { batchSize: 5, reportBatchItemFailures: true }));
    table.grantWriteData(reader);
    const greeter = new lambda.Function(this, 'Greeter', {
      runtime: lambda.Runtime.NODEJS_20_X,
      handler: 'index.handler',
      code: lambda.Code.fromInline("exports.handler = async (event) => 'hello ' + event.name;"),
    });
    if (options.withoutArchive !== true)
      new s3.Bucket(this, 'Archive', { removalPolicy: RemovalPolicy.DESTROY, versioned: true });
    const alarm = new cloudwatch.Alarm(this, 'Lost', {
      metric: letters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      evaluationPeriods: 1,
    });
    new cloudwatch.Dashboard(this, 'Board', {
      dashboardName: `${this.stackName}-board`,
      widgets: [[new cloudwatch.AlarmWidget({ alarm, title: 'Lost letters' })]],
    });
    if (options.withNetwork === true) new ec2.Vpc(this, 'Network', { maxAzs: 1, natGateways: 0 });
    if (options.withFault === true) {
      const fault = new sqs.CfnQueue(this, 'Fault', { queueName: 'not a name' });
      fault.node.addDependency(table, reader);
    }
    new CfnOutput(this, 'QueueUrl', { value: queue.queueUrl });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'ReaderName', { value: reader.functionName });
    new CfnOutput(this, 'GreeterName', { value: greeter.functionName });
  }
}

/**
 * An app as anybody writes it with aws-cdk-lib alone: two stacks, the second of which imports from the first.
 *
 * @param outdir - where `app.synth()` writes the assembly
 */
export function shop(outdir?: string, options: ShopOptions = {}): App {
  const app = new App({ ...(outdir === undefined ? {} : { outdir }), analyticsReporting: false, context });
  const catalog = new Catalog(app, 'Catalog', options);
  new Readers(app, 'Readers', catalog, options);
  return app;
}
