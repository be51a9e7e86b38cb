import { Duration, RemovalPolicy, Size, type Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Consumer, ConsumerFunction, type ConsumerFunctionProps } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { handlers } from '../fixtures/shop.ts';
import { allowedIn, propertiesOf, resourcesOf, workplace } from './support.ts';

/** A consumer function by itself, with these props. */
function alone(props: (stack: Stack) => Partial<ConsumerFunctionProps> = () => ({})) {
  const { stack, place } = workplace();
  const entry = `${handlers}/payments.ts`;
  const consumer = new ConsumerFunction(stack, 'Consumer', { ...place, entry, ...props(stack) });
  const [properties] = propertiesOf(stack, 'AWS::Lambda::Function');
  const [log] = Object.values(resourcesOf(stack)).filter(({ Type }) => Type === 'AWS::Logs::LogGroup');
  return { stack, consumer, properties: properties!, log: log!.Properties };
}

describe('A consumer function stands alone, with flat props', () => {
  it('each with a default', () => {
    const { stack, properties, log } = alone();
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      Timeout: 30,
      MemorySize: 256,
    });
    expect(log).toEqual({ RetentionInDays: 30 });
    expect(propertiesOf(stack, 'AWS::Lambda::EventSourceMapping')).toEqual([
      expect.objectContaining({ BatchSize: 10, ScalingConfig: { MaximumConcurrency: 10 } }),
    ]);
    for (const absent of ['Description', 'FunctionName', 'KmsKeyArn', 'TracingConfig', 'VpcConfig'])
      expect(properties[absent]).toBeUndefined();
  });

  it('each reaches AWS under its own name', () => {
    const { stack, properties, log } = alone(() => ({
      functionName: 'charge',
      description: 'x'.repeat(300),
      timeout: Duration.minutes(1),
      memorySize: Size.gibibytes(1),
      batchSize: 50,
      maxBatchingWindow: Duration.seconds(3),
      maxConcurrency: 7,
      logRetention: RetentionDays.ONE_YEAR,
      logRemovalPolicy: RemovalPolicy.RETAIN,
      tracing: Tracing.ACTIVE,
      environment: { A: 'b' },
    }));
    expect(properties).toMatchObject({
      FunctionName: 'charge',
      Description: 'x'.repeat(256),
      Timeout: 60,
      MemorySize: 1024,
      TracingConfig: { Mode: 'Active' },
      Environment: { Variables: { A: 'b', SLUICE_QUEUE_URL: expect.anything() } },
    });
    expect(log).toEqual({ RetentionInDays: 365 });
    expect(allowedIn(stack).filter((line) => line.startsWith('xray:'))).toEqual([
      'xray:PutTelemetryRecords "*"',
      'xray:PutTraceSegments "*"',
    ]);
    expect(propertiesOf(stack, 'AWS::Lambda::EventSourceMapping')[0]).toMatchObject({
      BatchSize: 50,
      MaximumBatchingWindowInSeconds: 3,
      ScalingConfig: { MaximumConcurrency: 7 },
    });
    const retained = Object.values(resourcesOf(stack)).find(({ Type }) => Type === 'AWS::Logs::LogGroup');
    expect(retained).toMatchObject({ DeletionPolicy: 'Retain' });
  });

  it('options of one consumer go before what the stack says, and the declaration is behind both', () => {
    const { stack, bind } = workplace();
    bind(Consumer.nodejs({ memorySize: Size.mebibytes(512), logRetention: undefined }), {
      functionOptions: { memorySize: Size.mebibytes(300), logRetention: RetentionDays.ONE_WEEK },
    });
    const [properties] = propertiesOf(stack, 'AWS::Lambda::Function');
    expect(properties).toMatchObject({
      MemorySize: 512,
      Timeout: 30,
      Description: expect.stringMatching('analytics'),
    });
    expect(propertiesOf(stack, 'AWS::Logs::LogGroup')).toEqual([{ RetentionInDays: 7 }]);
  });
});

