import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ConformanceCase, group } from '../case.ts';
import {
  type Bound,
  conditionFailed,
  exactly,
  invalid,
  item,
  type Plain,
  pages,
  table,
} from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

type Items = Readonly<Record<string, Plain>>;

/** An update of an item, and what it has to be after it. */
function updateCase(
  about: Omit<ConformanceCase, 'run'>,
  before: Items,
  update: string,
  bound: Bound,
  after: Items,
): ConformanceCase {
  return {
    ...about,
    async run(world) {
      const { put, update: change, get } = await table(world);
      await put({ pk: 'a', ...before });
      await change('a', update, bound);
      deepEqual(await get('a'), item({ pk: 'a', ...after }));
    },
  };
}

/** Updates that are refused as ValidationException, and change nothing. */
function refusedUpdates(
  about: Omit<ConformanceCase, 'run'>,
  before: Items,
  updates: readonly (readonly [update: string, bound: Bound])[],
): ConformanceCase {
  return {
    ...about,
    async run(world) {
      const { put, update: change, get } = await table(world);
      await put({ pk: 'a', ...before });
      for (const [update, bound] of updates)
        await refused(`the update "${update}"`, invalid, () => change('a', update, bound));
      deepEqual(await get('a'), item({ pk: 'a', ...before }), 'A refused update changed the item.');
    },
  };
}

const about = (
  name: string,
  title: string,
  says: string,
  conflict?: string,
): Omit<ConformanceCase, 'run'> => ({
  name,
  title,
  source: { page: pages.updates, says, ...(conflict === undefined ? {} : { conflict }) },
});

