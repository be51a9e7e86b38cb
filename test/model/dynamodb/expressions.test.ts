import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addNumbers,
  canonicalNumber,
  compareNumbers,
  subtractNumbers,
} from '../../../local/dynamodb/numbers.ts';
import { createFixture, fill, item, value } from './support.ts';

/** What an attribute can hold in these tests, in plain JavaScript. */
type Plain = number | string | boolean | null | Plain[] | { [name: string]: Plain };

/** A condition twice: as text with its values, and as a function that knows nothing of expressions. */
interface Twin {
  readonly text: string;
  readonly values: readonly Plain[];
  readonly holds: (item: Record<string, Plain>) => boolean;
}

const scalar: fc.Arbitrary<Plain> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('', 'a', 'ab', 'b', 'é', '😀'),
  fc.boolean(),
  fc.constant(null),
);
const plain: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('x', 'y'), scalar, { maxKeys: 2 }) },
);
const names = ['p', 'q', 'r'] as const;
const items = fc.dictionary(fc.constantFrom(...names), plain, { maxKeys: 3 });

type Read = { readonly text: string; readonly of: (item: Record<string, Plain>) => Plain | undefined };

const path: fc.Arbitrary<Read> = fc.oneof(
  fc.constantFrom(...names).map((name) => ({ text: name, of: (all: Record<string, Plain>) => all[name] })),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom('x', 'y')).map(([name, key]) => ({
    text: `${name}.${key}`,
    of: (all: Record<string, Plain>) => {
      const found = all[name];
      return isMap(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    },
  })),
  fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 3 })).map(([name, index]) => ({
    text: `${name}[${index}]`,
    of: (all: Record<string, Plain>) => {
      const found = all[name];
      return Array.isArray(found) ? found[index] : undefined;
    },
  })),
);

const isMap = (found: Plain | undefined): found is { [name: string]: Plain } =>
  typeof found === 'object' && found !== null && !Array.isArray(found);
const same = (a: Plain | undefined, b: Plain | undefined): boolean =>
  a !== undefined && b !== undefined && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (one: Plain): unknown =>
  isMap(one)
    ? Object.keys(one)
        .sort()
        .map((key) => [key, sorted(one[key]!)])
        .concat([['map']])
    : Array.isArray(one)
      ? one.map(sorted)
      : one;
const order = (a: Plain | undefined, b: Plain | undefined): number | undefined => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return undefined;
};
const comparisons: Record<string, (a: Plain | undefined, b: Plain | undefined) => boolean> = {
  '=': same,
  '<>': (a, b) => !same(a, b),
  '<': (a, b) => (order(a, b) ?? 1) < 0,
  '<=': (a, b) => (order(a, b) ?? 1) <= 0,
  '>': (a, b) => (order(a, b) ?? -1) > 0,
  '>=': (a, b) => (order(a, b) ?? -1) >= 0,
};

const comparable = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('a', 'ab', 'b', 'é'));
const letters: Record<string, (found: Plain) => boolean> = {
  S: (found) => typeof found === 'string',
  N: (found) => typeof found === 'number',
  BOOL: (found) => typeof found === 'boolean',
  NULL: (found) => found === null,
  L: (found) => Array.isArray(found),
  M: isMap,
};

const leaf: fc.Arbitrary<Twin> = fc.oneof(
  fc.tuple(path, fc.constantFrom('=', '<>'), plain).map(([left, operator, right]) => ({
    text: `${left.text} ${operator} ?`,
    values: [right],
    holds: (all: Record<string, Plain>) => comparisons[operator]!(left.of(all), right),
  })),
  fc.tuple(path, fc.constantFrom('<', '<=', '>', '>='), comparable).map(([left, operator, right]) => ({
    text: `${left.text} ${operator} ?`,
    values: [right],
    holds: (all: Record<string, Plain>) => comparisons[operator]!(left.of(all), right),
  })),
  fc
    .tuple(path, fc.constantFrom(...Object.keys(comparisons)), path)
    .filter(([left, , right]) => left.text !== right.text)
    .map(([left, operator, right]) => ({
      text: `${left.text} ${operator} ${right.text}`,
      values: [],
      holds: (all: Record<string, Plain>) => comparisons[operator]!(left.of(all), right.of(all)),
    })),
  fc
    .tuple(path, fc.integer({ min: -3, max: 0 }), fc.integer({ min: 0, max: 3 }))
    .map(([left, low, high]) => ({
      text: `${left.text} BETWEEN ? AND ?`,
      values: [low, high],
      holds: (all: Record<string, Plain>) => {
        const found = left.of(all);
        return typeof found === 'number' && found >= low && found <= high;
      },
    })),
  fc.tuple(path, fc.array(plain, { minLength: 1, maxLength: 3 })).map(([left, choices]) => ({
    text: `${left.text} IN (${choices.map(() => '?').join(', ')})`,
    values: choices,
    holds: (all: Record<string, Plain>) => choices.some((choice) => same(left.of(all), choice)),
  })),
  path.map((one) => ({
    text: `attribute_exists(${one.text})`,
    values: [],
    holds: (all: Record<string, Plain>) => one.of(all) !== undefined,
  })),
  path.map((one) => ({
    text: `attribute_not_exists(${one.text})`,
    values: [],
    holds: (all: Record<string, Plain>) => one.of(all) === undefined,
  })),
  fc.tuple(path, fc.constantFrom(...Object.keys(letters))).map(([one, letter]) => ({
    text: `attribute_type(${one.text}, ?)`,
    values: [letter],
    holds: (all: Record<string, Plain>) => {
      const found = one.of(all);
      return found !== undefined && letters[letter]!(found);
    },
  })),
  fc.tuple(path, fc.constantFrom('a', 'ab', 'é')).map(([one, prefix]) => ({
    text: `begins_with(${one.text}, ?)`,
    values: [prefix],
    holds: (all: Record<string, Plain>) => {
      const found = one.of(all);
      return typeof found === 'string' && found.indexOf(prefix) === 0;
    },
  })),
  fc.tuple(path, scalar).map(([one, element]) => ({
    text: `contains(${one.text}, ?)`,
    values: [element],
    holds: (all: Record<string, Plain>) => {
      const found = one.of(all);
      if (Array.isArray(found)) return found.some((member) => member === element);
      return typeof found === 'string' && typeof element === 'string' && found.includes(element);
    },
  })),
  fc
    .tuple(path, fc.constantFrom(...Object.keys(comparisons)), fc.integer({ min: 0, max: 3 }))
    .map(([one, operator, size]) => ({
      text: `size(${one.text}) ${operator} ?`,
      values: [size],
      holds: (all: Record<string, Plain>) => {
        const found = one.of(all);
        const measured =
          typeof found === 'string' || Array.isArray(found)
            ? found.length
            : isMap(found)
              ? Object.keys(found).length
              : undefined;
        return comparisons[operator]!(measured, size);
      },
    })),
);

