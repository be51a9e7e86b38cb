import type { MessageAttributeValue } from '@aws-sdk/client-sns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter, filterInput } from '../../../local/sns/filter/index.ts';

const text = (StringValue: string): MessageAttributeValue => ({ DataType: 'String', StringValue });
const number = (value: number): MessageAttributeValue => ({ DataType: 'Number', StringValue: String(value) });
const list = (...values: unknown[]): MessageAttributeValue => ({
  DataType: 'String.Array',
  StringValue: JSON.stringify(values),
});
const binary: MessageAttributeValue = { DataType: 'Binary', BinaryValue: new Uint8Array([1]) };

const byAttributes = (policy: object, attributes?: Record<string, MessageAttributeValue>) =>
  compileFilter(JSON.stringify(policy), 'MessageAttributes')!(filterInput(attributes, ''));
const byBody = (policy: object, body: unknown) =>
  compileFilter(JSON.stringify(policy), 'MessageBody')!(
    filterInput(undefined, body === undefined ? 'no json' : JSON.stringify(body)),
  );

describe('filter policies on message attributes', () => {
  it.each<[string, object, Record<string, MessageAttributeValue>, boolean]>([
    ['exact text', { a: ['x', 'y'] }, { a: text('y') }, true],
    ['another text', { a: ['x', 'y'] }, { a: text('z') }, false],
    ['text is not its prefix', { a: ['x'] }, { a: text('xx') }, false],
    ['all keys must match', { a: ['x'], b: ['y'] }, { a: text('x') }, false],
    ['all keys match', { a: ['x'], b: ['y'] }, { a: text('x'), b: text('y'), c: text('z') }, true],
    ['exact number', { a: [100] }, { a: number(100) }, true],
    ['a number in another notation', { a: [100] }, { a: { DataType: 'Number', StringValue: '1e2' } }, true],
    ['a number is no text', { a: ['100'] }, { a: number(100) }, false],
    ['a text is no number', { a: [100] }, { a: text('100') }, false],
    ['prefix', { a: [{ prefix: 'order.' }] }, { a: text('order.placed') }, true],
    ['prefix, not there', { a: [{ prefix: 'order.' }] }, { a: text('reorder.') }, false],
    ['suffix', { a: [{ suffix: '.placed' }] }, { a: text('order.placed') }, true],
    ['suffix, not there', { a: [{ suffix: '.placed' }] }, { a: text('order.placed2') }, false],
    ['equals-ignore-case', { a: [{ 'equals-ignore-case': 'Order' }] }, { a: text('ORDER') }, true],
    ['wildcard', { a: [{ wildcard: 'o*.pl*d' }] }, { a: text('order.placed') }, true],
    ['wildcard, parts overlap', { a: [{ wildcard: 'ab*ba' }] }, { a: text('aba') }, false],
    ['wildcard, escaped', { a: [{ wildcard: 'a\\*b*' }] }, { a: text('a*bc') }, true],
    ['wildcard, escaped and not there', { a: [{ wildcard: 'a\\*b*' }] }, { a: text('axbc') }, false],
    ['anything-but, listed', { a: [{ 'anything-but': ['x'] }] }, { a: text('x') }, false],
    ['anything-but, not listed', { a: [{ 'anything-but': ['x'] }] }, { a: text('y') }, true],
    ['anything-but, not there', { a: [{ 'anything-but': ['x'] }] }, {}, false],
    ['anything-but, a number', { a: [{ 'anything-but': 5 }] }, { a: number(5) }, false],
    ['anything-but prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: text('xy') }, false],
    [
      'anything-but prefix list',
      { a: [{ 'anything-but': { prefix: ['x', 'y'] } }] },
      { a: text('ya') },
      false,
    ],
    ['anything-but suffix', { a: [{ 'anything-but': { suffix: 'y' } }] }, { a: text('xz') }, true],
    ['anything-but wildcard', { a: [{ 'anything-but': { wildcard: 'x*z' } }] }, { a: text('xyz') }, false],
    ['numeric =', { a: [{ numeric: ['=', 0.5] }] }, { a: number(0.5) }, true],
    ['numeric range, lower end out', { a: [{ numeric: ['>', 0, '<=', 5] }] }, { a: number(0) }, false],
    ['numeric range, upper end in', { a: [{ numeric: ['>', 0, '<=', 5] }] }, { a: number(5) }, true],
    ['numeric on text', { a: [{ numeric: ['>', 0] }] }, { a: text('1') }, false],
    ['exists', { a: [{ exists: true }] }, { a: text('x') }, true],
    ['exists, not there', { a: [{ exists: true }] }, {}, false],
    ['exists not', { a: [{ exists: false }] }, { b: text('x') }, true],
    ['exists not, there', { a: [{ exists: false }] }, { a: text('x') }, false],
    ['binary attributes are not looked at', { a: [{ exists: true }] }, { a: binary }, false],
    ['cidr', { a: [{ cidr: '10.0.0.0/24' }] }, { a: text('10.0.0.255') }, true],
    ['cidr, outside', { a: [{ cidr: '10.0.0.0/24' }] }, { a: text('10.0.1.0') }, false],
    ['cidr of version 6', { a: [{ cidr: '2001:db8::/32' }] }, { a: text('2001:db8::1') }, true],
    ['cidr on another text', { a: [{ cidr: '10.0.0.0/24' }] }, { a: text('ten') }, false],
    ['$or, second', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { b: text('y') }, true],
    ['$or, none', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { a: text('y') }, false],
    ['$or and a key', { c: ['z'], $or: [{ a: ['x'] }, { b: ['y'] }] }, { a: text('x') }, false],
    ['a list: one element is enough', { a: ['x'] }, { a: list('w', 'x') }, true],
    ['a list of numbers', { a: [{ numeric: ['>', 5] }] }, { a: list(1, 7) }, true],
    ['a list with true and null', { a: [true, null] }, { a: list(null) }, true],
    [
      'a list: anything-but only if no element is listed',
      { a: [{ 'anything-but': ['x'] }] },
      { a: list('x', 'y') },
      false,
    ],
    ['a list: anything-but', { a: [{ 'anything-but': ['x'] }] }, { a: list('y', 'z') }, true],
    ['a list: exists asks about the attribute', { a: [{ exists: true }] }, { a: list() }, true],
    [
      'a list that is none is one text',
      { a: ['no list'] },
      { a: { DataType: 'String.Array', StringValue: 'no list' } },
      true,
    ],
    ['a property of Object is no attribute', { constructor: [{ exists: true }] }, {}, false],
  ])('%s', (_, policy, attributes, accepted) => {
    expect(byAttributes(policy, attributes) === 'accepted').toBe(accepted);
  });

  it('tells why a message was kept back', () => {
    expect(byAttributes({ a: ['x'] }, { a: text('y') })).toBe('rejected');
    expect(byAttributes({ a: ['x'] })).toBe('no-attributes');
    expect(byAttributes({ a: ['x'] }, { a: { DataType: 'String.Array', StringValue: '[x' } })).toBe(
      'invalid-attributes',
    );
  });
});

describe('filter policies on message bodies', () => {
  it.each<[string, object, unknown, boolean]>([
    ['nested', { store: { city: ['berlin'] } }, { store: { city: 'berlin' } }, true],
    ['nested, not there', { store: { city: ['berlin'] } }, { city: 'berlin' }, false],
    ['numbers, truth and null', { a: [1], b: [true], c: [null] }, { a: 1, b: true, c: null }, true],
    ['one element of an array', { a: ['x'] }, { a: ['w', 'x'] }, true],
    ['no element of an array', { a: ['x'] }, { a: ['w'] }, false],
    [
      'an array of objects',
      { Records: { s3: { key: ['k'] } } },
      { Records: [{ s3: { key: 'j' } }, { s3: { key: 'k' } }] },
      true,
    ],
    [
      'one object of an array must match as a whole',
      { r: { a: [1], b: [2] } },
      {
        r: [
          { a: 1, b: 1 },
          { a: 2, b: 2 },
        ],
      },
      false,
    ],
    ['an array of arrays', { a: ['x'] }, { a: [['w'], ['x']] }, true],
    ['exists at a leaf', { a: { b: [{ exists: true }] } }, { a: { b: 0 } }, true],
    ['exists: an object is no leaf', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
    ['exists: null is none', { a: [{ exists: true }] }, { a: null }, false],
    ['exists not, parent not there', { a: { b: [{ exists: false }] } }, {}, true],
    [
      'anything-but: one element that is not listed',
      { a: [{ 'anything-but': ['x'] }] },
      { a: ['x', 'y'] },
      true,
    ],
    ['$or inside', { a: { $or: [{ b: [1] }, { c: [2] }] } }, { a: { c: 2 } }, true],
    ['$or with one alternative is a name', { $or: ['x'] }, { $or: 'x' }, true],
    ['a body that is an array', { a: [1] }, [{ a: 1 }], true],
    ['a body that is a number', { a: [1] }, 5, false],
  ])('%s', (_, policy, body, accepted) => {
    expect(byBody(policy, body)).toBe(accepted ? 'accepted' : 'rejected');
  });

  it('a body that is no JSON is kept back and says so', () => {
    expect(byBody({ a: ['x'] }, undefined)).toBe('invalid-body');
  });
});

describe('a wrong filter policy is refused as SNS refuses it', () => {
  const six = Object.fromEntries([...'abcdef'].map((key) => [key, ['x']]));
  const many = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  it.each<[string, string, string]>([
    ['{"a"', 'MessageAttributes', 'failed to parse JSON'],
    ['["a"]', 'MessageAttributes', 'must be an object'],
    [JSON.stringify(six), 'MessageAttributes', 'can not have more than 5 keys; found 6'],
    [JSON.stringify({ a: many(76), b: ['x', 'y'] }), 'MessageAttributes', '152 combinations, at most 150'],
    [JSON.stringify({ a: { b: many(76) } }), 'MessageBody', '152 combinations'],
    ['{"a":{"b":["x"]}}', 'MessageAttributes', 'does not support nested filter policy'],
    ['{"a":"x"}', 'MessageAttributes', '"a" must be an object or an array'],
    ['{"a":[]}', 'MessageAttributes', 'Empty arrays are not allowed'],
    ['{"a":[["x"]]}', 'MessageAttributes', 'Match value must be String, number, true, false, or null'],
    ['{"a":[{"prefix":"x","suffix":"y"}]}', 'MessageAttributes', 'Only one key allowed in match expression'],
    ['{"a":[{"regex":"x"}]}', 'MessageAttributes', 'Unrecognized match type regex'],
    ['{"a":[{"prefix":1}]}', 'MessageAttributes', 'prefix match pattern must be a string'],
    ['{"a":[{"exists":"yes"}]}', 'MessageAttributes', 'exists match pattern must be either true or false'],
    ['{"a":[{"numeric":["<","5"]}]}', 'MessageAttributes', 'Value of < must be numeric'],
    ['{"a":[{"numeric":["!",5]}]}', 'MessageAttributes', 'Invalid member in numeric match'],
    ['{"a":[{"numeric":[">",5,"<",5]}]}', 'MessageAttributes', 'Bottom must be less than top'],
    ['{"a":[{"numeric":["<",5,">",1]}]}', 'MessageAttributes', 'Bad numeric range operator'],
    ['{"a":[2000000000]}', 'MessageAttributes', 'must be between -1.0E9 and 1.0E9'],
    ['{"a":[{"cidr":"10.0.0.0"}]}', 'MessageAttributes', 'Malformed CIDR'],
    ['{"a":[{"cidr":"10.0.0.0/33"}]}', 'MessageAttributes', 'Malformed CIDR'],
    ['{"a":[{"wildcard":"a**b"}]}', 'MessageAttributes', 'Consecutive wildcard characters at pos 1'],
    ['{"a":[{"anything-but":[true]}]}', 'MessageAttributes', 'Inside anything-but list'],
    ['{"a":[{"anything-but":{"cidr":"x"}}]}', 'MessageAttributes', 'Unsupported anything-but pattern: cidr'],
  ])('%s in %s', (policy, scope, message) => {
    expect(() => compileFilter(policy, scope as 'MessageBody')).toThrow(message);
  });

  it('150 combinations are allowed, and alternatives of $or add up', () => {
    expect(compileFilter(JSON.stringify({ a: many(75), b: ['x', 'y'] }), 'MessageAttributes')).toBeDefined();
    expect(
      compileFilter(JSON.stringify({ $or: [{ a: many(75) }, { b: many(75) }] }), 'MessageAttributes'),
    ).toBeDefined();
  });

  it('an empty policy filters nothing', () => {
    expect(compileFilter('{}', 'MessageAttributes')).toBeUndefined();
  });
});

describe('filter policies in general', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 5 });

  it('a wildcard matches what the regular expression of its pattern matches', () => {
    const pattern = fc
      .array(fc.oneof(word, fc.constant('*')), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join('').replace(/\*+/g, '*'));
    fc.assert(
      fc.property(pattern, word, (wildcard, value) => {
        const accepted = byAttributes({ a: [{ wildcard }] }, { a: text(value) }) === 'accepted';
        expect(accepted).toBe(new RegExp(`^${wildcard.replaceAll('*', '.*')}$`).test(value));
      }),
      { numRuns: 500 },
    );
  });

  it('a condition and its anything-but part every attribute that is there between them', () => {
    const condition = fc.oneof(
      word.map((one) => ['prefix', one] as const),
      word.map((one) => ['suffix', one] as const),
      word.map((one) => ['equals-ignore-case', one] as const),
    );
    fc.assert(
      fc.property(condition, word, ([operator, pattern], value) => {
        const attributes = { a: text(value) };
        const plain = byAttributes({ a: [{ [operator]: pattern }] }, attributes);
        const opposite = byAttributes({ a: [{ 'anything-but': { [operator]: pattern } }] }, attributes);
        expect([plain, opposite].filter((one) => one === 'accepted')).toHaveLength(1);
      }),
      { numRuns: 200 },
    );
  });

  it('both scopes agree on texts and numbers', () => {
    const value = fc.oneof(word, fc.integer({ min: -100, max: 100 }));
    fc.assert(
      fc.property(fc.uniqueArray(value, { minLength: 1, maxLength: 5 }), value, (policy, one) => {
        const attribute = typeof one === 'string' ? text(one) : number(one);
        expect(byAttributes({ a: policy }, { a: attribute })).toBe(byBody({ a: policy }, { a: one }));
        expect(byBody({ a: policy }, { a: one }) === 'accepted').toBe(policy.includes(one));
      }),
      { numRuns: 300 },
    );
  });
});
