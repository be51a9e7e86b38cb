import { deepEqual, equal } from 'node:assert/strict';
import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import type { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type ConformanceCase, group } from '../case.ts';
import { type Bound, conditionFailed, invalid, item, type Plain, pages, table } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

/** The item that conditions are asked of. */
const subject: Record<string, Plain> = {
  pk: 'a',
  n: 5,
  text: 'hello',
  flag: true,
  nothing: null,
  bytes: new Uint8Array([1, 2, 3]),
  list: [1, 'two', [3]],
  map: { inner: 7, 'with.dot': 'x' },
  texts: new Set(['red', 'green']),
  numbers: new Set([1, 2]),
};

/** A condition, with what it stands on, and whether it holds for {@link subject}. */
type Asked = readonly [condition: string, holds: boolean, bound?: Bound];

const v = (values: Bound['values'], names?: Bound['names']): Bound => ({
  ...(values && { values }),
  ...(names && { names }),
});

function conditionCase(about: Omit<ConformanceCase, 'run'>, asked: readonly Asked[]): ConformanceCase {
  return {
    ...about,
    async run(world) {
      const { put } = await table(world);
      await put(subject);
      for (const [ConditionExpression, holds, bound = {}] of asked) {
        const attempt = () => put(subject, { ConditionExpression, ...bound });
        if (holds)
          await attempt().catch((error: Error) => {
            throw new Error(`"${ConditionExpression}" was to hold: ${error.name}: ${error.message}`);
          });
        else await refused(`"${ConditionExpression}" was not to hold`, conditionFailed, attempt);
      }
    },
  };
}

const about = (name: string, title: string, says: string): Omit<ConformanceCase, 'run'> => ({
  name,
  title,
  source: { page: pages.conditions, says },
});

