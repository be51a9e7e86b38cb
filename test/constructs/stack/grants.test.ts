import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it, test } from 'vitest';
import { shopStack } from '../fixtures/shop.ts';
import { resourcesOf, rightsOf, the } from './templates.ts';

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
