import { describe, expect, it } from 'vitest';
import { findViolations, type StackTemplate, type Template } from '../../lib/rules/index.ts';

type Resources = NonNullable<Template['Resources']>;

const violations = (Resources: Resources, more: Partial<StackTemplate> = {}): string[] =>
  findViolations([{ path: 'Shop', name: 'Shop', template: { Resources }, ...more }]).map(
    ({ rule, logicalId }) => `${rule} ${logicalId}`,
  );

const queue = (Properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties });
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const put = (name: string): string => `\${${name}}`;
const here = (service: string, name: string) => ({
  'Fn::Sub': `arn:${put('AWS::Partition')}:${service}:${put('AWS::Region')}:${put('AWS::AccountId')}:${name}`,
});

describe('A dead-letter queue is found however it is named', () => {
  /** The dead letters expire with their source: seen when the reference is. */
  const judge = (target: unknown, policy: (redrive: object) => unknown = (redrive) => redrive) =>
    violations({
      DeadLetters: queue({ QueueName: 'dead' }),
      Queue: queue({ RedrivePolicy: policy({ deadLetterTargetArn: target, maxReceiveCount: '10' }) }),
    });

  it.each([
    ['by attribute', arn('DeadLetters')],
    ['by attribute in words', { 'Fn::GetAtt': 'DeadLetters.Arn' }],
    ['in a text that is nothing else', { 'Fn::Sub': put('DeadLetters.Arn') }],
    ['in a join of one', { 'Fn::Join': ['', [arn('DeadLetters'), { Ref: 'AWS::NoValue' }, '']] }],
    ['by both ways of a condition', { 'Fn::If': ['InEurope', arn('DeadLetters'), arn('DeadLetters')] }],
    ['by its ARN', here('sqs', 'dead')],
  ])('%s', (_, target) => {
    expect(judge(target)).toEqual(['dead-letter-retention DeadLetters']);
  });

  it('in a policy that is a text', () => {
    expect(
      judge('', () => JSON.stringify({ deadLetterTargetArn: 'arn:aws:sqs:::dead', maxReceiveCount: 10 })),
    ).toEqual(['dead-letter-retention DeadLetters']);
  });

  it.each([
    ['by a parameter', { Ref: 'DeadLetterArn' }],
    ['by one of two ways', { 'Fn::If': ['InEurope', arn('DeadLetters'), { Ref: 'Other' }] }],
    ['by a name with a parameter in it', { 'Fn::Sub': `arn:aws:sqs:::${put('Name')}` }],
    ['in a map', { 'Fn::FindInMap': ['Queues', { Ref: 'AWS::Region' }, 'Dead'] }],
    ['by a macro', { 'Fn::Transform': { Name: 'Dead' } }],
  ])('and not where only the deployment knows it: %s', (_, target) => {
    expect(judge(target)).toEqual([]);
  });
});