export const dynamodbUpdates = group(
  'dynamodb-updates',
  'Updates',
  ['dynamodb'],
  [
    updateCase(
      about('set', 'SET adds attributes and replaces them.', 'SET adds or overwrites attributes'),
      { first: 1, kept: true },
      'SET #f = :two, second_ = :list',
      { names: { f: 'first' }, values: { two: 2, list: ['x'] } },
      { first: 2, kept: true, second_: ['x'] },
    ),
    updateCase(
      about('set-nested', 'SET reaches into maps and lists.', 'paths lead to nested attributes'),
      { map: { x: 1 }, list: [1, 2] },
      'SET #m.y = :v, #l[0] = :v',
      { names: { m: 'map', l: 'list' }, values: { v: 9 } },
      { map: { x: 1, y: 9 }, list: [9, 2] },
    ),
    updateCase(
      about(
        'set-behind-the-end-of-a-list',
        'SET behind the end of a list appends.',
        'an index beyond the end appends to the list',
      ),
      { list: [1, 2] },
      'SET #l[7] = :v',
      { names: { l: 'list' }, values: { v: 3 } },
      { list: [1, 2, 3] },
    ),
    updateCase(
      about('arithmetic', 'SET adds and subtracts numbers.', 'the operators + and -'),
      { n: 5, m: 2 },
      'SET n = n + :v, m = :v - m',
      { values: { v: 10 } },
      { n: 15, m: 8 },
    ),
    updateCase(
      about(
        'sees-the-item-as-it-was',
        'Every right side sees the item as it was before the update.',
        'all actions of an update see the item before any of them',
      ),
      { a: 1, b: 2 },
      'SET a = b, b = a, c = a',
      {},
      { a: 2, b: 1, c: 1 },
    ),
    updateCase(
      about(
        'if-not-exists',
        'if_not_exists takes the value that is there, or another.',
        'if_not_exists(path, value)',
      ),
      { n: 5 },
      'SET n = if_not_exists(n, :zero) + :one, m = if_not_exists(m, :zero) + :one',
      { values: { zero: 0, one: 1 } },
      { n: 6, m: 1 },
    ),
    updateCase(
      about('list-append', 'list_append puts one list behind another.', 'list_append(list, list)'),
      { list: [1] },
      'SET #l = list_append(#l, :tail), front = list_append(:tail, #l)',
      { names: { l: 'list' }, values: { tail: [2, 3] } },
      { list: [1, 2, 3], front: [2, 3, 1] },
    ),
    updateCase(
      about(
        'list-append-to-nothing',
        'list_append begins a list with if_not_exists.',
        'functions may stand in functions',
      ),
      {},
      'SET #l = list_append(if_not_exists(#l, :none), :tail)',
      { names: { l: 'list' }, values: { none: [], tail: ['x'] } },
      { list: ['x'] },
    ),
    updateCase(
      about(
        'remove',
        'REMOVE takes attributes away, also nested ones; absent ones are no error.',
        'REMOVE deletes attributes',
      ),
      { n: 1, map: { x: 1, y: 2 } },
      'REMOVE n, #m.x, absent',
      { names: { m: 'map' } },
      { map: { y: 2 } },
    ),
    updateCase(
      about(
        'remove-from-a-list',
        'REMOVE of elements closes the list; positions are those before the update.',
        'the remaining elements shift',
      ),
      { list: ['0', '1', '2', '3'] },
      'REMOVE #l[1], #l[2]',
      { names: { l: 'list' } },
      { list: ['0', '3'] },
    ),
    updateCase(
      about(
        'add-number',
        'ADD adds to a number, or begins at zero.',
        'ADD to a number, 0 where there is none',
      ),
      { n: 5 },
      'ADD n :v, m :v',
      { values: { v: -7 } },
      { n: -2, m: -7 },
    ),
    {
      ...about(
        'add-and-delete-of-sets',
        'ADD and DELETE change sets; an empty one is gone.',
        'ADD and DELETE work on sets; an empty set is removed',
      ),
      async run(world) {
        const { put, update, get } = await table(world);
        await put({ pk: 'a', set: new Set(['x', 'y']), gone: new Set(['x']) });
        await update('a', 'ADD #s :add, fresh :add DELETE gone :x, absent :x', {
          names: { s: 'set' },
          values: { add: new Set(['y', 'z']), x: new Set(['x', 'unknown']) },
        });
        const found = await get('a');
        deepEqual(found?.set?.SS?.toSorted(), ['x', 'y', 'z']);
        deepEqual(found?.fresh?.SS?.toSorted(), ['y', 'z']);
        equal(found?.gone, undefined, 'The empty set is left.');
        equal(found?.absent, undefined);
      },
    },
    {
      ...about(
        'makes-an-item',
        'An update of an item that is not there makes it.',
        'a new item is added if there is none',
      ),
      source: { page: pages.api('UpdateItem'), says: 'it edits an item, or adds a new one if there is none' },
      async run(world) {
        const { update, get, remove } = await table(world);
        await update('a', 'SET n = :v', { values: { v: 1 } });
        deepEqual(await get('a'), item({ pk: 'a', n: 1 }));
        await remove('a');
        await update('a', 'REMOVE n');
        deepEqual(await get('a'), item({ pk: 'a' }), 'An update that only removes makes no item.');
      },
    },
    {
      ...about(
        'only-if-there',
        'attribute_exists of the key changes an item only where there is one.',
        'conditions',
      ),
      source: { page: pages.conditions, says: 'a condition is asked of the item before the update' },
      async run(world) {
        const { update, get } = await table(world);
        await refused('an update of what is not there', conditionFailed, () =>
          update('a', 'SET n = :v', { ConditionExpression: 'attribute_exists(pk)', values: { v: 1 } }),
        );
        equal(await get('a'), undefined);
      },
    },
    {
      ...about(
        'return-values',
        'An update gives the old or the new item, or what of it was updated.',
        'the five kinds of return values',
      ),
      source: {
        page: pages.api('UpdateItem'),
        says: 'NONE, ALL_OLD, UPDATED_OLD, ALL_NEW and UPDATED_NEW',
      },
      async run(world) {
        const { put, update } = await table(world);
        const before = { pk: 'a', n: 1, gone: 'x', other: true };
        const after = { pk: 'a', n: 2, other: true, fresh: 'f' };
        for (const [ReturnValues, expected] of [
          ['NONE', undefined],
          ['ALL_OLD', before],
          ['UPDATED_OLD', { n: 1, gone: 'x' }],
          ['ALL_NEW', after],
          ['UPDATED_NEW', { n: 2, fresh: 'f' }],
        ] as const) {
          await put(before);
          const { Attributes } = await update('a', 'SET n = :n, fresh = :f REMOVE gone', {
            values: { n: 2, f: 'f' },
            ReturnValues,
          });
          deepEqual(Attributes, expected && item(expected), `${ReturnValues} gives something else.`);
        }
      },
    },
    {
      ...about(
        'return-of-nested-values',
        'UPDATED_NEW of a nested path gives that path alone.',
        'only the updated attributes',
      ),
      source: {
        page: pages.api('UpdateItem'),
        says: 'UPDATED_NEW gives only the updated attributes, as they are after the update',
        conflict:
          'The page does not speak of nested paths. DynamoDB Local gives the whole attribute around one; dynalite, whose tests are run against AWS, the path that was named. The model does the latter: no more was updated.',
      },
      async run(world) {
        const { put, update } = await table(world);
        await put({ pk: 'a', map: { x: 1, y: 2 } });
        const { Attributes } = await update('a', 'SET #m.x = :v', {
          names: { m: 'map' },
          values: { v: 9 },
          ReturnValues: 'UPDATED_NEW',
        });
        deepEqual(Attributes, item({ map: { x: 9 } }));
      },
    },
    refusedUpdates(
      about(
        'overlapping-paths',
        'Two changes of one path, or of a path and a part of it, are refused.',
        'paths must not overlap',
      ),
      { map: { x: 1 }, n: 1 },
      [
        ['SET n = :v, n = :v', { values: { v: 1 } }],
        ['SET #m = :v, #m.x = :v', { names: { m: 'map' }, values: { v: 1 } }],
        ['SET n = :v REMOVE n', { values: { v: 1 } }],
        ['SET #m.x = :v, #m[0] = :v', { names: { m: 'map' }, values: { v: 1 } }],
      ],
    ),
    refusedUpdates(
      about(
        'key-is-fixed',
        'Attributes of the key cannot be updated.',
        'primary key attributes cannot be updated',
      ),
      {},
      [
        ['SET pk = :v', { values: { v: 'b' } }],
        ['REMOVE pk', {}],
        ['ADD pk :v', { values: { v: 1 } }],
      ],
    ),
    refusedUpdates(
      about(
        'no-such-place',
        'A path whose parents are not there is refused.',
        'a nested attribute can be set only where its parent is',
      ),
      { n: 1, list: [1] },
      [
        ['SET absent.x = :v', { values: { v: 1 } }],
        ['SET n.x = :v', { values: { v: 1 } }],
        ['SET #l.x = :v', { names: { l: 'list' }, values: { v: 1 } }],
        ['SET n[0] = :v', { values: { v: 1 } }],
      ],
    ),
    refusedUpdates(
      about('missing-operand', 'A right side that is not there is refused.', 'an operand has to be there'),
      { n: 1 },
      [
        ['SET n = absent', {}],
        ['SET n = absent + :v', { values: { v: 1 } }],
        ['SET #l = list_append(#l, :v)', { names: { l: 'list' }, values: { v: [1] } }],
      ],
    ),
    refusedUpdates(
      about(
        'operand-of-a-wrong-type',
        'Operands of a wrong type are refused.',
        'arithmetic takes numbers, list_append lists, ADD numbers and sets, DELETE sets',
      ),
      { text: 'x', n: 1, set: new Set(['a']), list: [1] },
      [
        ['SET n = #t + :v', { names: { t: 'text' }, values: { v: 1 } }],
        ['SET n = n + :v', { values: { v: 'x' } }],
        ['SET #l = list_append(#l, :v)', { names: { l: 'list' }, values: { v: 1 } }],
        ['ADD #t :v', { names: { t: 'text' }, values: { v: 1 } }],
        ['ADD n :v', { values: { v: 'x' } }],
        ['ADD n :v', { values: { v: new Set(['x']) } }],
        ['ADD #s :v', { names: { s: 'set' }, values: { v: new Set([1]) } }],
        ['DELETE #s :v', { names: { s: 'set' }, values: { v: 'a' } }],
        ['DELETE n :v', { values: { v: new Set(['a']) } }],
      ],
    ),
    refusedUpdates(
      about(
        'clauses',
        'Each clause stands once in an expression that can be read.',
        'each of SET, REMOVE, ADD and DELETE at most once',
      ),
      { n: 1 },
      [
        ['SET n = :v SET m = :v', { values: { v: 1 } }],
        ['', {}],
        ['SET', {}],
        ['SET n', {}],
        ['n = :v', { values: { v: 1 } }],
        ['SET n = :v + :v + :v', { values: { v: 1 } }],
        ['SET n = unknown(n)', {}],
        ['REMOVE n = :v', { values: { v: 1 } }],
      ],
    ),
    {
      ...about(
        'clauses-in-any-order',
        'Clauses stand in any order, and their keywords in any case.',
        'one or more clauses',
      ),
      async run(world) {
        const { put, update, get } = await table(world);
        await put({ pk: 'a', n: 1, gone: 1 });
        await update('a', 'remove gone add n :one set fresh = :one', { values: { one: 1 } });
        deepEqual(await get('a'), item({ pk: 'a', n: 2, fresh: 1 }));
      },
    },
    {
      ...about(
        'item-that-grows-too-large',
        'An update to more than 400 KB is refused, and changes nothing.',
        '400 KB',
      ),
      source: { page: pages.quotas, says: 'the maximum item size is 400 KB' },
      async run(world) {
        const { put, update, get } = await table(world);
        await put({ pk: 'a', big: 'x'.repeat(300_000) });
        await refused('a second 200 KB', invalid, () =>
          update('a', 'SET more = :v', { values: { v: 'x'.repeat(200_000) } }),
        );
        equal((await get('a'))?.more, undefined);
      },
    },
    {
      ...about('exact-decimals', 'Decimals are added exactly.', 'numbers have 38 digits'),
      source: { page: pages.naming, says: 'numbers are exact to 38 digits' },
      async run(world) {
        const { put, update, get } = await table(world);
        await put({ pk: 'a', n: exactly({ N: '0.1' }) });
        await update('a', 'ADD n :v', { values: { v: exactly({ N: '0.2' }) } });
        equal((await get('a'))?.n?.N, '0.3');
      },
    },
    {
      ...about('counter-under-contention', 'Updates at the same time lose none.', 'atomic counters'),
      source: {
        page: 'DynamoDB developer guide, "Working with items and attributes", atomic counters',
        says: 'increments are applied in the order in which they come, without interfering with each other',
      },
      async run(world) {
        const { update, get } = await table(world);
        await Promise.all(
          Array.from({ length: 20 }, () => update('a', 'ADD n :one', { values: { one: 1 } })),
        );
        const found = await get('a');
        ok(found?.n?.N === '20', `20 increments make ${found?.n?.N}.`);
      },
    },
  ],
);
