import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import { createFixture, fill, item, read, value, values } from './support.ts';

const put = (pk: string, more: object = {}) => ({
  Put: { TableName: 'records', Item: item({ pk }), ...more },
});
const absent = { ConditionExpression: 'attribute_not_exists(pk)' };

describe('a transaction is done whole or not at all', () => {
  test('one failed condition cancels everything and tells each action its reason', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'taken', n: 1 });

    const error = fixture.refused('TransactWriteItems', {
      TransactItems: [
        put('new'),
        put('taken', { ...absent, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        {
          ConditionCheck: {
            TableName: 'records',
            Key: item({ pk: 'taken' }),
            ConditionExpression: 'n = :n',
            ExpressionAttributeValues: values({ n: 1 }),
          },
        },
      ].slice(0, 2),
    });

    expect(error.name).toBe('TransactionCanceledException');
    expect(error.message).toBe(
      'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]',
    );
    expect(error.members.CancellationReasons).toEqual([
      { Code: 'None' },
      {
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        Item: item({ pk: 'taken', n: 1 }),
      },
    ]);
    expect(read(fixture, 'new')).toBeUndefined();
  });

  test('puts, updates, deletes and checks go together', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'checked', n: 1 }, { pk: 'updated', n: 1 }, { pk: 'deleted' });

    fixture.call('TransactWriteItems', {
      TransactItems: [
        put('new', absent),
        {
          ConditionCheck: {
            TableName: 'records',
            Key: item({ pk: 'checked' }),
            ConditionExpression: 'n = :n',
            ExpressionAttributeValues: values({ n: 1 }),
          },
        },
        {
          Update: {
            TableName: 'records',
            Key: item({ pk: 'updated' }),
            UpdateExpression: 'ADD n :n',
            ExpressionAttributeValues: values({ n: 2 }),
          },
        },
        { Delete: { TableName: 'records', Key: item({ pk: 'deleted' }) } },
      ],
    });

    expect(fixture.model.items('records')).toEqual([
      item({ pk: 'checked', n: 1 }),
      item({ pk: 'updated', n: 3 }),
      item({ pk: 'new' }),
    ]);
  });

  test('an update that cannot be done cancels with ValidationError', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'text', s: 'x' });

    const error = fixture.refused('TransactWriteItems', {
      TransactItems: [
        put('new'),
        {
          Update: {
            TableName: 'records',
            Key: item({ pk: 'text' }),
            UpdateExpression: 'ADD s :n',
            ExpressionAttributeValues: values({ n: 1 }),
          },
        },
      ],
    });

    expect(error.members.CancellationReasons).toMatchObject([{ Code: 'None' }, { Code: 'ValidationError' }]);
    expect(read(fixture, 'new')).toBeUndefined();
  });

  test('one item cannot be named twice', () => {
    const { refused, model } = createFixture();

    const error = refused('TransactWriteItems', {
      TransactItems: [put('a'), { Delete: { TableName: 'records', Key: item({ pk: 'a' }) } }],
    });

    expect(error.message).toBe('Transaction request cannot include multiple operations on one item');
    expect(model.items('records')).toEqual([]);
  });

  test.each([0, 101])('%i actions are refused, 100 are done', (count) => {
    const { call, refused, model } = createFixture();
    const actions = (size: number) => ({
      TransactItems: Array.from({ length: size }, (_, index) => put(`k${index}`)),
    });

    expect(refused('TransactWriteItems', actions(count)).name).toBe('ValidationException');
    call('TransactWriteItems', actions(100));
    expect(model.items('records')).toHaveLength(100);
  });

  test('more than 4 MB are refused', () => {
    const { refused, model } = createFixture();
    const body = 'x'.repeat(399_000);

    const error = refused('TransactWriteItems', {
      TransactItems: Array.from({ length: 11 }, (_, index) => ({
        Put: { TableName: 'records', Item: item({ pk: `k${index}`, body }) },
      })),
    });

    expect(error.name).toBe('ValidationException');
    expect(model.items('records')).toEqual([]);
  });

  test('reading together gives every item in its place, and costs twice a consistent read', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', n: 1, m: 2 });
    const get = (pk: string, more: object = {}) => ({
      Get: { TableName: 'records', Key: item({ pk }), ...more },
    });

    const reply = fixture.call('TransactGetItems', {
      TransactItems: [get('b'), get('a', { ProjectionExpression: 'm' })],
      ReturnConsumedCapacity: 'TOTAL',
    });

    expect(reply.Responses).toEqual([{}, { Item: item({ m: 2 }) }]);
    expect(reply.ConsumedCapacity).toEqual([
      { TableName: 'records', CapacityUnits: 4, ReadCapacityUnits: 4 },
    ]);
    expect(fixture.refused('TransactGetItems', { TransactItems: [get('a'), get('a')] }).message).toContain(
      'multiple operations on one item',
    );
  });

  test('statements form a transaction too', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', n: 1 });
    const run = (n: number) => ({
      TransactStatements: [
        { Statement: 'EXISTS(SELECT * FROM records WHERE pk=? AND n=?)', Parameters: [value('a'), value(n)] },
        { Statement: `INSERT INTO records VALUE {'pk': ?}`, Parameters: [value('b')] },
      ],
    });

    expect(fixture.refused('ExecuteTransaction', run(2)).members.CancellationReasons).toMatchObject([
      { Code: 'ConditionalCheckFailed' },
      { Code: 'None' },
    ]);
    fixture.call('ExecuteTransaction', run(1));
    expect(fixture.refused('ExecuteTransaction', run(1)).members.CancellationReasons).toMatchObject([
      { Code: 'None' },
      { Code: 'DuplicateItem' },
    ]);
    const read = fixture.call('ExecuteTransaction', {
      TransactStatements: [{ Statement: `SELECT * FROM records WHERE pk='b'` }],
    });
    expect(read.Responses).toEqual([{ Item: item({ pk: 'b' }) }]);
  });
});

