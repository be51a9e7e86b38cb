import { describe, expect, test } from 'vitest';
import { createFixture, fill, item, values } from './support.ts';

const stored = {
  pk: 'a',
  n: 5,
  s: 'hello',
  emoji: 'hé😀',
  l: [1, 'x', { q: 1 }],
  m: { k: 'v', d: { z: 1 } },
  tags: new Set(['a', 'b']),
  numbers: new Set([1, 2]),
  bytes: new Uint8Array([1, 2, 3]),
  t: true,
  nul: null,
};

/** Whether a condition holds for the stored item, or for one that does not exist. */
function holds(condition: string, plain: Record<string, unknown> = {}, pk = 'a'): boolean {
  const fixture = createFixture();
  fill(fixture, stored);
  const given = values(plain);
  const input = {
    TransactItems: [
      {
        ConditionCheck: {
          TableName: 'records',
          Key: item({ pk }),
          ConditionExpression: condition,
          ...(Object.keys(given).length === 0 ? {} : { ExpressionAttributeValues: given }),
        },
      },
    ],
  };
  try {
    fixture.call('TransactWriteItems', input);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: 'TransactionCanceledException' });
    return false;
  }
}

// Every row was compared with what DynamoDB Local 2.6.1 answers.
describe('conditions hold as DynamoDB has them', () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['n = :v', { v: 5 }, true],
    ['n = :v', { v: '5' }, false],
    ['n <> :v', { v: '5' }, true],
    ['nothing = :v', { v: 5 }, false],
    ['nothing <> :v', { v: 5 }, true],
    ['NOT nothing = :v', { v: 5 }, true],
    ['nothing <> nowhere', {}, true],
    ['nothing = nowhere', {}, false],
    ['n < :v', { v: 6 }, true],
    ['n < :v', { v: '6' }, false],
    ['n < s', {}, false],
    ['nothing < :v', { v: 6 }, false],
    ['n BETWEEN :a AND :b', { a: 1, b: 9 }, true],
    ['n BETWEEN :a AND :a', { a: 5 }, true],
    ['n IN (:a, :b)', { a: 1, b: 5 }, true],
    ['n IN (:a, s)', { a: 1 }, false],
    ['begins_with(s, :v)', { v: 'he' }, true],
    ['begins_with(n, :v)', { v: '5' }, false],
    ['begins_with(bytes, :v)', { v: new Uint8Array([1, 2]) }, true],
    ['contains(s, :v)', { v: 'ell' }, true],
    ['contains(tags, :v)', { v: 'a' }, true],
    ['contains(numbers, :v)', { v: 2 }, true],
    ['contains(l, :v)', { v: { q: 1 } }, true],
    ['contains(n, :v)', { v: 5 }, false],
    ['contains(s, :v)', { v: true }, false],
    ['attribute_type(s, :v)', { v: 'S' }, true],
    ['attribute_type(nothing, :v)', { v: 'S' }, false],
    ['size(s) = :v', { v: 5 }, true],
    ['size(emoji) = :v', { v: 4 }, true],
    ['size(l) = :v', { v: 3 }, true],
    ['size(n) = :v', { v: 1 }, false],
    ['size(n) <> :v', { v: 1 }, true],
    ['size(m) = :v', { v: 2 }, true],
    ['size(nothing) < :v', { v: 2 }, false],
    ['size(tags) BETWEEN :v AND :w', { v: 1, w: 2 }, true],
    ['l[0] = :v', { v: 1 }, true],
    ['l[2].q = :v', { v: 1 }, true],
    ['l[9] = :v', { v: 1 }, false],
    ['m.d.z = :v', { v: 1 }, true],
    ['m = :v', { v: { d: { z: 1 }, k: 'v' } }, true],
    ['tags = :v', { v: new Set(['b', 'a']) }, true],
    ['numbers = :v', { v: new Set([2, 1]) }, true],
    ['nul = :v', { v: null }, true],
    ['l = :v', { v: [1, 'x', { q: 1 }] }, true],
    ['attribute_exists(m.k)', {}, true],
    ['attribute_not_exists(m.zz)', {}, true],
    ['(n) = (:v)', { v: 5 }, true],
    [':v = n', { v: 5 }, true],
    ['n = :v and s = :w or t = :w', { v: 5, w: 'hello' }, true],
    ['not n = :v and s = :v', { v: 5 }, false],
    ['not (n = :v and s = :v)', { v: 5 }, true],
  ])('%s with %j', (condition, plain, expected) => {
    expect(holds(condition, plain)).toBe(expected);
  });

  test.each<[string, Record<string, unknown>, boolean]>([
    ['attribute_not_exists(pk)', {}, true],
    ['attribute_exists(pk)', {}, false],
    ['nothing <> :v', { v: 1 }, true],
    ['n = :v', { v: 5 }, false],
  ])('%s for an item that does not exist', (condition, plain, expected) => {
    expect(holds(condition, plain, 'missing')).toBe(expected);
  });

  test('numbers are compared by their value, to the last of 38 digits', () => {
    const fixture = createFixture();
    const big = '12345678901234567890123456789012345678';
    fixture.call('PutItem', { TableName: 'records', Item: { pk: { S: 'n' }, n: { N: big } } });
    const check = (condition: string, number: string) => ({
      TableName: 'records',
      Key: { pk: { S: 'n' } },
      ConditionExpression: condition,
      ExpressionAttributeValues: { ':v': { N: number } },
      UpdateExpression: 'SET seen = :v',
    });

    fixture.call('UpdateItem', check('n = :v', `${big}.0`));
    fixture.call('UpdateItem', check('n < :v', '12345678901234567890123456789012345679'));
    expect(fixture.refused('UpdateItem', check('n < :v', big)).name).toBe('ConditionalCheckFailedException');
  });
});

