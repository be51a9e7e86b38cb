import { App, CfnParameter, type Environment, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { defineMessaging, event, seconds } from 'sluice';
import { MessagingStack, type MessagingStackProps } from 'sluice/cdk';
import * as v from 'valibot';
import { describe, expect, it, test } from 'vitest';
import { handlers, shop } from '../fixtures/shop.ts';
import { idsOf, resourcesOf, rightsOf, statementsOf, the } from './templates.ts';

const here: Environment = { account: '222222222222', region: 'eu-west-1' };
const arn = 'arn:aws:sns:eu-west-1:111111111111:orders.fifo';
const keyArn = 'arn:aws:kms:eu-west-1:111111111111:key/11111111-2222-3333-4444-555555555555';

const newApp = () => new App({ context: { 'aws:cdk:bundling-stacks': [] } });

/** The analytics alone, of orders that another account publishes. */
function analytics(
  props: Partial<MessagingStackProps<typeof shop>> = {},
  topicOf: (there: Stack) => ITopic = (there) => Topic.fromTopicArn(there, 'Orders', arn),
) {
  const there = new Stack(newApp(), 'There', { env: here });
  const stack = new MessagingStack(there.node.root as App, 'Analytics', {
    messaging: shop,
    handlers,
    env: here,
    topics: { orders: topicOf(there) },
    only: ['analytics'],
    ...props,
  });
  return { there, stack };
}

/** What an output says, as JSON. */
function outputOf(stack: Stack, name: string): unknown {
  const { Outputs = {} } = Template.fromStack(stack).toJSON() as {
    Outputs?: Record<string, { Value: unknown }>;
  };
  const value = Outputs[name]?.Value;
  return typeof value === 'string' ? JSON.parse(value) : value;
}

const subscribe = {
  Sid: 'AnalyticsSubscribe',
  Effect: 'Allow',
  Principal: { AWS: '222222222222' },
  Action: 'sns:Subscribe',
  Resource: arn,
  Condition: {
    StringEquals: { 'sns:Protocol': 'sqs' },
    StringLike: { 'sns:Endpoint': 'arn:aws:sqs:eu-west-1:222222222222:*' },
  },
};
const publish = {
  Sid: 'AnalyticsPublish',
  Effect: 'Allow',
  Principal: { AWS: '222222222222' },
  Action: 'sns:Publish',
  Resource: arn,
};
const encrypt = {
  Sid: 'AnalyticsEncrypt',
  Effect: 'Allow',
  Principal: { AWS: '222222222222' },
  Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
  Resource: '*',
  Condition: { StringEquals: { 'kms:ViaService': 'sns.eu-west-1.amazonaws.com' } },
};

describe('The owner of a topic in another account is told what its policy needs', () => {
  it('in an output, as the statements themselves', () => {
    expect(outputOf(analytics().stack, 'TopicOwnerPolicyOrders')).toEqual([subscribe]);
  });

  it('and before the deployment, that fails without it, in a warning', () => {
    const { stack } = analytics();
    const [warning] = Annotations.fromStack(stack).findWarning(
      '/Analytics/OrdersTopic/Owner',
      Match.stringLikeRegexp('The topic "orders" belongs to another account'),
    );
    const said = /adds to the policy of the topic: (\{.*\}) \[ack/.exec(String(warning?.entry.data))?.[1];
    expect(JSON.parse(said ?? '')).toEqual(subscribe);
  });

  it('the queues by name, where all of them have one', () => {
    const named = defineMessaging({
      name: 'named',
      topics: { orders: {} },
      events: { placed: event({ topic: 'orders', schema: v.object({}) }) },
      subscribers: {
        payments: { on: ['placed'], handler: 'payments.ts', lag: seconds(60), queueName: 'pay' },
      },
    });
    const app = newApp();
    const topic = Topic.fromTopicArn(new Stack(app, 'There'), 'T', arn.replace('.fifo', ''));
    const stack = new MessagingStack(app, 'Pay', {
      messaging: named,
      handlers,
      env: here,
      topics: { orders: topic },
    });
    expect(JSON.stringify(outputOf(stack, 'TopicOwnerPolicyOrders'))).toContain(
      '"sns:Endpoint":"arn:aws:sqs:eu-west-1:222222222222:pay"',
    );
  });

  it('publishing too, once somebody may', () => {
    const { stack } = analytics();
    stack.grantPublish(new Role(stack, 'Teller', { assumedBy: new AccountPrincipal('222222222222') }));
    expect(outputOf(stack, 'TopicOwnerPolicyOrders')).toEqual([subscribe, publish]);
    expect(rightsOf(resourcesOf(stack), 'Teller')).toEqual([[['sns:Publish'], arn]]);
    Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('AnalyticsPublish'));
  });

  it('publishing alone, by a stack without subscribers', () => {
    const { stack } = analytics({ only: [] });
    expect(outputOf(stack, 'TopicOwnerPolicyOrders')).toEqual([]);
    const { stack: publishing } = analytics({ only: [] });
    Annotations.fromStack(stack).hasNoWarning('*', Match.anyValue());
    const assumedBy = new AccountPrincipal('222222222222');
    publishing.grantPublish(new Role(publishing, 'Teller', { assumedBy }));
    expect(outputOf(publishing, 'TopicOwnerPolicyOrders')).toEqual([publish]);
  });

  it('and the owner of its key, where it is encrypted', () => {
    const { there, stack } = analytics({
      topicKeys: { orders: Key.fromKeyArn(new Stack(newApp(), 'Keys'), 'Key', keyArn) },
    });
    expect(there).toBeDefined();
    expect(outputOf(stack, 'TopicKeyOwnerPolicyOrders')).toEqual([]);
    const { stack: publishing } = analytics({
      topicKeys: { orders: Key.fromKeyArn(new Stack(newApp(), 'Keys'), 'Key', keyArn) },
    });
    publishing.grantPublish(
      new Role(publishing, 'Teller', { assumedBy: new AccountPrincipal('222222222222') }),
    );
    expect(outputOf(publishing, 'TopicKeyOwnerPolicyOrders')).toEqual([encrypt]);
    expect(rightsOf(resourcesOf(publishing), 'Teller')).toEqual([
      [['sns:Publish'], arn],
      [['kms:Decrypt', 'kms:GenerateDataKey'], keyArn],
    ]);
    Annotations.fromStack(publishing).hasWarning(
      '*',
      Match.stringLikeRegexp('policy of the key of the topic'),
    );
  });

  it('its alarms and graphs are its owner’s', () => {
    const { stack } = analytics();
    expect([...stack.alarms.keys()].filter((key) => key.startsWith('orders-'))).toEqual([]);
  });

  it('the queues let that topic deliver, and their key lets SNS use it', () => {
    const resources = resourcesOf(analytics({ encryption: 'customerKey' }).stack);
    for (const name of [
      'AnalyticsSubscriberQueuePolicy',
      'AnalyticsSubscriberSubscriptionDeadLetterQueuePolicy',
    ])
      expect(statementsOf(the(resources, name))).toContainEqual(
        expect.objectContaining({
          Action: 'sqs:SendMessage',
          Condition: { ArnEquals: { 'aws:SourceArn': arn } },
        }),
      );
    expect(statementsOf(the(resources, 'EncryptionKey'))).toContainEqual(
      expect.objectContaining({
        Principal: { Service: 'sns.amazonaws.com' },
        Condition: { ArnLike: { 'aws:SourceArn': arn } },
      }),
    );
  });

  it('of another region: SNS is asked there', () => {
    const undelivered = 'arn:aws:sqs:us-east-1:222222222222:undelivered.fifo';
    const subscriptionDeadLetterQueue = Queue.fromQueueArn(new Stack(), 'Undelivered', undelivered);
    const { stack } = analytics({ subscribers: { analytics: { subscriptionDeadLetterQueue } } }, (there) =>
      Topic.fromTopicArn(there, 'Orders', arn.replace('eu-west-1', 'us-east-1')),
    );
    expect(the(resourcesOf(stack), 'AnalyticsSubscriberSubscription').Properties).toMatchObject({
      Region: 'us-east-1',
    });
  });
});

describe('Nobody is told what is not needed', () => {
  test('of a topic of the same account', () => {
    const { stack } = analytics({}, (there) =>
      Topic.fromTopicArn(there, 'Orders', arn.replace('111111111111', '222222222222')),
    );
    expect(outputOf(stack, 'TopicOwnerPolicyOrders')).toBeUndefined();
    Annotations.fromStack(stack).hasNoWarning('*', Match.not(Match.stringLikeRegexp('alarm-without-action')));
  });

  test('of a topic of the same app: its policy gets the statement', () => {
    const app = newApp();
    const owner = new Stack(app, 'Owner', { env: { ...here, account: '111111111111' } });
    const topic = new Topic(owner, 'Orders', { fifo: true, topicName: 'orders.fifo' });
    const stack = new MessagingStack(app, 'Analytics', {
      messaging: shop,
      handlers,
      env: here,
      topics: { orders: topic },
      only: ['analytics'],
    });
    const assumedBy = new AccountPrincipal('222222222222');
    stack.grantPublish(new Role(stack, 'Teller', { assumedBy, roleName: 'teller' }));
    expect(outputOf(stack, 'TopicOwnerPolicyOrders')).toBeUndefined();
    Annotations.fromStack(stack).hasNoWarning('*', Match.not(Match.stringLikeRegexp('alarm-without-action')));
    const policy = statementsOf(the(resourcesOf(owner), 'OrdersPolicy'));
    expect(policy.map(({ Action, Principal }) => [Action, JSON.stringify(Principal)])).toEqual([
      ['sns:Subscribe', '{"AWS":"222222222222"}'],
      ['sns:Publish', expect.stringContaining(':iam::222222222222:role/teller')],
    ]);
  });

  test('of stacks that do not say where they go', () => {
    const app = newApp();
    const owner = new MessagingStack(app, 'Orders', { messaging: shop, handlers, only: [] });
    const stack = new MessagingStack(app, 'Analytics', {
      messaging: shop,
      handlers,
      topics: { orders: owner.topic('orders') },
      only: ['analytics'],
    });
    expect(outputOf(stack, 'TopicOwnerPolicyOrders')).toBeUndefined();
    expect(statementsOf(the(resourcesOf(owner), 'OrdersTopicPolicy')).map(({ Effect }) => Effect)).toEqual([
      'Deny',
    ]);
  });
});

describe('Where only the deployment knows whose the topic is', () => {
  it('the statements are an output, with the account that the deployment knows; a note, not a warning', () => {
    const { stack } = analytics({ env: {} });
    expect(JSON.stringify(outputOf(stack, 'TopicOwnerPolicyOrders'))).toContain('"Ref":"AWS::AccountId"');
    Annotations.fromStack(stack).hasNoWarning('*', Match.not(Match.stringLikeRegexp('alarm-without-action')));
    Annotations.fromStack(stack).hasInfo(
      '/Analytics/OrdersTopic/Owner',
      Match.stringLikeRegexp(
        'If the topic "orders" belongs to another account.*"AWS":"\\$\\{AWS::AccountId\\}"',
      ),
    );
  });

  it('so it is with an ARN that is a parameter', () => {
    const { stack } = analytics({}, (there) =>
      Topic.fromTopicArn(there, 'Orders', new CfnParameter(there, 'Arn').valueAsString),
    );
    expect(outputOf(stack, 'TopicOwnerPolicyOrders')).toBeDefined();
    expect(idsOf(resourcesOf(stack), 'AWS::SNS::Subscription')).toHaveLength(1);
  });
});
