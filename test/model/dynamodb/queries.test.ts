import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer, createFixture, type Fixture, fill, item, value, values } from './support.ts';

interface Event {
  readonly pk: string;
  readonly sk: number;
  readonly kind: string;
  readonly n: number;
}

/** A table with a sort key, a global index by `kind` and a local one by `n`. */
function createEvents(events: readonly Event[]): Fixture {
  const fixture = createFixture();
  const type = (AttributeName: string, AttributeType: string) => ({ AttributeName, AttributeType });
  const key = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
  fixture.call('CreateTable', {
    TableName: 'events',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [type('pk', 'S'), type('sk', 'N'), type('kind', 'S'), type('n', 'N')],
    KeySchema: key('pk', 'sk'),
    GlobalSecondaryIndexes: [
      { IndexName: 'byKind', KeySchema: key('kind', 'sk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    ],
    LocalSecondaryIndexes: [
      { IndexName: 'byN', KeySchema: key('pk', 'n'), Projection: { ProjectionType: 'ALL' } },
    ],
  });
  for (const one of events) fixture.call('PutItem', { TableName: 'events', Item: item({ ...one }) });
  return fixture;
}

const events: readonly Event[] = [5, -1, 10, 2, 100, 0.5, 7, 3, 20, -10, 1, 9].map((sk, index) => ({
  pk: index % 2 === 0 ? 'b' : 'a',
  sk,
  kind: index % 3 === 0 ? 'y' : 'x',
  n: 12 - index,
}));

const keys = (reply: Answer): number[] => reply.Items.map((one: Answer) => Number(one.sk.N));

function query(condition: string, plain: Record<string, unknown>, more: object = {}) {
  return {
    TableName: 'events',
    KeyConditionExpression: condition,
    ExpressionAttributeValues: values(plain),
    ...more,
  };
}

describe('a query reads one partition in the order of its sort key', () => {
  test.each<[string, Record<string, unknown>, object, number[]]>([
    ['pk = :p', { p: 'a' }, {}, [-10, -1, 0.5, 2, 3, 9]],
    ['pk = :p', { p: 'a' }, { ScanIndexForward: false }, [9, 3, 2, 0.5, -1, -10]],
    ['pk = :p AND sk > :s', { p: 'a', s: 2 }, {}, [3, 9]],
    ['sk <= :s AND pk = :p', { p: 'a', s: 2 }, {}, [-10, -1, 0.5, 2]],
    ['pk = :p AND sk BETWEEN :s AND :e', { p: 'a', s: 0, e: 3 }, {}, [0.5, 2, 3]],
    [':p = pk and sk = :s', { p: 'a', s: 2 }, {}, [2]],
    ['pk = :p', { p: 'none' }, {}, []],
    ['kind = :k AND sk > :s', { k: 'x', s: 3 }, { IndexName: 'byKind' }, [9, 10, 20, 100]],
    ['pk = :p AND n < :n', { p: 'a', n: 6 }, { IndexName: 'byN' }, [9, -10, 3]],
  ])('%s with %j %j', (condition, plain, more, expected) => {
    const { call } = createEvents(events);

    const reply = call('Query', query(condition, plain, more));

    expect(keys(reply)).toEqual(expected);
    expect(reply.Count).toBe(expected.length);
    expect(reply.LastEvaluatedKey).toBeUndefined();
  });

  test('a filter is applied after the limit', () => {
    const { call } = createEvents(events);

    const reply = call(
      'Query',
      query('pk = :p', { p: 'a', k: 'y' }, { FilterExpression: 'kind = :k', Limit: 4 }),
    );

    expect(reply.ScannedCount).toBe(4);
    expect(keys(reply)).toEqual([-10, 2]);
    expect(reply.LastEvaluatedKey).toEqual(item({ pk: 'a', sk: 2 }));
  });

  test('counting, projecting, and what an index holds', () => {
    const { call } = createEvents(events);

    const counted = call('Query', query('pk = :p', { p: 'a' }, { Select: 'COUNT' }));
    const projected = call('Query', query('pk = :p', { p: 'a' }, { ProjectionExpression: 'n', Limit: 1 }));
    const index = call('Query', query('kind = :k', { k: 'y' }, { IndexName: 'byKind', Limit: 1 }));

    expect(counted).toEqual({ Count: 6, ScannedCount: 6 });
    expect(projected.Items).toEqual([item({ n: 3 })]);
    expect(index.Items).toEqual([item({ pk: 'a', sk: -10, kind: 'y' })]);
    expect(index.LastEvaluatedKey).toEqual(item({ pk: 'a', sk: -10, kind: 'y' }));
  });

  test.each<[string, Record<string, unknown>, object, string]>([
    ['pk > :p', { p: 'a' }, {}, 'Query key condition not supported'],
    ['sk = :s', { s: 1 }, {}, 'Query condition missed key schema element: pk'],
    ['pk = :p AND n = :n', { p: 'a', n: 1 }, {}, 'Query condition missed key schema element: sk'],
    ['pk = :p OR sk = :s', { p: 'a', s: 1 }, {}, 'Invalid operator used in KeyConditionExpression: OR'],
    ['pk = :p AND sk <> :s', { p: 'a', s: 1 }, {}, 'Invalid operator used in KeyConditionExpression: <>'],
    [
      'pk = :p AND pk = :p',
      { p: 'a' },
      {},
      'KeyConditionExpressions must only contain one condition per key',
    ],
    ['pk = :p AND sk = :s', { p: 'a', s: '1' }, {}, 'Condition parameter type does not match schema type'],
    ['pk = :p', { p: 'a' }, { IndexName: 'none' }, 'The table does not have the specified index: none'],
    [
      'kind = :k',
      { k: 'x' },
      { IndexName: 'byKind', ConsistentRead: true },
      'Consistent reads are not supported on global secondary indexes',
    ],
    [
      'pk = :p',
      { p: 'a', s: 1 },
      { FilterExpression: 'sk > :s' },
      'Filter Expression can only contain non-primary key attributes: Primary key attribute: sk',
    ],
    [
      'pk = :p',
      { p: 'a' },
      { ExclusiveStartKey: item({ pk: 'b', sk: 1 }) },
      'The provided starting key is outside query boundaries',
    ],
    ['pk = :p', { p: 'a' }, { ExclusiveStartKey: item({ pk: 'a' }) }, 'The provided starting key is invalid'],
  ])('%s %j %j is refused', (condition, plain, more, words) => {
    const { refused } = createEvents(events);

    expect(refused('Query', query(condition, plain, more)).message).toContain(words);
  });
});

describe('pages together hold everything once', () => {
  const anyEvents = fc.uniqueArray(
    fc.record({
      pk: fc.constantFrom('a', 'b', 'c'),
      sk: fc.integer({ min: -5, max: 20 }),
      kind: fc.constantFrom('x', 'y'),
      n: fc.integer({ min: 0, max: 4 }),
    }),
    { selector: ({ pk, sk }) => `${pk}/${sk}`, maxLength: 30 },
  );

  const pages = (
    fixture: Fixture,
    action: string,
    input: object,
    between: (last: Answer) => void = () => {},
  ) => {
    const found: Answer[] = [];
    let ExclusiveStartKey: Answer;
    do {
      const reply = fixture.call(action, { ...input, ExclusiveStartKey });
      found.push(...reply.Items);
      ExclusiveStartKey = reply.LastEvaluatedKey;
      if (ExclusiveStartKey !== undefined) between(ExclusiveStartKey);
    } while (ExclusiveStartKey !== undefined);
    return found;
  };
  const identity = (one: Answer) => `${one.pk.S}/${one.sk.N}`;

  test('whatever the limit, the direction and the index', () => {
    fc.assert(
      fc.property(
        anyEvents,
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (stored, Limit, ScanIndexForward) => {
          const fixture = createEvents(stored);
          const more = { Limit, ScanIndexForward };
          const sorted = (by: (a: Event, b: Event) => number, keep: (one: Event) => boolean) => {
            const expected = stored.filter(keep).sort(by);
            return (ScanIndexForward ? expected : expected.reverse()).map(({ pk, sk }) => `${pk}/${sk}`);
          };

          expect(pages(fixture, 'Query', query('pk = :p', { p: 'a' }, more)).map(identity)).toEqual(
            sorted(
              (a, b) => a.sk - b.sk,
              (one) => one.pk === 'a',
            ),
          );
          expect(
            pages(fixture, 'Query', query('kind = :k', { k: 'x' }, { ...more, IndexName: 'byKind' })).map(
              identity,
            ),
          ).toEqual(
            sorted(
              (a, b) => a.sk - b.sk || (a.pk < b.pk ? -1 : 1),
              (one) => one.kind === 'x',
            ),
          );
          expect(
            pages(fixture, 'Query', query('pk = :p', { p: 'a' }, { ...more, IndexName: 'byN' })).map(
              identity,
            ),
          ).toEqual(
            sorted(
              (a, b) => a.n - b.n || a.sk - b.sk,
              (one) => one.pk === 'a',
            ),
          );
          expect(pages(fixture, 'Scan', { TableName: 'events', Limit }).map(identity).sort()).toEqual(
            stored.map(({ pk, sk }) => `${pk}/${sk}`).sort(),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a scan goes on behind an item that is deleted between two pages', () => {
    const fixture = createFixture();
    const all = Array.from({ length: 40 }, (_, index) => `k${index}`);
    fill(fixture, ...all.map((pk) => ({ pk })));

    const found = pages(fixture, 'Scan', { TableName: 'records', Limit: 3 }, (last) => {
      fixture.call('DeleteItem', { TableName: 'records', Key: last });
      fill(fixture, { pk: `new-${last.pk.S}` });
    }).map((one) => one.pk.S);

    expect(found.filter((pk) => !pk.startsWith('new-')).sort()).toEqual([...all].sort());
    expect(new Set(found).size).toBe(found.length);
  });

  test('an item that went and came again between two scans is found once', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a' }, { pk: 'b' });
    const scan = () => fixture.call('Scan', { TableName: 'records' }).Count;
    expect(scan()).toBe(2);

    fixture.call('DeleteItem', { TableName: 'records', Key: item({ pk: 'a' }) });
    fill(fixture, { pk: 'a' });
    fixture.call('DeleteItem', { TableName: 'records', Key: item({ pk: 'a' }) });
    fill(fixture, { pk: 'a' });

    expect(scan()).toBe(2);
  });

  test('the segments of a parallel scan share the table out', () => {
    const fixture = createFixture();
    const all = Array.from({ length: 60 }, (_, index) => `k${index}`);
    fill(fixture, ...all.map((pk) => ({ pk })));

    const parts = [0, 1, 2].map((Segment) =>
      pages(fixture, 'Scan', { TableName: 'records', Segment, TotalSegments: 3, Limit: 4 }).map(
        (one) => one.pk.S,
      ),
    );

    expect(parts.flat().sort()).toEqual([...all].sort());
    for (const part of parts) expect(part.length).toBeGreaterThan(0);
  });

  test('a page ends at one megabyte', () => {
    const fixture = createFixture();
    const body = 'x'.repeat(100_000);
    fill(fixture, ...Array.from({ length: 25 }, (_, index) => ({ pk: `k${index}`, body })));

    const first = fixture.call('Scan', { TableName: 'records', ReturnConsumedCapacity: 'TOTAL' });

    expect(first.Count).toBe(11);
    expect(first.ConsumedCapacity.CapacityUnits).toBe(134.5);
    expect(pages(fixture, 'Scan', { TableName: 'records' })).toHaveLength(25);
  });
});

describe('batches of items', () => {
  test('reading gives what is there, of several tables', () => {
    const fixture = createEvents(events);
    fill(fixture, { pk: 'a', n: 1 });

    const { Responses, UnprocessedKeys } = fixture.call('BatchGetItem', {
      RequestItems: {
        records: { Keys: [item({ pk: 'a' }), item({ pk: 'none' })], ConsistentRead: true },
        events: { Keys: [item({ pk: 'a', sk: 2 })], ProjectionExpression: 'n' },
      },
    });

    expect(Responses).toEqual({ records: [item({ pk: 'a', n: 1 })], events: [item({ n: 9 })] });
    expect(UnprocessedKeys).toEqual({});
  });

  test('what is over 16 MB is asked for again', () => {
    const fixture = createFixture();
    const all = Array.from({ length: 50 }, (_, index) => ({ pk: `k${index}`, body: 'x'.repeat(390_000) }));
    fill(fixture, ...all);
    const Keys = all.map(({ pk }) => item({ pk }));

    const first = fixture.call('BatchGetItem', { RequestItems: { records: { Keys } } });
    const second = fixture.call('BatchGetItem', { RequestItems: first.UnprocessedKeys });

    expect(first.UnprocessedKeys.records.Keys.length).toBeGreaterThan(0);
    expect(first.Responses.records.length + second.Responses.records.length).toBe(50);
  });

  test('writing puts and deletes', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'old' });

    fixture.call('BatchWriteItem', {
      RequestItems: {
        records: [
          { PutRequest: { Item: item({ pk: 'new' }) } },
          { DeleteRequest: { Key: item({ pk: 'old' }) } },
        ],
      },
    });

    expect(fixture.model.items('records')).toEqual([item({ pk: 'new' })]);
  });

  test.each<[string, object, string]>([
    ['BatchGetItem', { records: { Keys: [item({ pk: 'a' }), item({ pk: 'a' })] } }, 'contains duplicates'],
    [
      'BatchGetItem',
      { records: { Keys: Array.from({ length: 101 }, (_, index) => ({ pk: value(`k${index}`) })) } },
      'Too many items requested',
    ],
    ['BatchGetItem', {}, 'requestItems'],
    [
      'BatchWriteItem',
      {
        records: [{ PutRequest: { Item: item({ pk: 'a' }) } }, { DeleteRequest: { Key: item({ pk: 'a' }) } }],
      },
      'contains duplicates',
    ],
    [
      'BatchWriteItem',
      {
        records: Array.from({ length: 26 }, (_, index) => ({
          PutRequest: { Item: { pk: value(`k${index}`) } },
        })),
      },
      'Too many items requested',
    ],
  ])('%s refuses %j', (action, RequestItems, words) => {
    const { refused, model } = createFixture();

    expect(refused(action, { RequestItems }).message).toContain(words);
    expect(model.items('records')).toEqual([]);
  });
});
