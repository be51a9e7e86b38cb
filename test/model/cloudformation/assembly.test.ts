import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { loadAssembly } from '../../../local/cloudformation/index.ts';
import { assemblyFolder, prepare } from './support.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const remove of open.splice(0)) remove();
});

describe('An app of aws-cdk-lib is deployed as it was synthesized', () => {
  it('with its queues, subscription, table, function, roles and alarms', async () => {
    const outdir = mkdtempSync(join(tmpdir(), 'sluice-synth-'));
    const code = assemblyFolder({ 'index.mjs': 'export const handler = async () => 1;' });
    open.push(() => rmSync(outdir, { recursive: true }), code.remove);
    const app = new App({ outdir, analyticsReporting: false });
    const stack = new Stack(app, 'Probe');
    const url = new CfnParameter(stack, 'ProviderUrl', { default: 'http://provider' });
    const topic = new Topic(stack, 'Topic', { fifo: true, enforceSSL: true });
    const deadLetters = new Queue(stack, 'DeadLetters', { fifo: true });
    const queue = new Queue(stack, 'Queue', {
      fifo: true,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(180),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: 100 },
    });
    topic.addSubscription(
      new SqsSubscription(queue, { rawMessageDelivery: true, deadLetterQueue: deadLetters }),
    );
    const table = new TableV2(stack, 'Records', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const worker = new LambdaFunction(stack, 'Worker', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(code.folder),
      environment: { TABLE: table.tableName, URL: url.valueAsString },
    });
    table.grantReadWriteData(worker);
    worker.addEventSource(new SqsEventSource(queue, { reportBatchItemFailures: true, maxConcurrency: 5 }));
    queue
      .metricApproximateAgeOfOldestMessage()
      .createAlarm(stack, 'Lag', { threshold: 60, evaluationPeriods: 3 });
    new CfnOutput(stack, 'QueueUrl', { value: queue.queueUrl });
    app.synth();

    const { cloudformation, inputs, code: provided } = prepare();
    const deployed = await cloudformation.deploy(loadAssembly(outdir), 'Probe', {
      parameters: { ProviderUrl: 'http://127.0.0.1:1' },
    });

    expect(deployed.outputs.QueueUrl).toMatch(/Probe-Queue\w+-\w{12}\.fifo$/);
    const [created] = inputs('CreateFunction');
    const { S3Bucket, S3Key } = created!.Code as { S3Bucket: string; S3Key: string };
    expect(provided.get(`${S3Bucket}/${S3Key}`)).toBe(join(outdir, `asset.${S3Key.replace('.zip', '')}`));
    expect(created!.Environment).toMatchObject({ Variables: { URL: 'http://127.0.0.1:1' } });
    expect(inputs('CreateEventSourceMapping')[0]).toMatchObject({
      EventSourceArn: expect.stringMatching(/^arn:aws:sqs:us-east-1:000000000000:Probe-Queue/),
      ScalingConfig: { MaximumConcurrency: 5 },
    });
    expect(inputs('PutMetricAlarm')[0]).toMatchObject({ Threshold: 60, EvaluationPeriods: 3 });
    expect(cloudformation.roles()[0]!.managedPolicyArns).toEqual([
      'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole',
    ]);
    expect(deployed.warnings).toEqual([
      expect.stringMatching(/^Records\w+: PointInTimeRecoverySpecification has no effect/),
    ]);
  });
});

describe('An assembly is read from its folder', () => {
  it('with the stacks of its stages, their parameters and the names that they were given', () => {
    const stackArtifact = (stackName: string) => ({
      type: 'aws:cloudformation:stack',
      properties: {
        templateFile: 'a.template.json',
        stackName,
        parameters: { Size: 3 },
        tags: { team: 'a' },
      },
    });
    const { folder, remove } = assemblyFolder({
      'manifest.json': {
        artifacts: {
          Outer: stackArtifact('outer-name'),
          Stage: { type: 'cdk:cloud-assembly', properties: { directoryName: 'stage' } },
        },
      },
      'a.template.json': { Resources: {} },
      'stage/manifest.json': { artifacts: { Inner: stackArtifact('inner-name') } },
      'stage/a.template.json': { Resources: {} },
    });
    open.push(remove);
    const stack = (name: string) => ({
      name,
      template: { Resources: {} },
      text: '{"Resources":{}}',
      parameters: { Size: '3' },
      tags: { team: 'a' },
    });
    expect(loadAssembly(folder).stacks).toEqual([stack('outer-name'), stack('inner-name')]);
  });

  it('or is refused with the file that is missing or is no JSON', () => {
    const { folder, remove } = assemblyFolder({ 'manifest.json': '{' });
    open.push(remove);
    expect(() => loadAssembly(folder)).toThrow(/manifest\.json is not JSON/);
    expect(() => loadAssembly(join(folder, 'none'))).toThrow(
      /manifest\.json does not exist: synthesize the app first/,
    );
  });
});