const { condition } = fc.letrec<{ condition: Twin; joined: Twin; negated: Twin }>((tie) => ({
  condition: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie('joined'), tie('negated')),
  joined: fc
    .tuple(fc.constantFrom('AND', 'or'), tie('condition'), tie('condition'))
    .map(([word, left, right]) => ({
      text: `(${left.text} ${word} ${right.text})`,
      values: [...left.values, ...right.values],
      holds: (all: Record<string, Plain>) =>
        word === 'AND' ? left.holds(all) && right.holds(all) : left.holds(all) || right.holds(all),
    })),
  negated: tie('condition').map((one) => ({
    text: `NOT ${one.text}`,
    values: one.values,
    holds: (all: Record<string, Plain>) => !one.holds(all),
  })),
}));

// Inside `(x AND NOT y OR z)` of the texts above, precedence is at work: joined conditions bring their parentheses,
// negations do not.
describe('expressions mean the same to the model and to an interpreter that shares nothing with it', () => {
  test('as a filter over items', () => {
    fc.assert(
      fc.property(fc.array(items, { minLength: 1, maxLength: 8 }), condition, (stored, twin) => {
        const fixture = createFixture();
        const named = stored.map((one, index) => ({ pk: `k${index}`, ...one }));
        fill(fixture, ...named);
        let slot = 0;
        const text = twin.text.replaceAll('?', () => `:v${slot++}`);
        const given = Object.fromEntries(twin.values.map((one, index) => [`:v${index}`, value(one)]));

        const { Items } = fixture.call('Scan', {
          TableName: 'records',
          FilterExpression: text,
          ...(twin.values.length === 0 ? {} : { ExpressionAttributeValues: given }),
        });

        const found = Items.map((one: { pk: { S: string } }) => one.pk.S).sort();
        expect(found).toEqual(named.filter((one) => twin.holds(one)).map((one) => one.pk));
      }),
      { numRuns: 600 },
    );
  });

  test('as the WHERE of a statement', () => {
    fc.assert(
      fc.property(items, condition, (stored, twin) => {
        const fixture = createFixture();
        fill(fixture, { pk: 'a', ...stored });

        const { Responses } = fixture.call('BatchExecuteStatement', {
          Statements: [
            {
              Statement: `UPDATE "records" SET seen=true WHERE pk='a' AND ${twin.text}`,
              ...(twin.values.length === 0 ? {} : { Parameters: twin.values.map(value) }),
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          ],
        });

        const error = Responses[0].Error;
        if (twin.holds(stored)) expect(error).toBeUndefined();
        else
          expect(error).toMatchObject({ Code: 'ConditionalCheckFailed', Item: item({ pk: 'a', ...stored }) });
      }),
      { numRuns: 250 },
    );
  });
});

describe('numbers are exact to 38 digits', () => {
  const digits = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  const scale = fc.integer({ min: 0, max: 18 });
  const exact = (number: bigint, places: number) => canonicalNumber(`${number}e-${places}`);
  const common = (number: bigint, places: number) => number * 10n ** BigInt(18 - places);

  test('order, sums and differences agree with integers over a common scale', () => {
    fc.assert(
      fc.property(digits, scale, digits, scale, (a, aScale, b, bScale) => {
        const [left, right] = [exact(a, aScale), exact(b, bScale)];
        const [first, second] = [common(a, aScale), common(b, bScale)];
        expect(Math.sign(compareNumbers(left, right))).toBe(first < second ? -1 : first > second ? 1 : 0);
        expect(addNumbers(left, right)).toBe(exact(first + second, 18));
        expect(subtractNumbers(left, right)).toBe(exact(first - second, 18));
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ['001.500', '1.5'],
    ['-0', '0'],
    ['1E+3', '1000'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['+5', '5'],
    ['12e-4', '0.0012'],
    ['1e125', `1${'0'.repeat(125)}`],
    ['1e-130', `0.${'0'.repeat(129)}1`],
    [`${'9'.repeat(38)}000`, `${'9'.repeat(38)}000`],
  ])('%s is kept as %s', (given, kept) => {
    expect(canonicalNumber(given)).toBe(kept);
  });

  test.each(['', 'abc', ' 5', '1e126', '1e-131', '1'.repeat(39), '0x10', '.', 'NaN'])(
    '%j is refused',
    (given) => {
      expect(() => canonicalNumber(given)).toThrow();
    },
  );
});
