import { describe, expect, it } from 'vitest';
import { createCloudFormation, type Template } from '../../../local/cloudformation/index.ts';
import { assemblyOf } from './support.ts';
import { type World, world } from './updates-support.ts';

const allow = (Sid: string, Action: string) => ({
  Version: '2012-10-17',
  Statement: [{ Sid, Effect: 'Allow', Principal: '*', Action, Resource: '*' }],
});
const rights = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };
const policies = (queuePolicy: string, topicPolicy: string, sid = 'mine') => ({
  [queuePolicy]: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [{ Ref: 'Queue' }], PolicyDocument: allow(sid, 'sqs:SendMessage') },
  },
  [topicPolicy]: {
    Type: 'AWS::SNS::TopicPolicy',
    Properties: { Topics: [{ Ref: 'Topic' }], PolicyDocument: allow(sid, 'sns:Publish') },
  },
});
const subscription = (logicalId: string) => ({
  [logicalId]: {
    Type: 'AWS::SNS::Subscription',
    Properties: {
      TopicArn: { Ref: 'Topic' },
      Protocol: 'sqs',
      Endpoint: { 'Fn::GetAtt': ['Queue', 'Arn'] },
    },
  },
});
const template = (...parts: object[]): Template =>
  ({
    Resources: Object.assign(
      { Queue: { Type: 'AWS::SQS::Queue' }, Topic: { Type: 'AWS::SNS::Topic' } },
      ...parts,
    ),
    Outputs: { Queue: { Value: { Ref: 'Queue' } }, Topic: { Value: { Ref: 'Topic' } } },
  }) as Template;

/** Deploys one stack again and again, and looks at what its queue and topic have. */
function prepare(account: World = world()) {
  const cloudformation = createCloudFormation(account.context, account.services, account.iam);
  const deploy = (wanted: Template) =>
    cloudformation.deploy(assemblyOf({ name: 'Shop', template: wanted, parameters: {} }));
  const look = async ({ outputs }: Awaited<ReturnType<typeof deploy>>) => {
    const [QueueUrl, TopicArn] = [outputs.Queue, outputs.Topic];
    const queue = await account.call<{ Attributes?: { Policy?: string } }>('sqs', 'GetQueueAttributes', {
      QueueUrl,
      AttributeNames: ['Policy'],
    });
    const topic = await account.call<{ Attributes: { Policy: string } }>('sns', 'GetTopicAttributes', {
      TopicArn,
    });
    const { Subscriptions } = await account.call<{ Subscriptions: unknown[] }>(
      'sns',
      'ListSubscriptionsByTopic',
      { TopicArn },
    );
    const sid = (text = '{}') => JSON.parse(text).Statement?.[0].Sid;
    return {
      queue: sid(queue.Attributes?.Policy),
      topic: sid(topic.Attributes.Policy),
      subscriptions: Subscriptions.length,
    };
  };
  return { deploy, look };
}

describe('What has a new logical id is still there when the old one is gone', () => {
  it('a policy of a queue and of a topic, with the same document or another, and a subscription', async () => {
    const { deploy, look } = prepare();
    await deploy(template(policies('P1', 'T1'), subscription('S1')));
    const renamed = await deploy(template(policies('P2', 'T2'), subscription('S2')));
    expect(await look(renamed)).toEqual({ queue: 'mine', topic: 'mine', subscriptions: 1 });
    expect(renamed.warnings.map((warning) => warning.split(': ')[0])).toEqual(
      expect.arrayContaining(['P1', 'T1', 'S1']),
    );
    const changed = await deploy(template(policies('P3', 'T3', 'new'), subscription('S2')));
    expect(await look(changed)).toEqual({ queue: 'new', topic: 'new', subscriptions: 1 });
  });

  it('and the old one again when the update is taken back', async () => {
    const { deploy, look } = prepare();
    const stack = await deploy(template(policies('P1', 'T1'), subscription('S1')));
    const failing = {
      Last: {
        Type: 'AWS::SQS::Queue',
        DependsOn: ['P2', 'T2', 'S2'],
        Properties: { QueueName: 'not a name' },
      },
    };
    await expect(deploy(template(policies('P2', 'T2', 'new'), subscription('S2'), failing))).rejects.toThrow(
      'Last',
    );
    expect(await look(stack)).toEqual({ queue: 'mine', topic: 'mine', subscriptions: 1 });
  });

  it('a policy of a role', async () => {
    const account = world();
    const { deploy } = prepare(account);
    const withPolicy = (logicalId: string) =>
      template({
        Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'role', AssumeRolePolicyDocument: {} } },
        [logicalId]: {
          Type: 'AWS::IAM::Policy',
          Properties: { PolicyName: 'send', Roles: [{ Ref: 'Role' }], PolicyDocument: rights },
        },
      });
    await deploy(withPolicy('P1'));
    await deploy(withPolicy('P2'));
    expect([...(account.iam.role('role')?.policies.keys() ?? [])]).toEqual(['send']);
    await deploy(template({ Role: withPolicy('P2').Resources?.Role as object }));
    expect(account.iam.role('role')?.policies.size).toBe(0);
  });

  it('but nothing is left when both are removed', async () => {
    const { deploy, look } = prepare();
    await deploy(template(policies('P1', 'T1'), subscription('S1')));
    const stack = await deploy(template());
    const { queue, topic, subscriptions } = await look(stack);
    expect([queue, topic === 'mine', subscriptions]).toEqual([undefined, false, 0]);
  });
});
