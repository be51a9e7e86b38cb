import { deepEqual, equal } from 'node:assert/strict';
import { group } from '../case.ts';
import { exactly, invalid, item, type Plain, pages, table } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

const number = (N: string) => exactly({ N });
const largestItem = 400 * 1024;

/** Lists in lists, `depth` of them, around a number. */
const nested = (depth: number): Plain => (depth === 0 ? 1 : [nested(depth - 1)]);

export const dynamodbValues = group(
  'dynamodb-values',
  'Values',
  ['dynamodb'],
  [
    {
      name: 'all-types-come-back',
      title: 'Values of every type come back as they were put.',
      source: { page: pages.naming, says: 'scalars, documents and sets are the types of attributes' },
      async run(world) {
        const { put, get } = await table(world);
        const everything = {
          pk: 'a',
          text: 'ä€😀',
          number: -1.5,
          bytes: new Uint8Array([0, 127, 255]),
          yes: true,
          no: false,
          nothing: null,
          list: [1, 'two', [3], { four: 4 }],
          map: { inner: { deeper: 'x' } },
        };
        await put(everything);
        deepEqual(await get('a'), item(everything));
      },
    },
    {
      name: 'sets-come-back',
      title: 'Sets come back with their members, in any order.',
      source: { page: pages.naming, says: 'a set has no order; its elements are of one type' },
      async run(world) {
        const { put, get } = await table(world);
        await put({
          pk: 'a',
          texts: new Set(['b', 'a']),
          numbers: new Set([2, 1.5]),
          bytes: exactly({ BS: [new Uint8Array([1]), new Uint8Array([2])] }),
        });
        const found = await get('a');
        deepEqual(found?.texts?.SS?.toSorted(), ['a', 'b']);
        deepEqual(found?.numbers?.NS?.toSorted(), ['1.5', '2']);
        deepEqual(found?.bytes?.BS?.map((one) => one[0]).toSorted(), [1, 2]);
      },
    },
    {
      name: 'empty-values',
      title: 'Empty texts, bytes, lists and maps are values; an empty set is none.',
      source: {
        page: pages.naming,
        says: 'empty strings and binaries are allowed outside of keys; sets must not be empty',
      },
      async run(world) {
        const { put, get } = await table(world);
        const empty = { pk: 'a', text: '', bytes: new Uint8Array(), list: [], map: {} };
        await put(empty);
        deepEqual(await get('a'), item(empty));
        await refused('an empty set', invalid, () => put({ pk: 'a', set: exactly({ SS: [] }) }));
        await put({ pk: 'b', set: new Set(['']) });
        deepEqual((await get('b'))?.set?.SS, [''], 'A set of the empty text is not kept.');
      },
    },
    {
      name: 'set-with-a-member-twice',
      title: 'A set with a member twice is refused, numbers compared as numbers.',
      source: { page: pages.naming, says: 'each value of a set is there once' },
      async run(world) {
        const { put } = await table(world);
        await refused('a text twice', invalid, () => put({ pk: 'a', set: exactly({ SS: ['x', 'x'] }) }));
        await refused('1 and 1.0', invalid, () => put({ pk: 'a', set: exactly({ NS: ['1', '1.0'] }) }));
      },
    },
    {
      name: 'numbers-are-normalised',
      title: 'Numbers lose leading and trailing zeros, signs of zero and exponents.',
      source: { page: pages.naming, says: 'leading and trailing zeros are trimmed' },
      async run(world) {
        const { put, get } = await table(world);
        const written = {
          plain: ['1', '1'],
          zeros: ['007.500', '7.5'],
          exponent: ['1.5e3', '1500'],
          small: ['1E-3', '0.001'],
          'minus zero': ['-0', '0'],
          'zero point zero': ['0.00', '0'],
          negative: ['-01.10', '-1.1'],
        };
        await put({
          pk: 'a',
          ...Object.fromEntries(Object.entries(written).map(([name, [given = '']]) => [name, number(given)])),
        });
        const found = await get('a');
        for (const [name, [given, expected]] of Object.entries(written))
          equal(found?.[name]?.N, expected, `${given} came back as ${found?.[name]?.N}.`);
      },
    },
    {
      name: 'numbers-of-38-digits',
      title: 'Numbers keep 38 digits exactly; more are refused.',
      source: { page: pages.naming, says: 'numbers have up to 38 digits of precision; more is an error' },
      async run(world) {
        const { put, get, update } = await table(world);
        const digits = '12345678901234567890123456789012345678';
        await put({
          pk: 'a',
          whole: number(digits),
          part: number(`0.${digits}`),
          zeros: number(`${digits}00000`),
        });
        const found = await get('a');
        equal(found?.whole?.N, digits);
        equal(found?.part?.N, `0.${digits}`);
        equal(found?.zeros?.N, `${digits}00000`);
        await refused('39 digits', invalid, () => put({ pk: 'a', n: number(`${digits}9`) }));
        await update('a', 'SET whole = whole + :one', { values: { one: 1 } });
        equal((await get('a'))?.whole?.N, '12345678901234567890123456789012345679', 'A sum lost digits.');
      },
    },
    {
      name: 'range-of-numbers',
      title: 'Numbers are between 1E-130 and 9.99…E+125, of either sign.',
      source: {
        page: pages.naming,
        says: 'positive numbers from 1E-130 to 9.9999999999999999999999999999999999999E+125, negative ones alike',
      },
      async run(world) {
        const { put } = await table(world);
        const largest = `9.${'9'.repeat(37)}E+125`;
        for (const good of ['1E-130', largest, '-1E-130', `-${largest}`])
          await put({ pk: 'a', n: number(good) });
        for (const bad of ['1E-131', '1E+126', '-1E+126'])
          await refused(`the number ${bad}`, invalid, () => put({ pk: 'a', n: number(bad) }));
        await refused('a number that is none', invalid, () => put({ pk: 'a', n: number('twelve') }));
      },
    },
    {
      name: 'sum-that-is-too-large',
      title: 'A sum with more than 38 digits is refused, and changes nothing.',
      source: { page: pages.naming, says: 'numbers have up to 38 digits of precision; more is an error' },
      async run(world) {
        const { put, get, update } = await table(world);
        await put({ pk: 'a', n: number('1E+60') });
        await refused('1E+60 + 1', invalid, () => update('a', 'SET n = n + :one', { values: { one: 1 } }));
        equal((await get('a'))?.n?.N, `1${'0'.repeat(60)}`);
      },
    },
    {
      name: 'number-keys-are-one-number',
      title: 'A key that is a number is the same however it is written.',
      source: { page: pages.naming, says: 'leading and trailing zeros are trimmed' },
      async run(world) {
        const { put, get } = await table(world, { range: 'N' });
        await put({ pk: 'a', sk: number('1.50'), n: 1 });
        await put({ pk: 'a', sk: number('15e-1'), n: 2 });
        deepEqual(await get({ pk: 'a', sk: number('1.5') }), item({ pk: 'a', sk: 1.5, n: 2 }));
      },
    },
    {
      name: 'item-of-400-kb',
      title: 'An item has at most 400 KB, names included.',
      source: {
        page: pages.quotas,
        says: 'the maximum item size is 400 KB, which includes the lengths of names and values in UTF-8',
      },
      async run(world) {
        const { put } = await table(world);
        // "pk" and "a" and "text" are seven bytes.
        await put({ pk: 'a', text: 'x'.repeat(largestItem - 7) });
        await refused('an item of 400 KB and one byte', invalid, () =>
          put({ pk: 'a', text: 'x'.repeat(largestItem - 6) }),
        );
        await refused('an item of 400 KB in fewer characters', invalid, () =>
          put({ pk: 'a', text: 'ä'.repeat(largestItem / 2) }),
        );
      },
    },
    {
      name: 'nesting-of-32-levels',
      title: 'Documents are nested at most 32 levels deep.',
      source: { page: pages.quotas, says: 'nested attributes have up to 32 levels' },
      async run(world) {
        const { put, get } = await table(world);
        await put({ pk: 'a', deep: nested(31) });
        deepEqual((await get('a'))?.deep, item({ deep: nested(31) }).deep);
        await refused('33 levels', invalid, () => put({ pk: 'a', deep: nested(33) }));
      },
    },
    {
      name: 'null-is-true',
      title: 'A null is written as true, and nothing else.',
      source: {
        page: 'DynamoDB API reference, "AttributeValue"',
        says: 'NULL is a boolean',
        conflict: 'The page does not forbid false. DynamoDB Local refuses it; so does the model.',
      },
      async run(world) {
        const { put } = await table(world);
        await refused('a null of false', invalid, () =>
          put({ pk: 'a', nothing: exactly({ NULL: false as true }) }),
        );
      },
    },
    {
      name: 'types-are-told-apart',
      title: 'The number 1, the text 1 and the bytes of 1 are three values.',
      source: { page: pages.conditions, says: 'values are equal when type and value are' },
      async run(world) {
        const { put, update } = await table(world);
        await put({ pk: 'a', value: 1 });
        const expect = (wanted: Plain) =>
          update('a', 'SET seen = :seen', {
            ConditionExpression: '#v = :wanted',
            names: { v: 'value' },
            values: { wanted, seen: true },
          });
        await expect(1);
        for (const other of ['1', new Uint8Array([49]), true, [1], new Set([1])])
          await refused(
            `the number 1 compared with ${JSON.stringify(other)}`,
            { name: 'ConditionalCheckFailedException' },
            () => expect(other),
          );
      },
    },
  ],
);
