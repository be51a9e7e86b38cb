import { App, Stack, Stage, Token } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type CfnTopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Consumer, MessagingStack, type MessagingStackProps, StackError } from 'sluice/cdk';
import { describe, expect, it, test } from 'vitest';
import { handlers, shop } from '../fixtures/shop.ts';
import { idsOf, resourcesOf, rightsOf, statementsOf, the } from './templates.ts';

type Props = Partial<MessagingStackProps<typeof shop>>;

const newApp = () => new App({ context: { 'aws:cdk:bundling-stacks': [] } });

/** A stack of the shop, beside another one in which things exist already. */
function beside(props: (there: Stack) => Props) {
  const app = newApp();
  const there = new Stack(app, 'There');
  const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers, ...props(there) });
  return { there, stack, resources: resourcesOf(stack) };
}

const faultsOf = (props: (there: Stack) => object): readonly string[] => {
  try {
    beside(props as (there: Stack) => Props);
  } catch (error) {
    if (error instanceof StackError)
      return error.faults.map(({ property, found, allowed }) => `${property}: ${found}; ${allowed}`);
    throw error;
  }
  return [];
};

describe('A stack takes what exists instead of making it', () => {
  test('a topic of the app', () => {
    const { stack, resources } = beside((there) => ({
      topics: { orders: new Topic(there, 'Orders', { fifo: true }) },
    }));
    expect(idsOf(resources, 'AWS::SNS::Topic')).toEqual(['StockMovesTopic']);
    expect(the(resources, 'PaymentsSubscriberSubscription').Properties?.TopicArn).toEqual({
      'Fn::ImportValue': expect.stringContaining('There:'),
    });
    expect(stack.topic('orders').fifo).toBe(true);
    // Nobody else watches it.
    expect([...stack.alarms.keys()]).toContain('orders-G1-delivery-failed');
  });

  test('a topic under an ARN that only the deployment knows, whatever its kind', () => {
    const { stack } = beside((there) => ({
      topics: { orders: Topic.fromTopicArn(there, 'Orders', Token.asString({ Ref: 'Somewhere' })) },
    }));
    expect(stack.topic('orders').topicArn).toBeDefined();
  });

  test('the table of records', () => {
    let table: Table | undefined;
    const { stack, resources } = beside((there) => {
      table = new Table(there, 'Records', { partitionKey: { name: 'pk', type: AttributeType.STRING } });
      return { records: table };
    });
    expect(idsOf(resources, 'AWS::DynamoDB::Table')).toEqual([]);
    expect(stack.records).toBe(table);
    const [, , , records] = rightsOf(resources, 'PaymentsSubscriberConsumerRole');
    expect(records?.[1]).toEqual({ 'Fn::ImportValue': expect.stringContaining('There:') });
  });

  test('queues, each in its place', () => {
    let queues: Record<string, Queue> = {};
    const { stack, resources } = beside((there) => {
      queues = {
        queue: new Queue(there, 'Queue', { fifo: true }),
        deadLetterQueue: new Queue(there, 'Dead', { fifo: true }),
        subscriptionDeadLetterQueue: new Queue(there, 'Undelivered', { fifo: true }),
      };
      return { subscribers: { payments: queues } };
    });
    expect(idsOf(resources, 'AWS::SQS::Queue').filter((id) => id.startsWith('Payments'))).toEqual([]);
    const payments = stack.subscriber('payments');
    for (const [name, queue] of Object.entries(queues)) expect(payments[name as 'queue']).toBe(queue);
    // Their policies name the topic without its ARN: else each stack would wait for the other.
    const policies = resourcesOf(queues.queue!.stack).filter(({ Type }) => Type === 'AWS::SQS::QueuePolicy');
    const sources = policies
      .flatMap((policy) => statementsOf(policy))
      .flatMap(({ Condition }) => {
        const { ArnLike } = Condition as {
          ArnLike?: { 'aws:SourceArn': { 'Fn::Join': [string, unknown[]] } };
        };
        return ArnLike === undefined ? [] : [ArnLike['aws:SourceArn']['Fn::Join'][1].at(-1)];
      });
    expect(sources).toEqual(Array(2).fill(expect.stringMatching(/^:Shop-OrdersTopic-[0-9A-F]{8}\.fifo$/)));
  });

  test('a queue, for a standard topic that has no name yet', () => {
    const { there, stack } = beside((there) => ({
      subscribers: { 'stock-mail': { queue: new Queue(there, 'Queue') } },
    }));
    const topic = stack.resolve((stack.topic('stock-moves').node.defaultChild as CfnTopic).logicalId);
    expect(JSON.stringify(resourcesOf(there))).toContain(`:Shop-${topic}-*`);
  });

  test('queues that are imported: their owner is told what their policy needs', () => {
    const { stack, resources } = beside((there) => ({
      subscribers: {
        payments: { queue: Queue.fromQueueArn(there, 'Q', 'arn:aws:sqs:eu-west-1:123456789012:pay.fifo') },
      },
    }));
    expect(idsOf(resources, 'AWS::SQS::Queue').filter((id) => id.startsWith('Payments'))).toHaveLength(2);
    Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('policy of the queue .*pay.fifo'));
  });

  test('a consumer', () => {
    const { stack, resources } = beside((there) => ({
      subscribers: {
        payments: {
          consumer: Consumer.fromFunction(
            () =>
              new LambdaFunction(there, 'Payer', {
                runtime: Runtime.PYTHON_3_13,
                handler: 'index.handler',
                code: Code.fromInline('def handler(): pass'),
              }),
          ),
          environment: { CURRENCY: 'EUR' },
        },
      },
    }));
    expect(idsOf(resources, 'AWS::Lambda::Function')).toHaveLength(2);
    expect(stack.subscriber('payments').function.runtime.name).toBe('python3.13');
  });

  test('a network, of all functions or of one', () => {
    const { resources } = beside((there) => ({
      vpc: new Vpc(there, 'All'),
      subscribers: { payments: { vpc: new Vpc(there, 'One') } },
    }));
    const networkOf = (id: string) => JSON.stringify(the(resources, id).Properties?.VpcConfig);
    expect(networkOf('AnalyticsSubscriberConsumerFunction')).toContain('RefAllPrivate');
    expect(networkOf('PaymentsSubscriberConsumerFunction')).toContain('RefOnePrivate');
  });

  test('variables of one subscriber go before those of all', () => {
    const { resources } = beside(() => ({
      environment: { LEVEL: 'info', REGION: 'eu' },
      subscribers: { payments: { environment: { LEVEL: 'debug' } } },
    }));
    const variables = (id: string) =>
      (the(resources, id).Properties!.Environment as { Variables: object }).Variables;
    expect(variables('PaymentsSubscriberConsumerFunction')).toMatchObject({ LEVEL: 'debug', REGION: 'eu' });
    expect(variables('AnalyticsSubscriberConsumerFunction')).toMatchObject({ LEVEL: 'info' });
  });
});

