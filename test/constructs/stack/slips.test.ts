import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AttributeType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { defineMessaging, event, seconds } from 'sluice';
import { MessagingStack, type MessagingStackProps, StackError } from 'sluice/cdk';
import * as v from 'valibot';
import { describe, expect, it, test } from 'vitest';
import { handlers, shop } from '../fixtures/shop.ts';

const newApp = (context = {}) => new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });

function faultsOf(props: object, context = {}) {
  try {
    // As an app that nobody looked at for its types.
    const said = { messaging: shop, handlers, ...props } as unknown as MessagingStackProps;
    new MessagingStack(newApp(context), 'Shop', said);
  } catch (error) {
    if (error instanceof StackError) return error.faults;
    throw error;
  }
  return [];
}

const propertiesOf = (props: object) => faultsOf(props).map(({ property }) => property);

describe('A slip of the pen in the props of a stack is a fault, not a silent default', () => {
  test('a prop of the stack, with the name that was meant', () => {
    expect(faultsOf({ encription: 'customerKey', alarmEmail: ['a@example.com'] })).toMatchObject([
      { property: 'encription', remedy: expect.stringContaining('Did you mean "encryption"?') },
      { property: 'alarmEmail', remedy: expect.stringContaining('Did you mean "alarmEmails"?') },
    ]);
    expect(propertiesOf({ terminationProtecton: false })).toEqual(['terminationProtecton']);
  });

  test('what a later version of the CDK may know is let through', () => {
    expect(faultsOf({ description: 'The shop', tags: { team: 'shop' }, somethingOfLater: 1 })).toEqual([]);
  });

  test('an option of a subscriber', () => {
    expect(propertiesOf({ subscribers: { payments: { enviroment: {}, memory: 1 } } })).toEqual([
      'subscribers.payments.enviroment',
      'subscribers.payments.memory',
    ]);
  });

  test('a switch of the context', () => {
    expect(faultsOf({}, { 'sluice:stge': 'dev' })).toMatchObject([
      { property: 'context sluice:stge', remedy: expect.stringContaining('Did you mean "sluice:stage"?') },
    ]);
    expect(faultsOf({}, { 'sluice:stage': 'dev', 'shop:any': 1 })).toEqual([]);
  });
});

describe('What cannot be read is one fault each, and no TypeError', () => {
  it.each([
    ['no declaration', { messaging: undefined }, 'messaging'],
    [
      'a declaration that was never defined',
      { messaging: { topics: {}, subscribers: { it: { on: [] } } } },
      'messaging',
    ],
    ['no folder of handlers', { handlers: undefined }, 'handlers'],
    ['an address that is not in a list', { alarmEmails: 'a@example.com' }, 'alarmEmails'],
    ['alarms that nobody hears', { alarmEmails: [] }, 'alarmEmails'],
    ['a share that is not in a list', { only: 'payments' }, 'only'],
    ['a topic by its ARN', { topics: { orders: 'arn:aws:sns:eu-west-1:1:orders' } }, 'topics.orders'],
    [
      'a consumer that is none',
      { subscribers: { payments: { consumer: 'lambda' } } },
      'subscribers.payments.consumer',
    ],
    ['a variable that is no text', { environment: { LIMIT: 3 } }, 'environment.LIMIT'],
    ['a variable that Lambda refuses', { environment: { 'A-B': 'x' } }, 'environment.A-B'],
    [
      'a variable of the runtime',
      { environment: { SLUICE_RECORDS_TABLE: 'x' } },
      'environment.SLUICE_RECORDS_TABLE',
    ],
    ['a runbook with an anchor', { runbook: 'https://wiki.example.com/watch#lag' }, 'runbook'],
    ['a runbook that is empty', { runbook: '' }, 'runbook'],
  ])('%s', (_, props, property) => {
    expect(propertiesOf(props)).toEqual([property]);
  });

  it('all at once', () => {
    expect(propertiesOf({ encription: 1, runbook: '', handlers: 3, only: 'x', encryption: 'none' })).toEqual([
      'encription',
      'runbook',
      'handlers',
      'only',
      'encryption',
    ]);
  });
});

describe('A table of records that cannot hold them', () => {
  const records = (make: (stack: Stack) => Table | TableV2, messaging: object = shop) => {
    const app = newApp();
    const there = new Stack(app, 'There');
    const said = { messaging, handlers, records: make(there) } as unknown as MessagingStackProps;
    return { app, there, make: () => new MessagingStack(app, 'Shop', said) };
  };
  const pk = { name: 'pk', type: AttributeType.STRING };

  it.each([
    ['another key', { partitionKey: { name: 'id', type: AttributeType.STRING } }, '"id" (S)'],
    ['a key that is a number', { partitionKey: { name: 'pk', type: AttributeType.NUMBER } }, '"pk" (N)'],
    [
      'a sort key',
      { partitionKey: pk, sortKey: { name: 'sk', type: AttributeType.STRING } },
      '"pk" (S) and "sk" (S)',
    ],
    ['time to live by another attribute', { partitionKey: pk, timeToLiveAttribute: 'ends' }, 'by "ends"'],
  ])('%s', (_, { ...props }, found) => {
    const timeToLiveAttribute = 'timeToLiveAttribute' in props ? props.timeToLiveAttribute : 'ttl';
    const all = { ...props, timeToLiveAttribute };
    expect(records((stack) => new Table(stack, 'Records', all)).make).toThrow(found);
    expect(records((stack) => new TableV2(stack, 'Records', all)).make).toThrow(found);
  });

  it('without time to live it is a warning', () => {
    const { there, make } = records((stack) => new Table(stack, 'Records', { partitionKey: pk }));
    make();
    Annotations.fromStack(there).hasWarning('*', Match.stringLikeRegexp('no time to live'));
  });

  it('without the index by which an operator finds the groups that halt', () => {
    const halting = defineMessaging({
      name: 'shop',
      topics: { orders: { fifo: true } },
      events: { placed: event({ topic: 'orders', schema: v.string() }) },
      subscribers: {
        payments: {
          on: ['placed'],
          fifo: true,
          handler: 'payments.ts',
          lag: seconds(60),
          onDeadLetter: 'halt',
        },
      },
    });
    const make = (add: boolean) => () => {
      const { app, make } = records((stack) => {
        const table = new Table(stack, 'Records', { partitionKey: pk, timeToLiveAttribute: 'ttl' });
        if (add)
          table.addGlobalSecondaryIndex({
            indexName: 'groups',
            partitionKey: { name: 'markedBy', type: AttributeType.STRING },
            sortKey: { name: 'since', type: AttributeType.NUMBER },
          });
        return table;
      }, halting);
      make();
      app.synth();
    };
    expect(make(false)).toThrow('There/Records without the index "groups"');
    expect(make(true)).not.toThrow();
  });
});
