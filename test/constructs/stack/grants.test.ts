import type { Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AccountPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it, test } from 'vitest';
import { shopStack } from '../fixtures/shop.ts';
import { resourcesOf, rightsOf, statementsOf, the } from './templates.ts';

/** A role in a stack of the shop, and what it may do after it was granted something. */
function granted(grant: (stack: ReturnType<typeof shopStack>['stack'], role: Role) => void) {
  const { stack } = shopStack();
  const role = new Role(stack, 'Somebody', { assumedBy: new AccountPrincipal('123456789012') });
  grant(stack, role);
  const resources = resourcesOf(stack);
  return { resources, rights: rightsOf(resources, 'Somebody') };
}

describe('What somebody is granted is exact', () => {
  test('work: what the function of a subscriber may, but for its log', () => {
    const { resources, rights } = granted((stack, role) => stack.grantWork(role, 'payments'));
    expect(rights).toEqual(rightsOf(resources, 'PaymentsSubscriberConsumerRole').slice(1));
  });

  test('work for all: that of each subscriber', () => {
    const { rights } = granted((stack, role) => stack.grantWork(role));
    const all = JSON.stringify(rights);
    for (const name of ['Payments', 'Analytics', 'StockMail'])
      expect(all).toContain(`${name}SubscriberDeadLetterQueue`);
  });

  test('redrive: looking at dead letters of both kinds, and putting back what the consumer gave up', () => {
    const { resources, rights } = granted((stack, role) => stack.grantRedrive(role, 'payments'));
    const arn = (name: string) => ({ 'Fn::GetAtt': [the(resources, name).id, 'Arn'] });
    const byQueue = new Map<string, string[]>();
    for (const [actions, on] of rights) {
      const key = JSON.stringify(on);
      byQueue.set(key, [...(byQueue.get(key) ?? []), ...actions].sort());
    }
    const look = [
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
    ];
    const move = ['sqs:CancelMessageMoveTask', 'sqs:ListMessageMoveTasks', 'sqs:StartMessageMoveTask'];
    expect(Object.fromEntries(byQueue)).toEqual({
      [JSON.stringify(arn('PaymentsSubscriberQueue'))]: ['sqs:SendMessage'],
      [JSON.stringify(arn('PaymentsSubscriberDeadLetterQueue'))]: [...look, ...move].sort(),
      [JSON.stringify(arn('PaymentsSubscriberSubscriptionDeadLetterQueue'))]: look,
    });
  });

  test('something of the handler’s own: to the subscriber, whoever runs it', () => {
    const { stack } = shopStack();
    const payments = stack.subscriber('payments');
    stack.records.grant(payments, 'dynamodb:Scan');
    const rights = rightsOf(resourcesOf(stack), 'PaymentsSubscriberConsumerRole');
    expect(rights.flatMap(([actions]) => actions)).toContain('dynamodb:Scan');
  });

  it('and a name that is not declared is nobody', () => {
    expect(() => granted((stack, role) => stack.grantWork(role, 'payment' as 'payments'))).toThrow(
      'No subscriber is named "payment"',
    );
  });
});

describe('Everything that a stack made is a field', () => {
  it('of the stack or of the subscriber', () => {
    const { stack } = shopStack({ encryption: 'customerKeys' });
    const reachable = new Set<unknown>([
      stack.records,
      ...stack.dashboards,
      ...stack.alarms.values(),
      ...stack.encryptionKeys.values(),
      ...Object.keys(stack.messaging.topics).map((name) => stack.topic(name)),
      ...(['payments', 'analytics', 'stock-mail'] as const).flatMap((name) => {
        const subscriber = stack.subscriber(name);
        const { queue, deadLetterQueue, subscriptionDeadLetterQueue, subscription } = subscriber;
        return [
          ...[queue, deadLetterQueue, subscriptionDeadLetterQueue, subscription],
          ...[subscriber.function, subscriber.role, subscriber.logGroup, subscriber.eventSource],
        ];
      }),
    ]);
    const types =
      /^AWS::(SQS::Queue|SNS::(Topic|Subscription)|DynamoDB::Table|Lambda::.*|Logs::LogGroup|KMS::Key|IAM::Role|CloudWatch::.*)$/;
    const hidden = stack.node.findAll().filter((construct) => {
      const { cfnResourceType } = construct as { cfnResourceType?: string };
      return types.test(cfnResourceType ?? '') && !reachable.has(construct.node.scope);
    });
    expect(hidden.map(({ node }) => node.path)).toEqual([]);
  });
});

describe('Whoever is let publish can publish', () => {
  const variables = (stack: Stack, name: string) =>
    (the(resourcesOf(stack), name).Properties?.Environment as { Variables: object } | undefined)?.Variables;

  test('a function behind an alias is told where', () => {
    const { stack } = shopStack();
    const code = Code.fromInline('exports.handler = () => {}');
    const checkout = new LambdaFunction(stack, 'Checkout', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code,
    });
    stack.grantPublish(checkout.addAlias('live'), 'orders');
    expect(variables(stack, 'Checkout')).toEqual({ SLUICE_TOPIC_ARN_ORDERS: expect.anything() });
    expect(JSON.stringify(rightsOf(resourcesOf(stack), 'CheckoutServiceRole'))).toContain('sns:Publish');
  });

  test('a subscriber that publishes is told where', () => {
    const { stack } = shopStack();
    stack.grantPublish(stack.subscriber('payments'), 'orders');
    expect(variables(stack, 'PaymentsSubscriberConsumerFunction')).toHaveProperty('SLUICE_TOPIC_ARN_ORDERS');
  });

  test('a service of AWS may use the key, by no condition that its requests do not bear', () => {
    const { stack } = shopStack({ encryption: 'customerKey' });
    stack.grantPublish(new ServicePrincipal('events.amazonaws.com'), 'orders');
    const events = statementsOf(the(resourcesOf(stack), 'EncryptionKey')).filter(({ Principal }) =>
      JSON.stringify(Principal).includes('events.amazonaws.com'),
    );
    expect(events).toEqual([
      {
        Effect: 'Allow',
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Principal: { Service: 'events.amazonaws.com' },
        Resource: '*',
      },
    ]);
  });

  it.each([
    ['a service of AWS', new ServicePrincipal('events.amazonaws.com')],
    ['another account', new AccountPrincipal('999999999999')],
  ])('%s is warned about under the key that AWS manages', (_, grantee) => {
    const env = { account: '123456789012', region: 'eu-west-1' };
    const warning = Match.stringLikeRegexp('let publish, but the topic is under .* alias/aws/sns');
    const { stack } = shopStack({ env });
    stack.grantPublish(grantee, 'orders');
    Annotations.fromStack(stack).hasWarning('*', warning);
    const { stack: own } = shopStack({ env, encryption: 'customerKey' });
    own.grantPublish(grantee, 'orders');
    own.grantPublish(new AccountPrincipal('123456789012'), 'orders');
    Annotations.fromStack(own).hasNoWarning('*', warning);
  });
});