describe('A stack holds a share of the declaration', () => {
  test('only some subscribers, and all topics', () => {
    const { stack, resources } = beside(() => ({ only: ['payments'] }));
    expect(idsOf(resources, 'AWS::SNS::Topic')).toEqual(['OrdersTopic', 'StockMovesTopic']);
    expect(idsOf(resources, 'AWS::SNS::Subscription')).toEqual(['PaymentsSubscriberSubscription']);
    // The others are not forgotten: another stack has them.
    Annotations.fromStack(stack).hasNoWarning('*', Match.not(Match.stringLikeRegexp('alarm-without-action')));
  });

  test('topics alone', () => {
    const { stack, resources } = beside(() => ({ only: [] }));
    expect(idsOf(resources, 'AWS::SQS::Queue')).toEqual([]);
    expect(idsOf(resources, 'AWS::SNS::Topic')).toHaveLength(2);
    expect(stack.topic('orders').fifo).toBe(true);
  });

  test('subscribers beside the stack that has the topics: no topic that they do not hear', () => {
    const app = newApp();
    const owner = new MessagingStack(app, 'Orders', { messaging: shop, handlers, only: ['payments'] });
    const stack = new MessagingStack(app, 'Analytics', {
      messaging: shop,
      handlers,
      topics: { orders: owner.topic('orders') },
      only: ['analytics'],
    });
    const resources = resourcesOf(stack);
    expect(idsOf(resources, 'AWS::SNS::Topic')).toEqual([]);
    expect(idsOf(resources, 'AWS::SNS::Subscription')).toEqual(['AnalyticsSubscriberSubscription']);
    // The topic's alarms and graphs are where it was made.
    expect([...stack.alarms.keys()].filter((key) => key.startsWith('orders-'))).toEqual([]);
    expect(JSON.stringify(the(resources, 'WatchDashboard'))).not.toContain('AWS/SNS');
    expect(JSON.stringify(the(resourcesOf(owner), 'WatchDashboard'))).not.toContain('Subscriber analytics');
  });

  test('and says so when asked for another', () => {
    const { stack } = beside(() => ({ only: ['payments'] }));
    expect(() => stack.subscriber('analytics')).toThrow(
      'The subscriber "analytics" is not in this stack, which has "payments". Ask the stack that holds it.',
    );
    expect(() => stack.subscriber('ledger' as 'payments')).toThrow(
      'No subscriber is named "ledger"; declared are "payments", "analytics", "stock-mail". Name one of them.',
    );
  });
});