describe('Functions and policies are found however they are named', () => {
  const consumer = (functionName: unknown, Resources: Resources = {}) =>
    violations({
      Queue: queue({ RedrivePolicy: { deadLetterTargetArn: { Ref: 'Dead' }, maxReceiveCount: 10 } }),
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: { FunctionName: 'consumer', Timeout: 60 },
      },
      EventSource: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: { EventSourceArn: arn('Queue'), FunctionName: functionName, BatchSize: 1 },
      },
      ...Resources,
    });
  const alias = {
    Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Function' } } },
    Alias: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: arn('Function'), Name: 'live' } },
  };

  it.each([
    ['by reference', { Ref: 'Function' }],
    ['by an alias', { Ref: 'Alias' }],
    ['by a version', { Ref: 'Version' }],
    ['by name', 'consumer'],
    ['by ARN', here('lambda', 'function:consumer')],
    ['by ARN with a qualifier', here('lambda', 'function:consumer:live')],
  ])('%s', (_, name) => {
    expect(consumer(name, alias)).toEqual(['visibility-below-timeout Queue']);
  });

  it('a policy by the URL of its queue', () => {
    const judge = (Queues: readonly unknown[]) =>
      violations({
        Topic: { Type: 'AWS::SNS::Topic' },
        Queue: queue({ QueueName: 'orders', RedrivePolicy: { Ref: 'Parameter' } }),
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: {
            TopicArn: { Ref: 'Topic' },
            Protocol: 'sqs',
            Endpoint: arn('Queue'),
            RedrivePolicy: { Ref: 'Parameter' },
          },
        },
        Policy: {
          Type: 'AWS::SQS::QueuePolicy',
          Properties: {
            Queues,
            PolicyDocument: {
              Statement: {
                Effect: 'Allow',
                Principal: '*',
                Action: 'SQS:Send*',
                Resource: '*',
                Condition: { ArnLike: { 'AWS:SourceArn': { Ref: 'Topic' } } },
              },
            },
          },
        },
      });
    expect(judge(['https://sqs.eu-west-1.amazonaws.com/111111111111/orders'])).toEqual([]);
    expect(judge([{ Ref: 'Parameter' }])).toEqual([]);
    expect(judge([])).toEqual(['delivery-policy Queue']);
  });

  it('subscriptions that are written into their topic', () => {
    expect(
      violations({
        Topic: {
          Type: 'AWS::SNS::Topic',
          Properties: { Subscription: [{ Protocol: 'sqs', Endpoint: arn('Queue') }] },
        },
        Queue: queue({ RedrivePolicy: { Ref: 'Parameter' } }),
      }),
    ).toEqual(['subscription-dead-letter-missing Topic', 'delivery-policy Queue']);
  });
});

describe('A template may be as odd as it likes', () => {
  it('with references that lead back to themselves', () => {
    const round = { 'Fn::ImportValue': 'Round' };
    expect(
      violations(
        { Queue: queue({ DelaySeconds: round, QueueName: round }) },
        {
          template: {
            Resources: { Queue: queue({ DelaySeconds: round }) },
            Outputs: { Round: { Value: round, Export: { Name: 'Round' } } },
          },
        },
      ),
    ).toEqual([]);
    const outputs = { Value: { 'Fn::GetAtt': ['Inner', 'Outputs.Round'] } };
    expect(
      findViolations([
        { path: 'Outer', template: { Resources: { Queue: queue({ DelaySeconds: outputs.Value }) } } },
        {
          path: 'Outer/Inner',
          parent: { path: 'Outer', logicalId: 'Inner' },
          template: { Outputs: { Round: { Value: { Ref: 'Given' } } } },
        },
      ]),
    ).toEqual([]);
  });

  it('without resources, or with none that messages meet', () => {
    expect(findViolations([{ path: 'Empty', template: {} }])).toEqual([]);
    expect(violations({ Bucket: { Type: 'AWS::S3::Bucket' } })).toEqual([]);
  });

  it('with a macro in its properties: what is left out may be put in', () => {
    const macro = { 'Fn::Transform': { Name: 'AWS::Include' } };
    expect(
      violations({
        Topic: { Type: 'AWS::SNS::Topic', Properties: macro },
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: { ...macro, TopicArn: { Ref: 'Topic' }, Protocol: 'sqs', Endpoint: arn('Queue') },
        },
        Queue: queue({ ...macro, KmsMasterKeyId: { Ref: 'Key' } }),
        Policy: { Type: 'AWS::SQS::QueuePolicy', Properties: macro },
      }),
    ).toEqual([]);
  });
});

describe('Whoever reads a queue, its last net is judged', () => {
  const judge = (maxReceiveCount: number) =>
    violations({
      DeadLetters: queue({ MessageRetentionPeriod: 1_209_600 }),
      Queue: queue({ RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount } }),
    });

  it.each([1, 1001])('of %i receives, read by nobody of the app', (count) => {
    expect(judge(count)).toEqual(['max-receive-count Queue']);
  });

  it.each([2, 1000])('and %i are its own affair', (count) => {
    expect(judge(count)).toEqual([]);
  });
});
