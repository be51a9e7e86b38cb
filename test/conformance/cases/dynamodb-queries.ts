import { deepEqual, equal, ok } from 'node:assert/strict';
import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { type Item, index, invalid, item, pages, table, value } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

const query = 'DynamoDB developer guide, "Querying tables in DynamoDB"';
const indexes = 'DynamoDB developer guide, "Using Global Secondary Indexes in DynamoDB"';

/** A table with the sort keys 1 to `count` under the partition key `a`, and one under `b`. */
async function numbered(world: World, count: number) {
  const made = await table(world, { range: 'N' });
  for (let sk = 1; sk <= count; sk++) await made.put({ pk: 'a', sk, even: sk % 2 === 0 });
  await made.put({ pk: 'b', sk: 1 });
  return made;
}

const sorts = (items: Item[] | undefined) => items?.map(({ sk }) => Number(sk?.N));
const of = (extra: Record<string, number | string | boolean> = {}) => ({ values: { p: 'a', ...extra } });

const scan = ({ dynamodb }: World, TableName: string, more: Partial<ScanCommandInput> = {}) =>
  dynamodb.send(new ScanCommand({ TableName, ...more }));

export const dynamodbQueries = group(
  'dynamodb-queries',
  'Queries and scans',
  ['dynamodb'],
  [
    {
      name: 'partition-in-order',
      title: 'A query gives a partition in the order of its sort keys, numbers as numbers.',
      source: { page: query, says: 'results are sorted by the sort key: numerically for numbers' },
      async run(world) {
        const { put, query: ask } = await table(world, { range: 'N' });
        for (const sk of [10, 9, -1, 2, 1.5]) await put({ pk: 'a', sk });
        const { Items, Count, ScannedCount } = await ask('pk = :p', of());
        deepEqual(sorts(Items), [-1, 1.5, 2, 9, 10]);
        equal(Count, 5);
        equal(ScannedCount, 5);
      },
    },
    {
      name: 'texts-in-order-of-bytes',
      title: 'Texts are sorted by their UTF-8 bytes.',
      source: { page: query, says: 'strings are sorted in the order of their UTF-8 bytes' },
      async run(world) {
        const { put, query: ask } = await table(world, { range: 'S' });
        // U+FF5E comes before U+1F600 in UTF-8, and after it in UTF-16.
        const sorted = ['A', 'B', 'a', 'ä', '～', '😀'];
        for (const sk of sorted.toReversed()) await put({ pk: 'a', sk });
        const { Items } = await ask('pk = :p', of());
        deepEqual(
          Items?.map(({ sk }) => sk?.S),
          sorted,
        );
      },
    },
    {
      name: 'backwards',
      title: 'A query runs backwards when it is asked to.',
      source: { page: pages.api('Query'), says: 'ScanIndexForward false gives descending order' },
      async run(world) {
        const { query: ask } = await numbered(world, 4);
        const { Items } = await ask('pk = :p', { ...of(), ScanIndexForward: false });
        deepEqual(sorts(Items), [4, 3, 2, 1]);
      },
    },
    {
      name: 'ranges',
      title: 'Sort keys are chosen by comparison, BETWEEN and begins_with.',
      source: { page: query, says: 'key conditions know =, <, <=, >, >=, BETWEEN and begins_with' },
      async run(world) {
        const { query: ask } = await numbered(world, 5);
        for (const [condition, values, expected] of [
          ['sk = :a', { a: 3 }, [3]],
          ['sk < :a', { a: 3 }, [1, 2]],
          ['sk <= :a', { a: 3 }, [1, 2, 3]],
          ['sk > :a', { a: 3 }, [4, 5]],
          ['sk >= :a', { a: 3 }, [3, 4, 5]],
          ['sk BETWEEN :a AND :b', { a: 2, b: 4 }, [2, 3, 4]],
        ] as const) {
          const { Items } = await ask(`pk = :p AND ${condition}`, of(values));
          deepEqual(sorts(Items), expected, `${condition} gives ${sorts(Items)}.`);
        }
        const texts = await table(world, { range: 'S' });
        for (const sk of ['order#1', 'order#2', 'ordinary', 'payment#1']) await texts.put({ pk: 'a', sk });
        const { Count } = await texts.query('begins_with(sk, :x) AND pk = :p', of({ x: 'order#' }));
        equal(Count, 2, 'begins_with gives something else.');
      },
    },
    {
      name: 'key-conditions-that-are-wrong',
      title: 'A query has an equality of the partition key, and at most one condition of the sort key.',
      source: {
        page: query,
        says: 'the partition key is compared with =; OR, NOT and <> are no key conditions',
      },
      async run(world) {
        const { query: ask } = await numbered(world, 1);
        for (const [condition, values] of [
          ['pk > :p', {}],
          ['sk = :a', { a: 1 }],
          ['pk = :p AND sk <> :a', { a: 1 }],
          ['pk = :p OR sk = :a', { a: 1 }],
          ['pk = :p AND sk > :a AND sk < :b', { a: 1, b: 2 }],
          ['pk = :p AND other = :a', { a: 1 }],
          ['pk = :p AND sk = :a', { a: 'text' }],
          ['pk = :p AND contains(sk, :a)', { a: 1 }],
        ] as const)
          await refused(`the key condition "${condition}"`, invalid, () =>
            ask(condition, { values: { ...(condition.includes(':p') ? { p: 'a' } : {}), ...values } }),
          );
      },
    },
    {
      name: 'filter-counts-after-reading',
      title: 'A filter is applied after the items are read: Limit and ScannedCount count before it.',
      source: {
        page: 'DynamoDB developer guide, "Filter expressions for the Query operation in DynamoDB"',
        says: 'a filter is applied after reading and before the answer; it saves no units',
      },
      async run(world) {
        const { query: ask } = await numbered(world, 6);
        const { Items, Count, ScannedCount } = await ask('pk = :p', {
          ...of({ yes: true }),
          FilterExpression: 'even = :yes',
          Limit: 3,
        });
        deepEqual(sorts(Items), [2]);
        equal(Count, 1);
        equal(ScannedCount, 3, 'Limit counts what the filter lets through.');
      },
    },
    {
      name: 'filter-is-not-of-keys',
      title: 'A filter of a query does not look at keys.',
      source: {
        page: 'DynamoDB developer guide, "Filter expressions for the Query operation in DynamoDB"',
        says: 'a filter cannot hold partition or sort key attributes',
      },
      async run(world) {
        const { query: ask } = await numbered(world, 1);
        await refused('a filter over the sort key', invalid, () =>
          ask('pk = :p', { ...of({ one: 1 }), FilterExpression: 'sk = :one' }),
        );
      },
    },
    {
      name: 'pages',
      title: 'Pages go on behind the key with which the last one ended, in both directions.',
      source: {
        page: 'DynamoDB developer guide, "Paginating table query results in DynamoDB"',
        says: 'LastEvaluatedKey is given back as ExclusiveStartKey, until there is none',
      },
      async run(world) {
        const { query: ask } = await numbered(world, 5);
        for (const ScanIndexForward of [true, false]) {
          const found: number[] = [];
          let ExclusiveStartKey: Item | undefined;
          do {
            const page = await ask('pk = :p', {
              ...of(),
              Limit: 2,
              ScanIndexForward,
              ...(ExclusiveStartKey && { ExclusiveStartKey }),
            });
            found.push(...(sorts(page.Items) ?? []));
            ExclusiveStartKey = page.LastEvaluatedKey;
          } while (ExclusiveStartKey !== undefined);
          deepEqual(found, ScanIndexForward ? [1, 2, 3, 4, 5] : [5, 4, 3, 2, 1]);
        }
      },
    },
    {
      name: 'start-key-that-was-deleted',
      title: 'A page goes on behind a key that has been deleted.',
      source: {
        page: 'DynamoDB developer guide, "Paginating table query results in DynamoDB"',
        says: 'ExclusiveStartKey is a key, from which the reading goes on',
      },
      async run(world) {
        const { query: ask, remove } = await numbered(world, 4);
        const { LastEvaluatedKey } = await ask('pk = :p', { ...of(), Limit: 2 });
        deepEqual(LastEvaluatedKey, item({ pk: 'a', sk: 2 }));
        await remove({ pk: 'a', sk: 2 });
        const { Items } = await ask('pk = :p', {
          ...of(),
          ...(LastEvaluatedKey && { ExclusiveStartKey: LastEvaluatedKey }),
        });
        deepEqual(sorts(Items), [3, 4]);
      },
    },
    {
      name: 'page-of-1-mb',
      title: 'A page reads at most 1 MB.',
      source: {
        page: pages.api('Query'),
        says: 'a single query reads up to 1 MB, and gives LastEvaluatedKey',
        conflict:
          'The page does not say whether the item that crosses 1 MB is read. DynamoDB Local gives it; so does the model. The case takes both.',
      },
      async run(world) {
        const { put, query: ask } = await table(world, { range: 'N' });
        const text = 'x'.repeat(300_000);
        for (let sk = 1; sk <= 5; sk++) await put({ pk: 'a', sk, text });
        const first = await ask('pk = :p', { ...of(), ProjectionExpression: 'sk' });
        ok(
          first.Count === 3 || first.Count === 4,
          `${first.Count} of five items of 300 KB were read, instead of three or four.`,
        );
        ok(first.LastEvaluatedKey, 'The page does not tell where it ended.');
      },
    },
    {
      name: 'count-only',
      title: 'Select COUNT gives the number without the items.',
      source: { page: pages.api('Query'), says: 'COUNT gives the number of matching items' },
      async run(world) {
        const { query: ask } = await numbered(world, 3);
        const { Count, Items } = await ask('pk = :p', { ...of(), Select: 'COUNT' });
        equal(Count, 3);
        equal(Items, undefined, 'The items came along.');
      },
    },
    {
      name: 'scan-finds-all',
      title: 'A scan finds every item, once, page by page.',
      source: { page: pages.api('Scan'), says: 'a scan reads every item of a table' },
      async run(world) {
        const made = await table(world);
        const sent = Array.from({ length: 25 }, (_, at) => `item-${at}`);
        for (const pk of sent) await made.put({ pk });
        const found: (string | undefined)[] = [];
        let ExclusiveStartKey: Item | undefined;
        do {
          const page = await scan(world, made.name, {
            Limit: 7,
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          });
          found.push(...(page.Items ?? []).map(({ pk }) => pk?.S));
          ExclusiveStartKey = page.LastEvaluatedKey;
        } while (ExclusiveStartKey !== undefined);
        deepEqual(found.toSorted(), sent.toSorted());
      },
    },
    {
      name: 'scan-in-segments',
      title: 'The segments of a parallel scan are the whole table together, without overlap.',
      source: {
        page: 'DynamoDB developer guide, "Scanning tables in DynamoDB", parallel scan',
        says: 'segments divide the table',
      },
      async run(world) {
        const made = await table(world);
        const sent = Array.from({ length: 20 }, (_, at) => `item-${at}`);
        for (const pk of sent) await made.put({ pk });
        const segments = await Promise.all(
          [0, 1, 2].map((Segment) => scan(world, made.name, { Segment, TotalSegments: 3 })),
        );
        deepEqual(
          segments.flatMap(({ Items = [] }) => Items.map(({ pk }) => pk?.S)).toSorted(),
          sent.toSorted(),
        );
        await refused('segment 3 of 3', invalid, () =>
          scan(world, made.name, { Segment: 3, TotalSegments: 3 }),
        );
      },
    },
    {
      name: 'scan-with-a-filter',
      title: 'A filter of a scan may look at keys.',
      source: { page: pages.api('Scan'), says: 'FilterExpression is applied after reading' },
      async run(world) {
        const { name } = await numbered(world, 3);
        const { Items, ScannedCount } = await scan(world, name, {
          FilterExpression: 'sk > :one AND pk = :p',
          ExpressionAttributeValues: { ':one': value(1), ':p': value('a') },
        });
        deepEqual(sorts(Items)?.toSorted(), [2, 3]);
        equal(ScannedCount, 4);
      },
    },
    {
      name: 'index-is-sparse',
      title: 'An index holds the items that have its keys, and no others.',
      source: { page: indexes, says: 'only items with the index’s key attributes are in it' },
      async run(world) {
        const made = await table(world, {
          indexes: [index('byStatus', 'status', 'at')],
          defined: { status: 'S', at: 'N' },
        });
        await made.put({ pk: 'both', status: 'open', at: 1 });
        await made.put({ pk: 'half', status: 'open' });
        await made.put({ pk: 'none' });
        const { Items } = await scan(world, made.name, { IndexName: 'byStatus' });
        deepEqual(Items, [item({ pk: 'both', status: 'open', at: 1 })]);
      },
    },
    {
      name: 'index-follows-the-table',
      title: 'An index follows puts, updates and deletes.',
      source: { page: indexes, says: 'DynamoDB keeps indexes up to date with the table' },
      async run(world) {
        const made = await table(world, {
          indexes: [index('byStatus', 'status')],
          defined: { status: 'S' },
        });
        const held = async (status: string) =>
          (
            await made.query('#s = :s', {
              IndexName: 'byStatus',
              names: { s: 'status' },
              values: { s: status },
            })
          ).Items?.map(({ pk }) => pk?.S).toSorted();
        const become = (what: string, status: string, expected: string[]) =>
          world.eventually(what, 5, async () =>
            JSON.stringify(await held(status)) === JSON.stringify(expected) ? true : undefined,
          );
        await made.put({ pk: 'a', status: 'open' });
        await made.put({ pk: 'b', status: 'open' });
        await become('both items in the index', 'open', ['a', 'b']);
        await made.update('a', 'SET #s = :s', { names: { s: 'status' }, values: { s: 'done' } });
        await become('the updated item to leave its place', 'open', ['b']);
        await become('the updated item at its new place', 'done', ['a']);
        await made.update('a', 'REMOVE #s', { names: { s: 'status' } });
        await made.remove('b');
        await become('the item without the key to leave', 'done', []);
        await become('the deleted item to leave', 'open', []);
      },
    },
    {
      name: 'index-with-equal-keys',
      title: 'An index holds several items of one key, and its pages go on between them.',
      source: { page: indexes, says: 'index keys need not be unique' },
      async run(world) {
        const made = await table(world, {
          indexes: [index('byStatus', 'status', 'at')],
          defined: { status: 'S', at: 'N' },
        });
        for (const pk of ['a', 'b', 'c', 'd']) await made.put({ pk, status: 'open', at: 1 });
        const found: (string | undefined)[] = [];
        let ExclusiveStartKey: Item | undefined;
        do {
          const page = await made.query('#s = :s', {
            IndexName: 'byStatus',
            names: { s: 'status' },
            values: { s: 'open' },
            Limit: 1,
            ...(ExclusiveStartKey && { ExclusiveStartKey }),
          });
          found.push(...(page.Items ?? []).map(({ pk }) => pk?.S));
          ExclusiveStartKey = page.LastEvaluatedKey;
        } while (ExclusiveStartKey !== undefined);
        deepEqual(found.toSorted(), ['a', 'b', 'c', 'd']);
      },
    },
    {
      name: 'index-projections',
      title: 'An index gives the attributes that are projected into it.',
      source: { page: indexes, says: 'KEYS_ONLY, INCLUDE and ALL say what is copied into the index' },
      async run(world) {
        const made = await table(world, {
          indexes: [
            index('keys', 'status', undefined, { ProjectionType: 'KEYS_ONLY' }),
            index('some', 'status', undefined, { ProjectionType: 'INCLUDE', NonKeyAttributes: ['owner'] }),
          ],
          defined: { status: 'S' },
        });
        await made.put({ pk: 'a', status: 'open', owner: 'me', text: 'long' });
        const ask = async (IndexName: string) =>
          (
            await made.query('#s = :s', {
              IndexName,
              names: { s: 'status' },
              values: { s: 'open' },
            })
          ).Items;
        deepEqual(await ask('keys'), [item({ pk: 'a', status: 'open' })]);
        deepEqual(await ask('some'), [item({ pk: 'a', status: 'open', owner: 'me' })]);
      },
    },
    {
      name: 'index-is-read-eventually',
      title: 'A global index cannot be read consistently.',
      source: { page: indexes, says: 'global secondary indexes support eventual consistency only' },
      async run(world) {
        const made = await table(world, { indexes: [index('byStatus', 'status')], defined: { status: 'S' } });
        await refused('a consistent read of an index', invalid, () =>
          scan(world, made.name, { IndexName: 'byStatus', ConsistentRead: true }),
        );
        await refused('an index that is not there', invalid, () =>
          scan(world, made.name, { IndexName: 'never' }),
        );
      },
    },
    {
      name: 'index-key-of-a-wrong-type',
      title: 'An item whose attribute is of another type than the index’s key is refused; an empty text too.',
      source: { page: indexes, says: 'the attribute of an index key has the defined type' },
      async run(world) {
        const made = await table(world, { indexes: [index('byStatus', 'status')], defined: { status: 'S' } });
        await refused('a number for an index key of type S', invalid, () => made.put({ pk: 'a', status: 1 }));
        await refused('an empty index key', invalid, () => made.put({ pk: 'a', status: '' }));
        await made.put({ pk: 'a', status: 'fine' });
        await refused('an update to a wrong type', invalid, () =>
          made.update('a', 'SET #s = :s', { names: { s: 'status' }, values: { s: 1 } }),
        );
      },
    },
  ],
);
