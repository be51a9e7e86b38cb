import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Properties } from '../../../local/cloudformation/provider.ts';
import { providers } from '../../../local/cloudformation/providers/index.ts';
import { specimens } from './updates-specimens.ts';
import { inWorld, type World } from './updates-support.ts';

const first = <Value>(values: fc.Arbitrary<Value>): Value => fc.sample(values, { numRuns: 1, seed: 7 })[0]!;

describe('What is gone already is removed without a word', () => {
  it.each(specimens.map((specimen) => [specimen.type, specimen] as const))('%s', (type, specimen) =>
    inWorld(async (world) => {
      await specimen.prepare?.(world);
      const [properties] = first(specimen.pairs);
      const made = await world.create(type, properties);
      await world.remove(type, made, properties);
      await world.remove(type, made, properties);
    }),
  );

  it('a permission of a function that is gone', () =>
    inWorld(async (world) => {
      await world.call('lambda', 'CreateFunction', { FunctionName: 'worker', Role: 'role' });
      const properties = { FunctionName: 'worker', Action: 'lambda:InvokeFunction', Principal: 'a' };
      const made = await world.create('AWS::Lambda::Permission', properties);
      await world.remove('AWS::Lambda::Permission', made, properties);
      await world.remove('AWS::Lambda::Permission', made, properties);
      await world.call('lambda', 'DeleteFunction', { FunctionName: 'worker' });
      await world.remove('AWS::Lambda::Permission', made, properties);
    }));

  it('policies whose queues, topics, buckets and roles are gone', () =>
    inWorld(async (world) => {
      const attached: readonly (readonly [string, string, Properties])[] = [
        ['AWS::SQS::QueuePolicy', 'Queues', {}],
        ['AWS::SNS::TopicPolicy', 'Topics', {}],
        ['AWS::IAM::Policy', 'Roles', { PolicyName: 'p' }],
      ];
      for (const [type, list, rest] of attached) {
        const made = await world.create(type, { ...rest, [list]: [], PolicyDocument: {} });
        await world.remove(type, made, { ...rest, [list]: ['http://none/none', 'none'] });
      }
      const gone = { physicalId: 'none', attributes: {} };
      await world.remove('AWS::S3::BucketPolicy', gone, { Bucket: 'none' });
    }));
});

describe('What holds something is not removed', () => {
  it('a bucket with an object', () =>
    inWorld(async ({ create, remove, call }) => {
      const made = await create('AWS::S3::Bucket');
      const object = { Bucket: made.physicalId, Key: 'a' };
      await call('s3', 'PutObject', { ...object, Body: Buffer.from('x') });
      await expect(remove('AWS::S3::Bucket', made)).rejects.toMatchObject({ name: 'BucketNotEmpty' });
      await call('s3', 'DeleteObject', object);
      await remove('AWS::S3::Bucket', made);
    }));

  it('a managed policy that a role of others has', () =>
    inWorld(async ({ create, remove, iam }) => {
      const properties = { PolicyDocument: {} };
      const made = await create('AWS::IAM::ManagedPolicy', properties);
      const role = await create('AWS::IAM::Role', {
        AssumeRolePolicyDocument: {},
        ManagedPolicyArns: [made.physicalId],
      });
      await expect(remove('AWS::IAM::ManagedPolicy', made, properties)).rejects.toMatchObject({
        name: 'DeleteConflictException',
      });
      expect(iam.managedPolicy(made.physicalId)).toBeDefined();
      await remove('AWS::IAM::Role', role);
      await remove('AWS::IAM::ManagedPolicy', made, properties);
    }));
});

describe('A bucket with a policy', () => {
  it('is given no second one, whose removal would take the first', () =>
    inWorld(async ({ create, call }) => {
      await create('AWS::S3::Bucket', { BucketName: 'assets' });
      const policy = (Id: string) => ({ Bucket: 'assets', PolicyDocument: { Id } });
      await create('AWS::S3::BucketPolicy', policy('one'));
      await expect(create('AWS::S3::BucketPolicy', policy('two'), 'Other')).rejects.toThrow(/exists/);
      expect(await call('s3', 'GetBucketPolicy', { Bucket: 'assets' })).toEqual({ Policy: '{"Id":"one"}' });
    }));
});