export const dynamodbConditions = group(
  'dynamodb-conditions',
  'Conditions',
  ['dynamodb'],
  [
    conditionCase(
      about('comparators', 'Values are compared with =, <>, <, <=, > and >=.', 'the six comparators'),
      [
        ['n = :v', true, v({ v: 5 })],
        ['n = :v', false, v({ v: 6 })],
        ['n <> :v', true, v({ v: 6 })],
        ['n <> :v', false, v({ v: 5 })],
        ['n < :v', true, v({ v: 5.1 })],
        ['n < :v', false, v({ v: 5 })],
        ['n <= :v', true, v({ v: 5 })],
        ['n > :v', true, v({ v: -6 })],
        ['n > :v', false, v({ v: 10 })],
        ['n >= :v', true, v({ v: 5 })],
        ['#t > :v', true, v({ v: 'Hello' }, { t: 'text' })],
        [':v = n', true, v({ v: 5 })],
      ],
    ),
    conditionCase(
      {
        name: 'comparison-of-types',
        title: 'Values of different types are not equal, and have no order.',
        source: {
          page: pages.conditions,
          says: 'a = b is true if a equals b',
          conflict:
            'The page does not speak of types. In DynamoDB Local another type is <> and satisfies no order; the model does that.',
        },
      },
      [
        ['n = :v', false, v({ v: '5' })],
        ['n <> :v', true, v({ v: '5' })],
        ['n < :v', false, v({ v: '9' })],
        ['n > :v', false, v({ v: '1' })],
      ],
    ),
    conditionCase(
      {
        name: 'comparison-with-what-is-missing',
        title: 'A comparison with an attribute that is not there does not hold, but for <>.',
        source: {
          page: pages.conditions,
          says: 'a <> b is true if a is not equal to b',
          conflict:
            'The page does not say what holds for a missing attribute. In DynamoDB Local only <> does; the model does that.',
        },
      },
      [
        ['absent = :v', false, v({ v: 5 })],
        ['absent < :v', false, v({ v: 5 })],
        ['absent >= :v', false, v({ v: 5 })],
        ['absent <> :v', true, v({ v: 5 })],
        ['NOT absent = :v', true, v({ v: 5 })],
      ],
    ),
    conditionCase(
      about('between', 'BETWEEN includes both ends.', 'true if at least the low and at most the high value'),
      [
        ['n BETWEEN :low AND :high', true, v({ low: 5, high: 6 })],
        ['n BETWEEN :low AND :high', true, v({ low: 4, high: 5 })],
        ['n BETWEEN :low AND :high', false, v({ low: 5.1, high: 6 })],
        ['absent BETWEEN :low AND :high', false, v({ low: 1, high: 6 })],
      ],
    ),
    conditionCase(
      about(
        'in',
        'IN holds for any value of the list.',
        'true if equal to any value of the list, of up to 100',
      ),
      [
        ['n IN (:a, :b)', true, v({ a: 4, b: 5 })],
        ['n IN (:a, :b)', false, v({ a: 4, b: 6 })],
        ['n IN (:a)', false, v({ a: '5' })],
        ['absent IN (:a)', false, v({ a: 5 })],
      ],
    ),
    conditionCase(
      about(
        'precedence',
        'NOT binds more than AND, and AND more than OR; parentheses first.',
        'comparisons, then IN, BETWEEN, functions, parentheses, NOT, AND, OR',
      ),
      [
        ['n = :no AND n = :no OR n = :yes', true, v({ yes: 5, no: 0 })],
        ['n = :no AND (n = :no OR n = :yes)', false, v({ yes: 5, no: 0 })],
        ['n = :yes OR n = :yes AND n = :no', true, v({ yes: 5, no: 0 })],
        ['NOT n = :no AND n = :yes', true, v({ yes: 5, no: 0 })],
        ['NOT (n = :yes AND n = :yes)', false, v({ yes: 5 })],
        ['NOT n = :yes OR n = :yes', true, v({ yes: 5 })],
      ],
    ),
    conditionCase(
      about(
        'exists',
        'attribute_exists and attribute_not_exists look for a path.',
        'true if the path is there, or not',
      ),
      [
        ['attribute_exists(n)', true],
        ['attribute_exists(absent)', false],
        ['attribute_not_exists(absent)', true],
        ['attribute_not_exists(n)', false],
        ['attribute_exists(nothing)', true],
        ['attribute_exists(#m.#i)', true, v(undefined, { m: 'map', i: 'inner' })],
        ['attribute_exists(#m.absent)', false, v(undefined, { m: 'map' })],
        ['attribute_exists(#l[2])', true, v(undefined, { l: 'list' })],
        ['attribute_exists(#l[3])', false, v(undefined, { l: 'list' })],
        ['attribute_exists(n.x)', false],
      ],
    ),
    conditionCase(
      about(
        'type',
        'attribute_type tells the type of a value.',
        'the types are S, SS, N, NS, B, BS, BOOL, NULL, L and M',
      ),
      [
        ['attribute_type(n, :t)', true, v({ t: 'N' })],
        ['attribute_type(n, :t)', false, v({ t: 'S' })],
        ['attribute_type(nothing, :t)', true, v({ t: 'NULL' })],
        ['attribute_type(flag, :t)', true, v({ t: 'BOOL' })],
        ['attribute_type(texts, :t)', true, v({ t: 'SS' })],
        ['attribute_type(numbers, :t)', true, v({ t: 'NS' })],
        ['attribute_type(#l, :t)', true, v({ t: 'L' }, { l: 'list' })],
        ['attribute_type(#m, :t)', true, v({ t: 'M' }, { m: 'map' })],
        ['attribute_type(#b, :t)', true, v({ t: 'B' }, { b: 'bytes' })],
        ['attribute_type(absent, :t)', false, v({ t: 'N' })],
      ],
    ),
    conditionCase(
      about(
        'begins-with',
        'begins_with looks at the beginning of a text or of bytes.',
        'true if the value begins with the substring',
      ),
      [
        ['begins_with(#t, :v)', true, v({ v: 'hel' }, { t: 'text' })],
        ['begins_with(#t, :v)', true, v({ v: '' }, { t: 'text' })],
        ['begins_with(#t, :v)', false, v({ v: 'Hel' }, { t: 'text' })],
        ['begins_with(#b, :v)', true, v({ v: new Uint8Array([1, 2]) }, { b: 'bytes' })],
        ['begins_with(absent, :v)', false, v({ v: 'a' })],
        ['begins_with(n, :v)', false, v({ v: 'a' })],
      ],
    ),
    conditionCase(
      about(
        'contains',
        'contains looks for a part of a text, or an element of a set or list.',
        'a substring, an element of a set, an element of a list',
      ),
      [
        ['contains(#t, :v)', true, v({ v: 'ell' }, { t: 'text' })],
        ['contains(#t, :v)', false, v({ v: 'elo' }, { t: 'text' })],
        ['contains(texts, :v)', true, v({ v: 'red' })],
        ['contains(texts, :v)', false, v({ v: 're' })],
        ['contains(numbers, :v)', true, v({ v: 2 })],
        ['contains(#l, :v)', true, v({ v: 'two' }, { l: 'list' })],
        ['contains(#l, :v)', true, v({ v: [3] }, { l: 'list' })],
        ['contains(#l, :v)', false, v({ v: '1' }, { l: 'list' })],
        ['contains(absent, :v)', false, v({ v: 'a' })],
        ['contains(n, :v)', false, v({ v: '5' })],
      ],
    ),
    conditionCase(
      about(
        'size',
        'size is the length of a text or of bytes, the number of members of the rest.',
        'strings and binaries by their length, sets, lists and maps by their number of elements',
      ),
      [
        ['size(#t) = :v', true, v({ v: 5 }, { t: 'text' })],
        ['size(#b) = :v', true, v({ v: 3 }, { b: 'bytes' })],
        ['size(texts) = :v', true, v({ v: 2 })],
        ['size(#l) = :v', true, v({ v: 3 }, { l: 'list' })],
        ['size(#m) = :v', true, v({ v: 2 }, { m: 'map' })],
        ['size(#t) BETWEEN :v AND :w', true, v({ v: 1, w: 5 }, { t: 'text' })],
        ['size(absent) = :v', false, v({ v: 0 })],
        ['size(n) = :v', false, v({ v: 1 })],
      ],
    ),
    conditionCase(
      about(
        'documents',
        'Documents and sets are compared as a whole.',
        'comparisons work on documents as on scalars',
      ),
      [
        ['#l = :v', true, v({ v: [1, 'two', [3]] }, { l: 'list' })],
        ['#l = :v', false, v({ v: ['two', 1, [3]] }, { l: 'list' })],
        ['#m = :v', true, v({ v: { 'with.dot': 'x', inner: 7 } }, { m: 'map' })],
        ['texts = :v', true, v({ v: new Set(['green', 'red']) })],
        ['texts = :v', false, v({ v: new Set(['green']) })],
      ],
    ),
    conditionCase(
      about(
        'names-with-dots',
        'A name with a dot is named by a placeholder.',
        'a dot in an expression separates; a placeholder may stand for any name',
      ),
      [
        ['#m.#d = :v', true, v({ v: 'x' }, { m: 'map', d: 'with.dot' })],
        ['#md = :v', false, v({ v: 7 }, { md: 'map.inner' })],
      ],
    ),
    conditionCase(
      about(
        'paths-on-both-sides',
        'Two attributes are compared with each other.',
        'an operand is a value or a path',
      ),
      [
        ['n < #m.#i', true, v(undefined, { m: 'map', i: 'inner' })],
        ['n > #l[0]', true, v(undefined, { l: 'list' })],
        ['n = absent', false],
      ],
    ),
    {
      name: 'put-if-absent',
      title: 'attribute_not_exists of the key puts an item only where there is none.',
      source: {
        page: pages.api('PutItem'),
        says: 'a condition attribute_not_exists on the key keeps an existing item from being replaced',
      },
      async run(world) {
        const { put, get } = await table(world);
        const options = { ConditionExpression: 'attribute_not_exists(pk)' };
        await put({ pk: 'a', n: 1 }, options);
        await refused('a second put', conditionFailed, () => put({ pk: 'a', n: 2 }, options));
        deepEqual(await get('a'), item({ pk: 'a', n: 1 }));
      },
    },
    {
      name: 'all-old-on-failure',
      title: 'A failed condition gives the item, when it is asked for it.',
      source: {
        page: pages.api('UpdateItem'),
        says: 'ReturnValuesOnConditionCheckFailure ALL_OLD gives the item of a failed condition',
      },
      async run(world) {
        const { put, update, remove } = await table(world);
        const found = { pk: 'a', n: 1, owner: 'x' };
        await put(found);
        const options = {
          ConditionExpression: 'n = :v',
          values: { v: 2 },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        } as const;
        const attempts = {
          PutItem: () => put({ pk: 'a' }, options),
          UpdateItem: () => update('a', 'SET n = :v', options),
          DeleteItem: () => remove('a', options),
        };
        for (const [action, attempt] of Object.entries(attempts)) {
          const error = await refused(action, conditionFailed, attempt);
          deepEqual(
            (error as ConditionalCheckFailedException).Item,
            item(found),
            `${action} does not give the item with its failure.`,
          );
        }
      },
    },
    {
      name: 'nothing-on-failure-by-default',
      title: 'A failed condition gives no item unless it is asked to, nor where there is none.',
      source: {
        page: pages.api('UpdateItem'),
        says: 'ReturnValuesOnConditionCheckFailure is NONE by default',
      },
      async run(world) {
        const { put } = await table(world);
        await put({ pk: 'a', n: 1 });
        const options = { ConditionExpression: 'n = :v', values: { v: 2 } };
        const plain = await refused('a put', conditionFailed, () => put({ pk: 'a' }, options));
        equal((plain as ConditionalCheckFailedException).Item, undefined, 'The item came unasked.');
        const absent = await refused('a put where nothing is', conditionFailed, () =>
          put({ pk: 'b' }, { ...options, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        );
        equal((absent as ConditionalCheckFailedException).Item, undefined, 'There is no item to give.');
      },
    },
    {
      name: 'failed-condition-costs',
      title: 'A failed condition uses write units.',
      source: {
        page: 'DynamoDB developer guide, "DynamoDB read and write operations"',
        says: 'a write whose condition fails uses units, of the item’s size, one at least',
      },
      needs: ['cloudwatch'],
      hours: true,
      async run(world) {
        const { put, name } = await table(world);
        await put({ pk: 'a' });
        for (let count = 0; count < 3; count++)
          await refused('a put', conditionFailed, () =>
            put({ pk: 'a' }, { ConditionExpression: 'attribute_not_exists(pk)' }),
          );
        await world.pass(120);

        const sum = async (MetricName: string) =>
          (
            await world.cloudwatch.send(
              new GetMetricStatisticsCommand({
                Namespace: 'AWS/DynamoDB',
                MetricName,
                Dimensions: [{ Name: 'TableName', Value: name }],
                StartTime: new Date(world.now() - 600_000),
                EndTime: new Date(world.now()),
                Period: 600,
                Statistics: ['Sum'],
              }),
            )
          ).Datapoints?.reduce((total, { Sum = 0 }) => total + Sum, 0);
        equal(await sum('ConsumedWriteCapacityUnits'), 4);
        equal(await sum('ConditionalCheckFailedRequests'), 3);
      },
    },
    {
      name: 'condition-that-is-wrong',
      title: 'An expression that cannot be read is refused, whatever the item.',
      source: { page: pages.conditions, says: 'the grammar of expressions' },
      async run(world) {
        const { put } = await table(world);
        for (const [ConditionExpression, bound] of [
          ['', {}],
          ['n = ', {}],
          ['n == :v', v({ v: 1 })],
          ['(n = :v', v({ v: 1 })],
          ['unknown_function(n)', {}],
          ['size(n)', {}],
          ['begins_with(n)', {}],
          ['attribute_exists(n) attribute_exists(n)', {}],
          ['n IN ()', {}],
        ] as const)
          await refused(`the condition "${ConditionExpression}"`, invalid, () =>
            put({ pk: 'a' }, { ConditionExpression, ...bound }),
          );
      },
    },
    {
      name: 'operands-of-a-wrong-type',
      title: 'A function or comparison whose value is of a wrong type is refused.',
      source: {
        page: pages.conditions,
        says: 'begins_with takes a text; BETWEEN takes two values of one type; attribute_type takes the name of a type',
      },
      async run(world) {
        const { put } = await table(world);
        await put(subject);
        for (const [ConditionExpression, bound] of [
          ['begins_with(n, :v)', v({ v: 1 })],
          ['n < :v', v({ v: true })],
          ['n BETWEEN :v AND :w', v({ v: 1, w: 'x' })],
          ['n BETWEEN :v AND :w', v({ v: 2, w: 1 })],
          ['attribute_type(n, :v)', v({ v: 'NUMBER' })],
          ['contains(n, n)', {}],
        ] as const)
          await refused(`the condition "${ConditionExpression}"`, invalid, () =>
            put(subject, { ConditionExpression, ...bound }),
          );
      },
    },
    {
      name: 'length-of-expressions',
      title: 'An expression has at most 4 KB, and IN at most 100 values.',
      source: {
        page: pages.quotas,
        says: 'expression strings have at most 4 KB; IN compares up to 100 values',
      },
      async run(world) {
        const { put } = await table(world);
        const placeholders = (count: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, at]));
        const list = (count: number) =>
          `n IN (${Array.from({ length: count }, (_, at) => `:v${at}`).join(', ')})`;
        await refused('none of 100 values', conditionFailed, () =>
          put({ pk: 'a' }, { ConditionExpression: list(100), values: placeholders(100) }),
        );
        await refused('IN with 101 values', invalid, () =>
          put({ pk: 'a' }, { ConditionExpression: list(101), values: placeholders(101) }),
        );
        await refused('an expression of more than 4 KB', invalid, () =>
          put({ pk: 'a' }, { ConditionExpression: `attribute_not_exists(${'x'.repeat(4_096)})` }),
        );
      },
    },
  ],
);
