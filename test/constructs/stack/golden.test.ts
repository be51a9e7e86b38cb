import { beforeAll, describe, expect, it, test } from 'vitest';
import {
  additionsOf,
  explain,
  type KnownResource,
  knownOf,
  lossesOf,
  type TemplateResource,
  update,
} from './ids.ts';
import { ordersTemplate, ordersThen } from './orders.ts';

let template: Readonly<Record<string, TemplateResource>>;

beforeAll(() => {
  template = ordersTemplate();
}, 60_000);

describe('Logical ids of the example are a contract with the stacks that are deployed', () => {
  it('no deployment replaces or deletes a live resource', () => {
    const losses = lossesOf(ordersThen(), knownOf('Orders', template));
    expect(losses, losses.length === 0 ? '' : explain(losses)).toEqual([]);
  });

  it('new resources come under the contract', () => {
    const fresh = additionsOf(ordersThen(), knownOf('Orders', template));
    expect(fresh, `They harm nobody. Run: ${update}`).toEqual([]);
  });
});

describe('What a change of ids would do is said', () => {
  const queue: KnownResource = {
    type: 'AWS::SQS::Queue',
    path: 'PaymentsSubscriber/Default/Queue/Resource',
    removal: 'Delete',
    fixed: { FifoQueue: true },
  };

  test('a queue under another path: which one, that its messages go, and what may take its place', () => {
    const moved = { ...queue, path: 'Payments/Queue/Resource' };
    expect(lossesOf({ PaymentsQueue1: queue }, { PaymentsQueue2: moved })).toEqual([
      'GONE PaymentsQueue1, stateful AWS::SQS::Queue at PaymentsSubscriber/Default/Queue/Resource: the queue with its messages would be deleted and made anew. Its place is taken by PaymentsQueue2 at Payments/Queue/Resource.',
    ]);
  });

  test('a resource that is gone for good', () => {
    expect(lossesOf({ Queue: queue }, {})).toEqual([
      'GONE Queue, stateful AWS::SQS::Queue at PaymentsSubscriber/Default/Queue/Resource: the queue with its messages would be deleted.',
    ]);
  });

  test('a part of the same owner under another name', () => {
    const moved = { ...queue, path: 'PaymentsSubscriber/Default/Main/Resource' };
    expect(lossesOf({ One: queue }, { Two: moved })[0]).toContain('Its place is taken by Two');
    // Two that may be it are none.
    expect(lossesOf({ One: queue }, { Two: moved, Three: moved })[0]).not.toContain('Its place');
  });

  test('a retained queue: that it is left behind with its messages', () => {
    const [loss] = lossesOf({ Dead: { ...queue, removal: 'Retain' } }, {});
    expect(loss).toContain('the queue with its messages would be left behind');
  });

  test('a property that is fixed at creation', () => {
    const { fixed: _, ...standard } = queue;
    expect(lossesOf({ Queue: queue }, { Queue: standard })).toEqual([
      'REPLACED Queue, stateful AWS::SQS::Queue at PaymentsSubscriber/Default/Queue/Resource, by a change of FifoQueue from true to undefined: the queue with its messages would be deleted and made anew.',
    ]);
  });

  test('an id that another type has now', () => {
    expect(lossesOf({ Id: queue }, { Id: { ...queue, type: 'AWS::SNS::Topic' } })).toEqual([
      expect.stringMatching(/^GONE Id, stateful AWS::SQS::Queue/),
    ]);
  });

  test('a resource that outlived the stack, and would not any more', () => {
    expect(lossesOf({ Id: { ...queue, removal: 'Retain' } }, { Id: queue })).toEqual([
      expect.stringMatching(/^UNPROTECTED Id/),
    ]);
    expect(lossesOf({ Id: queue }, { Id: { ...queue, removal: 'Retain' } })).toEqual([]);
  });

  test('something without a state', () => {
    const role = { type: 'AWS::IAM::Role', path: 'Role/Resource', removal: 'Delete' } as const;
    expect(lossesOf({ Role: role }, {})).toEqual([
      'GONE Role, AWS::IAM::Role at Role/Resource: it would be deleted.',
    ]);
    expect(additionsOf({}, { Role: role })).toEqual(['NEW Role, AWS::IAM::Role at Role/Resource']);
  });

  test('with the way to mean it', () => {
    expect(explain(['GONE Queue'])).toMatch(
      /would do this to a live one:\n {2}GONE Queue\n.*run: npx tsx test\/constructs\/stack\/write-golden\.ts$/,
    );
  });
});

describe('Nothing has a physical name that was not asked for', () => {
  /** The property with the physical name, of each type that has one. */
  const nameOf: Readonly<Record<string, string>> = {
    'AWS::SQS::Queue': 'QueueName',
    'AWS::SNS::Topic': 'TopicName',
    'AWS::DynamoDB::Table': 'TableName',
    'AWS::Lambda::Function': 'FunctionName',
    'AWS::IAM::Role': 'RoleName',
    'AWS::Logs::LogGroup': 'LogGroupName',
    'AWS::KMS::Key': 'KeyName',
  };

  it('but FIFO topics, which CloudFormation gives no name that AWS takes', () => {
    const names = Object.values(template).flatMap(({ Type, Properties = {} }) => {
      const name = Properties[nameOf[Type] ?? ''];
      return name === undefined ? [] : [[Type, name]];
    });
    expect(names).toEqual([
      ['AWS::SNS::Topic', expect.stringMatching(/^Orders-OrdersTopic-[0-9A-F]{8}\.fifo$/)],
    ]);
  });
});