describe('a repeated transaction is done once', () => {
  const count = (n: number, ClientRequestToken: string) => ({
    ClientRequestToken,
    TransactItems: [
      {
        Update: {
          TableName: 'records',
          Key: item({ pk: 'counter' }),
          UpdateExpression: 'ADD n :n',
          ExpressionAttributeValues: values({ n }),
        },
      },
    ],
  });

  test('the same token answers again without writing, for ten minutes', async () => {
    const fixture = createFixture();
    const counter = () => read(fixture, 'counter')?.n;

    fixture.call('TransactWriteItems', count(1, 'token'));
    await fixture.clock.advance(milliseconds(9 * 60_000));
    fixture.call('TransactWriteItems', count(1, 'token'));
    expect(counter()).toEqual({ N: '1' });

    await fixture.clock.advance(milliseconds(60_000));
    fixture.call('TransactWriteItems', count(1, 'token'));
    expect(counter()).toEqual({ N: '2' });
  });

  test('a repetition is billed as a read', () => {
    const { call } = createFixture();
    const input = { ...count(1, 'token'), ReturnConsumedCapacity: 'TOTAL' };

    expect(call('TransactWriteItems', input).ConsumedCapacity).toEqual([
      { TableName: 'records', CapacityUnits: 2, WriteCapacityUnits: 2 },
    ]);
    expect(call('TransactWriteItems', input).ConsumedCapacity).toEqual([
      { TableName: 'records', CapacityUnits: 2, ReadCapacityUnits: 2 },
    ]);
  });

  test('the same token for another payload is refused', () => {
    const fixture = createFixture();
    fixture.call('TransactWriteItems', count(1, 'token'));

    expect(fixture.refused('TransactWriteItems', count(2, 'token')).name).toBe(
      'IdempotentParameterMismatchException',
    );
    expect(read(fixture, 'counter')?.n).toEqual({ N: '1' });
  });

  test('a cancelled transaction leaves its token free', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'taken' });
    const input = { ClientRequestToken: 'token', TransactItems: [put('taken', absent)] };

    expect(fixture.refused('TransactWriteItems', input).name).toBe('TransactionCanceledException');
    fixture.call('DeleteItem', { TableName: 'records', Key: item({ pk: 'taken' }) });
    fixture.call('TransactWriteItems', input);
    expect(read(fixture, 'taken')).toBeDefined();
  });
});

describe('any mix of writes is equal to the same writes one after another', () => {
  const account = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('open' as const), to: account, amount: fc.integer({ min: 0, max: 9 }) }),
    fc.record({ kind: fc.constant('close' as const), from: account, amount: fc.integer({ min: 0, max: 9 }) }),
    fc.record({
      kind: fc.constant('move' as const),
      from: account,
      to: account,
      amount: fc.integer({ min: 1, max: 9 }),
    }),
  );

  test('balances, refusals and the sum of all money agree with a ledger kept by hand', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const fixture = createFixture();
        const ledger = new Map<string, number>();
        const attempt = (action: string, input: object): boolean => {
          try {
            fixture.call(action, input);
            return true;
          } catch {
            return false;
          }
        };
        const change = (pk: string, n: number, condition: string, limit?: number) => ({
          Update: {
            TableName: 'records',
            Key: item({ pk }),
            UpdateExpression: 'SET n = n + :n',
            ConditionExpression: condition,
            ExpressionAttributeValues: values(limit === undefined ? { n } : { n, limit }),
          },
        });
        for (const one of steps) {
          if (one.kind === 'open') {
            const expected = !ledger.has(one.to);
            if (expected) ledger.set(one.to, one.amount);
            const Item = item({ pk: one.to, n: one.amount });
            expect(attempt('PutItem', { TableName: 'records', Item, ...absent })).toBe(expected);
          } else if (one.kind === 'close') {
            const expected = ledger.get(one.from) === one.amount;
            if (expected) ledger.delete(one.from);
            const input = {
              TableName: 'records',
              Key: item({ pk: one.from }),
              ConditionExpression: 'n = :n',
              ExpressionAttributeValues: values({ n: one.amount }),
            };
            expect(attempt('DeleteItem', input)).toBe(expected);
          } else {
            const { from, to, amount } = one;
            const balance = ledger.get(from);
            const expected = from !== to && balance !== undefined && balance >= amount && ledger.has(to);
            if (expected) {
              ledger.set(from, balance - amount);
              ledger.set(to, ledger.get(to)! + amount);
            }
            const TransactItems = [
              change(to, amount, 'attribute_exists(pk)'),
              change(from, -amount, 'n >= :limit', amount),
            ];
            expect(attempt('TransactWriteItems', { TransactItems })).toBe(expected);
          }
        }
        const found = fixture.model.items('records').map((one) => [one.pk!.S, Number(one.n!.N)]);
        expect(new Map(found as [string, number][])).toEqual(ledger);
      }),
      { numRuns: 100 },
    );
  });
});
