import { group } from '../case.ts';
import { filterCase, pages, refusedPolicies, type Shown } from './kit/sns.ts';

const text = 'SNS developer guide, "String value matching"';
const numbers = 'SNS developer guide, "Numeric value matching"';
const keys = 'SNS developer guide, "Key matching"';
const logic = 'SNS developer guide, "AND/OR logic"';

type Given = NonNullable<Shown['attributes']>;
const yes = (attributes: Given = {}): Shown => ({ attributes, accepted: true });
const no = (attributes: Given = {}): Shown => ({ attributes, accepted: false });

export const snsFilter = group(
  'sns-filter',
  'Filters over attributes',
  ['sns', 'sqs'],
  [
    filterCase(
      {
        name: 'exact',
        title: 'A listed text matches as it is written, case and all.',
        source: {
          page: text,
          says: 'exact matching compares with each listed value; comparison minds the case',
        },
      },
      { kind: ['red', 'green'] },
      {
        red: yes({ kind: 'red' }),
        green: yes({ kind: 'green' }),
        Red: no({ kind: 'Red' }),
        redder: no({ kind: 'redder' }),
        none: no(),
        other: no({ other: 'red' }),
      },
    ),
    filterCase(
      {
        name: 'and-of-keys-or-of-values',
        title: 'All keys of a policy have to match, each with one of its values.',
        source: { page: logic, says: 'keys are joined by AND, the values of one key by OR' },
      },
      { kind: ['a', 'b'], place: ['x'] },
      {
        both: yes({ kind: 'b', place: 'x' }),
        'one wrong': no({ kind: 'b', place: 'y' }),
        'one missing': no({ kind: 'a' }),
        'one more': yes({ kind: 'a', place: 'x', extra: '1' }),
      },
    ),
    filterCase(
      {
        name: 'prefix',
        title: 'prefix matches texts that begin so.',
        source: { page: text, says: 'prefix matches values that begin with the given characters' },
      },
      { kind: [{ prefix: 'order.' }] },
      {
        begins: yes({ kind: 'order.placed' }),
        equal: yes({ kind: 'order.' }),
        inside: no({ kind: 'reorder.placed' }),
        case: no({ kind: 'Order.placed' }),
      },
    ),
    filterCase(
      {
        name: 'suffix',
        title: 'suffix matches texts that end so.',
        source: { page: text, says: 'suffix matches values that end with the given characters' },
      },
      { file: [{ suffix: '.png' }] },
      { ends: yes({ file: 'a.png' }), inside: no({ file: 'a.png.txt' }), case: no({ file: 'a.PNG' }) },
    ),
    filterCase(
      {
        name: 'equals-ignore-case',
        title: 'equals-ignore-case matches whatever the case.',
        source: { page: text, says: 'equals-ignore-case compares without regard to case' },
      },
      { kind: [{ 'equals-ignore-case': 'Tennis' }] },
      { upper: yes({ kind: 'TENNIS' }), lower: yes({ kind: 'tennis' }), longer: no({ kind: 'tennis ' }) },
    ),
    filterCase(
      {
        name: 'wildcard',
        title: 'wildcard matches any characters, or none, in the place of an asterisk.',
        source: { page: text, says: 'a wildcard stands for any number of characters' },
      },
      { file: [{ wildcard: 'a*/b*.png' }] },
      {
        some: yes({ file: 'a1/b2.png' }),
        none: yes({ file: 'a/b.png' }),
        deeper: yes({ file: 'a/x/b/y.png' }),
        'other beginning': no({ file: 'xa/b.png' }),
        'other end': no({ file: 'a/b.pngx' }),
      },
    ),
    filterCase(
      {
        name: 'anything-but',
        title: 'anything-but matches what is not listed, and needs the attribute.',
        source: {
          page: text,
          says: 'anything-but matches values that are none of the listed ones',
          conflict:
            'The page does not say what holds without the attribute. Recorded on AWS: no match; the model does that.',
        },
      },
      { kind: [{ 'anything-but': ['rugby', 'tennis'] }] },
      {
        other: yes({ kind: 'golf' }),
        listed: no({ kind: 'tennis' }),
        absent: no({ other: 'golf' }),
        nothing: no(),
      },
    ),
    filterCase(
      {
        name: 'anything-but-one-value',
        title: 'anything-but takes one text without a list.',
        source: { page: text, says: 'the operand is a value or a list of values' },
      },
      { kind: [{ 'anything-but': 'rugby' }] },
      { other: yes({ kind: 'golf' }), listed: no({ kind: 'rugby' }) },
    ),
    filterCase(
      {
        name: 'anything-but-prefix',
        title: 'anything-but with a prefix matches texts that do not begin so.',
        source: { page: text, says: 'anything-but may hold a prefix' },
      },
      { event: [{ 'anything-but': { prefix: 'order-' } }] },
      { other: yes({ event: 'data-entry' }), begins: no({ event: 'order-cancelled' }), absent: no() },
    ),
    filterCase(
      {
        name: 'anything-but-suffix',
        title: 'anything-but with a suffix matches texts that do not end so.',
        source: { page: text, says: 'anything-but may hold a suffix' },
      },
      { file: [{ 'anything-but': { suffix: '.tmp' } }] },
      { other: yes({ file: 'a.txt' }), ends: no({ file: 'a.tmp' }) },
    ),
    filterCase(
      {
        name: 'anything-but-wildcard',
        title: 'anything-but with a wildcard matches texts that do not look so.',
        source: { page: text, says: 'anything-but may hold a wildcard' },
      },
      { file: [{ 'anything-but': { wildcard: '*/tmp/*' } }] },
      { other: yes({ file: '/var/lib/a' }), looks: no({ file: '/var/tmp/a' }) },
    ),
    filterCase(
      {
        name: 'numeric-equal',
        title: 'numeric = compares as numbers, however they are written.',
        source: { page: numbers, says: 'matches where name and number are equal; 301.5 is 3.015e2' },
      },
      { price: [{ numeric: ['=', 301.5] }] },
      {
        equal: yes({ price: 301.5 }),
        other: no({ price: 301.51 }),
        text: no({ price: '301.5' }),
      },
    ),
    filterCase(
      {
        name: 'numeric-is-of-numbers',
        title: 'A numeric filter does not match a text that looks like a number.',
        source: {
          page: pages.constraints,
          says: 'policies are compared with String, String.Array and Number attributes, each by its own type',
        },
      },
      { count: [{ numeric: ['>=', 10] }] },
      { number: yes({ count: 12 }), text: no({ count: '12' }) },
    ),
    filterCase(
      {
        name: 'numeric-comparisons',
        title: 'numeric knows below, at most, above and at least.',
        source: { page: numbers, says: 'the operators are =, <, <=, >, >=' },
      },
      {
        below: [{ numeric: ['<', 10] }],
        most: [{ numeric: ['<=', 10] }],
        above: [{ numeric: ['>', 10] }],
        least: [{ numeric: ['>=', 10] }],
      },
      {
        inside: yes({ below: 9.99, most: 10, above: 10.01, least: 10 }),
        'below is not at most': no({ below: 10, most: 10, above: 11, least: 10 }),
        'above is not at least': no({ below: 9, most: 10, above: 10, least: 10 }),
        'negative is below': yes({ below: -1, most: -2, above: 1e9, least: 1e9 }),
      },
    ),
    filterCase(
      {
        name: 'numeric-range',
        title: 'A numeric range has two ends, of which each is in or out.',
        source: { page: numbers, says: 'two operators make a range, above 0 and at most 150' },
      },
      { price: [{ numeric: ['>', 0, '<=', 150] }] },
      {
        inside: yes({ price: 1 }),
        end: yes({ price: 150 }),
        start: no({ price: 0 }),
        beyond: no({ price: 150.1 }),
      },
    ),
    filterCase(
      {
        name: 'numeric-anything-but',
        title: 'anything-but takes numbers.',
        source: { page: numbers, says: 'anything-but matches numbers that are none of the listed ones' },
      },
      { price: [{ 'anything-but': [100, 500] }] },
      { other: yes({ price: 101 }), listed: no({ price: 500 }) },
    ),
    filterCase(
      {
        name: 'exists',
        title: 'exists: true matches where the attribute is there, whatever it holds.',
        source: { page: keys, says: 'exists true matches if the property is there' },
      },
      { store: [{ exists: true }] },
      { text: yes({ store: 'fans' }), number: yes({ store: 1 }), absent: no({ other: 'x' }), nothing: no() },
    ),
    filterCase(
      {
        name: 'exists-false',
        title: 'exists: false matches where the attribute is not there.',
        source: { page: keys, says: 'exists false matches if the property is missing' },
      },
      { store: [{ exists: false }] },
      { other: yes({ other: 'x' }), present: no({ store: 'fans' }) },
    ),
    filterCase(
      {
        name: 'exists-false-without-attributes',
        title: 'exists: false matches a message without any attribute.',
        source: {
          page: keys,
          says: 'exists false matches if the property is missing',
          conflict:
            'Older pages asked for a non-empty set of attributes. The present one does not; the model follows it.',
        },
      },
      { store: [{ exists: false }] },
      { nothing: yes() },
    ),
    filterCase(
      {
        name: 'cidr',
        title: 'cidr matches addresses of a block.',
        source: { page: text, says: 'IP address matching takes a CIDR block' },
      },
      { ip: [{ cidr: '10.0.0.0/24' }] },
      {
        first: yes({ ip: '10.0.0.0' }),
        last: yes({ ip: '10.0.0.255' }),
        outside: no({ ip: '10.1.1.0' }),
        'no address': no({ ip: 'localhost' }),
      },
    ),
    filterCase(
      {
        name: 'array-attribute',
        title: 'Of a String.Array attribute one matching element is enough.',
        source: { page: text, says: 'each element of a String.Array is a value of its own for matching' },
      },
      { interests: ['rugby', { prefix: 'ten' }] },
      {
        'one of two': yes({ interests: ['golf', 'rugby'] }),
        prefix: yes({ interests: ['tennis'] }),
        none: no({ interests: ['golf'] }),
        empty: no({ interests: [] }),
      },
    ),
    filterCase(
      {
        name: 'array-attribute-anything-but',
        title: 'anything-but matches a String.Array only if none of its elements is listed.',
        source: {
          page: text,
          says: 'anything-but matches values that do not include any of the listed ones',
        },
      },
      { interests: [{ 'anything-but': ['rugby'] }] },
      {
        'none listed': yes({ interests: ['golf', 'tennis'] }),
        'one listed': no({ interests: ['golf', 'rugby'] }),
      },
    ),
    filterCase(
      {
        name: 'array-attribute-of-numbers',
        title: 'Numbers in a String.Array are matched as numbers.',
        source: {
          page: 'SNS developer guide, "Amazon SNS message attributes"',
          says: 'a String.Array holds texts, numbers, true, false and null',
        },
      },
      { sizes: [{ numeric: ['>', 40] }] },
      { above: yes({ sizes: [38, 42] }), below: no({ sizes: [38, 40] }), texts: no({ sizes: ['42'] }) },
    ),
    filterCase(
      {
        name: 'binary-attribute-is-not-looked-at',
        title: 'A binary attribute matches nothing.',
        source: { page: pages.constraints, says: 'binary attributes are ignored' },
      },
      { kind: ['a'] },
      { bytes: no({ kind: new TextEncoder().encode('a') }), text: yes({ kind: 'a' }) },
    ),
    filterCase(
      {
        name: 'or',
        title: '$or matches when one of its alternatives does, beside the other keys.',
        source: { page: logic, says: '$or joins policies by OR; the other keys are joined to it by AND' },
      },
      { source: ['shop'], $or: [{ metric: ['cpu'] }, { space: ['a', 'b'] }] },
      {
        first: yes({ source: 'shop', metric: 'cpu' }),
        second: yes({ source: 'shop', space: 'b' }),
        neither: no({ source: 'shop', metric: 'disk' }),
        'without the key beside it': no({ metric: 'cpu' }),
      },
    ),
    filterCase(
      {
        name: 'mixed-list',
        title: 'Values and operators of one list are alternatives.',
        source: { page: logic, says: 'the values of one key are joined by OR' },
      },
      { kind: ['exact', { prefix: 'pre' }, { 'anything-but': ['x', 'prefix', 'exact', 'y'] }] },
      {
        exact: yes({ kind: 'exact' }),
        prefix: yes({ kind: 'prefix' }),
        other: yes({ kind: 'z' }),
        none: no({ kind: 'y' }),
      },
    ),
    refusedPolicies(
      {
        name: 'no-policy',
        title: 'A filter policy is a JSON object whose values are lists.',
        source: { page: pages.constraints, says: 'a policy is JSON; each key has an array of values' },
      },
      {
        'no JSON': 'kind=a',
        'a list': '[]',
        'a text instead of a list': { kind: 'a' },
        'an empty list': { kind: [] },
      },
    ),
    refusedPolicies(
      {
        name: 'unknown-operator',
        title: 'Operators that SNS does not know, or with a wrong operand, are refused.',
        source: { page: text, says: 'lists the operators and what each takes' },
      },
      {
        'an unknown operator': { kind: [{ sounds: 'a' }] },
        'a prefix that is no text': { kind: [{ prefix: 1 }] },
        'exists with a text': { kind: [{ exists: 'yes' }] },
        'two operators in one': { kind: [{ prefix: 'a', suffix: 'b' }] },
        'cidr that is no block': { kind: [{ cidr: '10.0.0.0' }] },
        'an operator in a list in a list': { kind: [['a']] },
      },
    ),
    refusedPolicies(
      {
        name: 'wrong-numeric',
        title: 'A numeric operator with a wrong operand is refused.',
        source: { page: numbers, says: 'one or two pairs of an operator and a number' },
      },
      {
        'no operator': { price: [{ numeric: [1] }] },
        'an unknown operator': { price: [{ numeric: ['~', 1] }] },
        'a text for a number': { price: [{ numeric: ['=', '1'] }] },
        'an empty range': { price: [{ numeric: ['>', 5, '<', 5] }] },
        'no list': { price: [{ numeric: 5 }] },
      },
    ),
    refusedPolicies(
      {
        name: 'nested-needs-the-body',
        title: 'A nested policy is refused over attributes.',
        source: { page: pages.constraints, says: 'attribute-based filtering takes no nested policy' },
      },
      { 'a key in a key': { order: { kind: ['a'] } } },
    ),
    refusedPolicies(
      {
        name: 'six-keys',
        title: 'A filter policy has at most five keys.',
        source: { page: pages.constraints, says: 'a policy has at most five keys' },
      },
      { 'six keys': Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, ['x']])) },
    ),
    refusedPolicies(
      {
        name: 'combinations',
        title: 'A filter policy has at most 150 combinations of values.',
        source: {
          page: pages.constraints,
          says: 'the numbers of values of all keys, multiplied, are at most 150',
        },
      },
      {
        '151 combinations': { a: Array.from({ length: 151 }, (_, index) => `v${index}`) },
        '2 times 76': { a: ['x', 'y'], b: Array.from({ length: 76 }, (_, index) => `v${index}`) },
      },
    ),
    filterCase(
      {
        name: 'limits-are-allowed',
        title: 'Five keys and 150 combinations are taken.',
        source: { page: pages.constraints, says: 'five keys and 150 combinations are the limit' },
      },
      {
        a: Array.from({ length: 75 }, (_, index) => `v${index}`),
        b: ['x', 'y'],
        c: ['x'],
        d: ['x'],
        e: ['x'],
      },
      {
        all: yes({ a: 'v74', b: 'y', c: 'x', d: 'x', e: 'x' }),
        'one other': no({ a: 'v75', b: 'y', c: 'x', d: 'x', e: 'x' }),
      },
    ),
  ],
);