describe('Props that do not fit the declaration are refused, all at once', () => {
  it('names that are not declared', () => {
    const wrong = (there: Stack) => ({
      topics: { order: new Topic(there, 'T') },
      topicKeys: { stock: new Key(there, 'K') },
      only: ['payments', 'analytic'],
      subscribers: { payment: {}, analytics: {} },
    });
    expect(faultsOf(wrong)).toEqual([
      'topics.order: "order"; the declared topics "orders", "stock-moves"',
      'topicKeys.stock: "stock"; the names in "topics": "order"',
      'only[1]: "analytic"; the declared subscribers "payments", "analytics", "stock-mail"',
      'subscribers.payment: "payment"; the declared subscribers "payments", "analytics", "stock-mail"',
      'subscribers.analytics: "analytics"; the subscribers of this stack, as "only" says: "payments", "analytic"',
    ]);
    expect(() => beside(wrong as unknown as (there: Stack) => Props)).toThrow(
      /^The props of the stack "Shop" have 5 faults:\n {2}- topics\.order: found "order"; allowed: .*\. Correct the name\.\n/,
    );
  });

  it('a place in a network that is not named', () => {
    const subnets = { subnetType: SubnetType.PRIVATE_ISOLATED };
    expect(
      faultsOf(() => ({ vpcSubnets: subnets, subscribers: { payments: { securityGroups: [] } } })),
    ).toEqual([
      'vpcSubnets: a value; nothing without "vpc"',
      'subscribers.payments.securityGroups: a value; nothing without "vpc"',
    ]);
  });

  it('topics and queues of another kind', () => {
    expect(
      faultsOf((there) => ({
        topics: { orders: Topic.fromTopicArn(there, 'T', 'arn:aws:sns:eu-west-1:123456789012:orders') },
        subscribers: {
          payments: { queue: new Queue(there, 'Q'), deadLetterQueue: new Queue(there, 'D') },
          'stock-mail': { subscriptionDeadLetterQueue: new Queue(there, 'S', { fifo: true }) },
        },
      })),
    ).toEqual([
      'topics.orders: a standard topic; a FIFO topic, as declared',
      'subscribers.payments.queue: a standard queue; a FIFO queue, as declared',
      'subscribers.payments.deadLetterQueue: a standard queue; a FIFO queue, as declared',
      'subscribers.stock-mail.subscriptionDeadLetterQueue: a FIFO queue; a standard queue, as declared',
    ]);
  });

  it('a queue that two consumers would share, but dead-letter queues may be shared', () => {
    const share = (property: string) => (there: Stack) => {
      const queue = new Queue(there, 'Q');
      return { subscribers: { analytics: { [property]: queue }, 'stock-mail': { [property]: queue } } };
    };
    expect(faultsOf(share('queue'))).toEqual([
      'subscribers.stock-mail.queue: the queue of subscribers.analytics.queue; a queue of its own',
    ]);
    expect(faultsOf(share('deadLetterQueue'))).toEqual([]);
  });

  it('keys of two minds', () => {
    const key = (there: Stack) => new Key(there, 'Key');
    expect(
      faultsOf((there) => ({ encryption: 'customerKeys', encryptionKey: key(there) })).concat(
        faultsOf(() => ({ encryption: 'mine' })),
      ),
    ).toEqual([
      'encryption: "customerKeys"; "customerKey", since "encryptionKey" is given',
      'encryption: "mine"; "awsManaged", "customerKey", "customerKeys"',
    ]);
  });

  it('what the owner of an existing table or consumer decides', () => {
    expect(
      faultsOf((there) => ({
        records: new Table(there, 'T', { partitionKey: { name: 'pk', type: AttributeType.STRING } }),
        deletionProtection: true,
        subscribers: { payments: { consumer: Consumer.nodejs(), vpc: new Vpc(there, 'Vpc') } },
      })),
    ).toEqual([
      'subscribers.payments.vpc: a value; nothing, since "consumer" is given',
      'deletionProtection: true; nothing, since "records" is a table that exists',
    ]);
  });

  it('handlers that are not there, but of subscribers of this stack alone', () => {
    const nowhere = { handlers: '/nowhere', only: ['payments', 'analytics'] };
    expect(faultsOf(() => nowhere).map((fault) => fault.split(':')[0])).toEqual([
      'subscribers.payments.handler',
      'subscribers.analytics.handler',
    ]);
  });
});

describe('Stacks that share a declaration hear one another', () => {
  const share = (scope: App | Stage, id: string, props: Props) =>
    new MessagingStack(scope, id, { messaging: shop, handlers, ...props });
  const [first, ...rest] = Object.values(shop.subscribers)
    .filter(({ topic }) => topic === 'orders')
    .map(({ name }) => name as keyof typeof shop.subscribers);

  test('a topic that two of them would make, each for its own subscribers, is refused', () => {
    const app = newApp();
    share(app, 'First', { only: [first!] });
    expect(() => share(app, 'Second', { only: rest })).toThrow(
      new RegExp(
        `topics.orders: found nothing, .*"${first}" would not hear.*allowed: the topic of the stack "First"`,
      ),
    );
  });

  test('with the topic handed in it is made once', () => {
    const app = newApp();
    const owner = share(app, 'First', { only: [first!] });
    const second = share(app, 'Second', { only: rest, topics: { orders: owner.topic('orders') } });
    expect(second.topic('orders')).toBe(owner.topic('orders'));
  });

  test('other stages and other places have topics of their own', () => {
    const app = newApp();
    share(new Stage(app, 'Dev'), 'First', { only: [first!] });
    share(new Stage(app, 'Prod'), 'Second', { only: rest });
    share(app, 'There', { only: [first!], env: { account: '123456789012', region: 'eu-west-1' } });
    share(app, 'Elsewhere', { only: rest, env: { account: '123456789012', region: 'us-east-1' } });
  });
});