describe('depth is bounded by an answer, not by a full stack', () => {
  const nested = `${'('.repeat(2_000)}n = n${')'.repeat(2_000)}`;

  test('in a condition', () => {
    const { refused } = createFixture();
    const input = { TableName: 'records', Key: item({ pk: 'a' }), ConditionExpression: nested };

    expect(refused('DeleteItem', input).message).toContain('nested more than 200 levels deep');
  });

  test('in a statement', () => {
    const { refused } = createFixture();
    const list = `${'['.repeat(3_000)}1${']'.repeat(3_000)}`;

    expect(
      refused('ExecuteStatement', { Statement: `DELETE FROM records WHERE ${nested}` }).message,
    ).toContain('nested more than 200 levels deep');
    expect(
      refused('ExecuteStatement', { Statement: `INSERT INTO records VALUE {'pk': 'a', 'x': ${list}}` })
        .message,
    ).toContain('nested more than 32 levels deep');
  });

  test('negations may be many', () => {
    expect(holds(`${'NOT '.repeat(900)}n = :v`, { v: 5 })).toBe(true);
  });
});

describe('a wrong condition is refused before anything is looked at', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['', {}, 'The expression can not be empty;'],
    ['n =', {}, 'Syntax error; token: "<EOF>", near: "="'],
    ['n == :v', { v: 1 }, 'Syntax error; token: "=", near: "== :v"'],
    ['n = 5', {}, 'Syntax error; token: "5", near: "= 5"'],
    ['n = :v extra', { v: 1 }, 'Syntax error; token: "extra", near: ":v extra"'],
    ['n', {}, 'Syntax error; token: "<EOF>", near: "n"'],
    ['((n = :v))', { v: 1 }, 'The expression has redundant parentheses;'],
    ['foo(s)', {}, 'Invalid function name; function: foo'],
    [
      'attribute_exists(s, n)',
      {},
      'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
    ],
    [
      'attribute_exists(:v)',
      { v: 1 },
      'Operator or function requires a document path; operator or function: attribute_exists',
    ],
    ['status = :v', { v: 1 }, 'Attribute name is a reserved keyword; reserved keyword: status'],
    [
      'n = n',
      {},
      'The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [n]',
    ],
    [
      'n < :v',
      { v: true },
      'Incorrect operand type for operator or function; operator or function: <, operand type: BOOL',
    ],
    [
      'begins_with(s, :v)',
      { v: 5 },
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
    ],
    [
      'n BETWEEN :a AND :b',
      { a: 9, b: 1 },
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:9}, upper bound operand: AttributeValue: {N:1}',
    ],
    [
      'n BETWEEN :a AND :b',
      { a: 9, b: 'x' },
      'The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:9}, upper bound operand: AttributeValue: {S:x}',
    ],
    [
      'n = :missing',
      {},
      'An expression attribute value used in expression is not defined; attribute value: :missing',
    ],
    [
      '#q = n',
      {},
      'An expression attribute name used in the document path is not defined; attribute name: #q',
    ],
  ])('%s', (condition, plain, message) => {
    const { refused } = createFixture();
    const given = values(plain);

    const error = refused('DeleteItem', {
      TableName: 'records',
      Key: item({ pk: 'a' }),
      ConditionExpression: condition,
      ...(Object.keys(given).length === 0 ? {} : { ExpressionAttributeValues: given }),
    });

    expect(error.name).toBe('ValidationException');
    expect(error.message).toBe(`Invalid ConditionExpression: ${message}`);
  });

  test.each([
    [
      { ExpressionAttributeNames: { '#x': 'x' } },
      'ExpressionAttributeNames can only be specified when using expressions',
    ],
    [
      { ConditionExpression: 'attribute_exists(n)', ExpressionAttributeNames: { '#x': 'x' } },
      'Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}',
    ],
    [
      { ConditionExpression: 'attribute_exists(n)', ExpressionAttributeValues: { ':x': { S: 'x' } } },
      'Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}',
    ],
    [
      { ConditionExpression: 'attribute_exists(n)', ExpressionAttributeNames: {} },
      'ExpressionAttributeNames must not be empty',
    ],
    [
      { ConditionExpression: 'n = :v', ExpressionAttributeValues: { v: { S: 'x' } } },
      'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
    ],
    [
      { ConditionExpression: 'n = :v', ExpressionAttributeValues: { ':v': { N: 'abc' } } },
      'ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: abc for key :v',
    ],
    [
      { Expected: {} },
      'The model of DynamoDB does not take the legacy parameter Expected; use an expression instead',
    ],
  ])('%j', (members, message) => {
    const { refused } = createFixture();

    expect(refused('DeleteItem', { TableName: 'records', Key: item({ pk: 'a' }), ...members }).message).toBe(
      message,
    );
  });
});