describe('A name that is taken is refused, and what has it stays as it is', () => {
  const dashboard = (markdown: string) => ({
    DashboardBody: JSON.stringify({ widgets: [{ type: 'text', properties: { markdown } }] }),
  });
  const alarm = (Threshold: number) => ({
    ...{ Namespace: 'AWS/SQS', MetricName: 'Age', Statistic: 'Maximum', Period: 60, Threshold },
    ...{ ComparisonOperator: 'GreaterThanThreshold', EvaluationPeriods: 1 },
  });
  const look = {
    alarm: (world: World) => world.call('cloudwatch', 'DescribeAlarms', { AlarmNames: ['taken'] }),
    composite: (world: World) =>
      world.call('cloudwatch', 'DescribeAlarms', { AlarmTypes: ['CompositeAlarm'] }),
    dashboard: (world: World) => world.call('cloudwatch', 'GetDashboard', { DashboardName: 'taken' }),
  };
  type Look = (world: World) => Promise<unknown>;
  const cases: readonly (readonly [type: string, one: Properties, other: Properties, look?: Look])[] = [
    ['AWS::SQS::Queue', { QueueName: 'taken' }, { QueueName: 'taken' }],
    ['AWS::SNS::Topic', { TopicName: 'taken' }, { TopicName: 'taken' }],
    ['AWS::S3::Bucket', { BucketName: 'taken' }, { BucketName: 'taken' }],
    [
      'AWS::CloudWatch::Alarm',
      { AlarmName: 'taken', ...alarm(1) },
      { AlarmName: 'taken', ...alarm(2) },
      look.alarm,
    ],
    [
      'AWS::CloudWatch::CompositeAlarm',
      { AlarmName: 'taken', AlarmRule: 'TRUE' },
      { AlarmName: 'taken', AlarmRule: 'FALSE' },
      look.composite,
    ],
    [
      'AWS::CloudWatch::Dashboard',
      { DashboardName: 'taken', ...dashboard('1') },
      { DashboardName: 'taken', ...dashboard('2') },
      look.dashboard,
    ],
    [
      'AWS::SSM::Parameter',
      { Name: '/taken', Type: 'String', Value: '1' },
      { Name: '/taken', Type: 'String', Value: '2' },
      (world) => world.call('ssm', 'GetParameter', { Name: '/taken' }),
    ],
    ['AWS::ECR::Repository', { RepositoryName: 'taken' }, { RepositoryName: 'taken' }],
    [
      'AWS::IAM::Role',
      { RoleName: 'taken', AssumeRolePolicyDocument: {} },
      { RoleName: 'taken', AssumeRolePolicyDocument: {} },
    ],
    [
      'AWS::IAM::ManagedPolicy',
      { ManagedPolicyName: 'taken', PolicyDocument: {} },
      { ManagedPolicyName: 'taken', PolicyDocument: {} },
    ],
  ];
  it.each(cases.map((each) => [each[0], each] as const))('%s', (_type, [type, one, other, lookAt]) =>
    inWorld(async (world) => {
      await world.create(type, one);
      const before = await lookAt?.(world);
      await expect(world.create(type, other, 'Other')).rejects.toThrow(/exists/);
      expect(await lookAt?.(world)).toEqual(before);
    }),
  );

  it('and every type with a name of its own is among them, or cannot be had twice', () => {
    const named = Object.entries(providers).filter(([, { nameProperty }]) => nameProperty !== undefined);
    const without = named.map(([type]) => type).filter((type) => !cases.some(([one]) => one === type));
    expect(without).toEqual([
      'AWS::DynamoDB::GlobalTable',
      'AWS::DynamoDB::Table',
      'AWS::KMS::Alias',
      'AWS::Lambda::Alias',
      'AWS::Lambda::Function',
      'AWS::Logs::LogGroup',
    ]);
  });
});

describe('A queue with a name of its own', () => {
  it('can be made again as soon as its stack is gone, where a caller of SQS has to wait', () =>
    inWorld(async ({ create, remove, call }) => {
      const properties = { QueueName: 'orders' };
      const made = await create('AWS::SQS::Queue', properties);
      await remove('AWS::SQS::Queue', made, properties);
      const again = await create('AWS::SQS::Queue', properties);
      await call('sqs', 'DeleteQueue', { QueueUrl: again.physicalId });
      await expect(create('AWS::SQS::Queue', properties)).rejects.toMatchObject({
        name: 'QueueDeletedRecently',
      });
    }));
});