describe('Its role', () => {
  it('may do what the pollers and the runtime do, each on one thing, and nothing on all', () => {
    const { stack } = alone();
    const allowed = allowedIn(stack);
    const actions = (service: string) =>
      allowed.filter((line) => line.startsWith(`${service}:`)).map((line) => line.split(' ')[0]);
    expect(actions('sqs').sort()).toEqual([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
      'sqs:SendMessage',
    ]);
    expect(actions('logs').sort()).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
    // A log group's ARN ends in `:*`, which is its streams.
    expect(allowed.find((line) => line.startsWith('logs:'))).toContain('ConsumerLogGroup');
    expect(allowed.filter((line) => line.includes('"*"'))).toEqual([]);
    expect(
      propertiesOf(stack, 'AWS::IAM::Role').flatMap(({ ManagedPolicyArns }) => ManagedPolicyArns ?? []),
    ).toEqual([]);
  });
});

describe('A function in a network of the account', () => {
  it('is placed where it is told, and its role lets Lambda make interfaces, and nothing else', () => {
    const { stack, properties } = alone((scope) => {
      // The CDK's own type of networks does not stand `exactOptionalPropertyTypes`.
      const vpc = new Vpc(scope, 'Vpc', { maxAzs: 2, natGateways: 1 }) as IVpc;
      return {
        vpc,
        vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
        securityGroups: [new SecurityGroup(scope, 'Group', { vpc })],
      };
    });
    const { SubnetIds, SecurityGroupIds } = properties.VpcConfig as {
      SubnetIds: object[];
      SecurityGroupIds: object[];
    };
    expect(SubnetIds).toHaveLength(2);
    expect(JSON.stringify(SubnetIds)).toContain('PrivateSubnet');
    expect(JSON.stringify(SecurityGroupIds)).toContain('Group');
    // Lambda connects the function as it makes it.
    const made = Object.values(resourcesOf(stack)).find(({ Type }) => Type === 'AWS::Lambda::Function');
    expect(JSON.stringify(made)).toMatch(/"DependsOn":\[[^\]]*NamelessResources/);
    const onAll = allowedIn(stack).filter((line) => line.endsWith(' "*"'));
    expect(onAll.sort()).toEqual(
      [
        'AssignPrivateIpAddresses',
        'CreateNetworkInterface',
        'DeleteNetworkInterface',
        'DescribeNetworkInterfaces',
        'DescribeSubnets',
        'UnassignPrivateIpAddresses',
      ].map((action) => `ec2:${action} "*"`),
    );
    expect(
      propertiesOf(stack, 'AWS::IAM::Role').filter(({ ManagedPolicyArns }) => ManagedPolicyArns),
    ).toEqual([]);
  });
});

describe('A customer key', () => {
  it('encrypts log and environment; the role may decrypt, and CloudWatch Logs may use it', () => {
    const { stack, properties, log } = alone((scope) => ({ encryptionKey: new Key(scope, 'Key') }));
    const key = { 'Fn::GetAtt': [expect.stringMatching(/^Key/), 'Arn'] };
    expect(properties.KmsKeyArn).toEqual(key);
    expect(log.KmsKeyId).toEqual(key);
    expect(allowedIn(stack)).toContainEqual(expect.stringMatching(/^kms:Decrypt .*Key/));
    expect(JSON.stringify(propertiesOf(stack, 'AWS::KMS::Key'))).toContain(
      'kms:EncryptionContext:aws:logs:arn',
    );
  });

  it('that was imported: its owner is told the statement', () => {
    const { stack } = alone((scope) => ({
      encryptionKey: Key.fromKeyArn(scope, 'Key', 'arn:aws:kms:eu-west-1:111122223333:key/abc'),
    }));
    const warnings = Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('logs\\.'));
    expect(warnings).toHaveLength(1);
  });
});
