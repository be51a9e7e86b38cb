import { describe, expect, test } from 'vitest';
import { createFixture, fill, item, read, values } from './support.ts';

const stored = {
  pk: 'a',
  n: 5,
  s: 'hello',
  l: [1, 'x', { q: 1 }],
  m: { k: 'v', d: { z: 1 } },
  tags: new Set(['a', 'b']),
};

function update(expression: string, plain: Record<string, unknown> = {}, more: object = {}) {
  const given = values(plain);
  return {
    TableName: 'records',
    Key: item({ pk: 'a' }),
    UpdateExpression: expression,
    ...(Object.keys(given).length === 0 ? {} : { ExpressionAttributeValues: given }),
    ...more,
  };
}

// Every row was compared with what DynamoDB Local 2.6.1 answers.
describe('an update changes what it names and nothing else', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['SET n = n + :v', { v: 1 }, { n: 6 }],
    ['SET n = :v - n', { v: 1 }, { n: -4 }],
    ['SET n = if_not_exists(nothing, :v)', { v: 1 }, { n: 1 }],
    ['SET n = if_not_exists(n, :v) + :v', { v: 1 }, { n: 6 }],
    ['SET n = s, s = n', {}, { n: 'hello', s: 5 }],
    ['SET l = list_append(l, :v)', { v: [9] }, { l: [1, 'x', { q: 1 }, 9] }],
    ['SET l = list_append(:v, l)', { v: [9] }, { l: [9, 1, 'x', { q: 1 }] }],
    ['SET l = list_append(if_not_exists(nothing, :e), :v)', { e: [], v: [9] }, { l: [9] }],
    ['SET l[0] = :v', { v: 9 }, { l: [9, 'x', { q: 1 }] }],
    ['SET l[20] = :v, l[10] = :w', { v: 9, w: 8 }, { l: [1, 'x', { q: 1 }, 8, 9] }],
    ['SET l[2].q = :v', { v: 9 }, { l: [1, 'x', { q: 9 }] }],
    ['SET m.x = :v', { v: 9 }, { m: { k: 'v', d: { z: 1 }, x: 9 } }],
    ['REMOVE l[0], l[1]', {}, { l: [{ q: 1 }] }],
    ['REMOVE l[0] SET l[1] = :v', { v: 9 }, { l: [9, { q: 1 }] }],
    ['REMOVE m.k, m.d.z', {}, { m: { d: {} } }],
    ['REMOVE nothing', {}, {}],
    ['REMOVE l[9]', {}, {}],
    ['ADD n :v', { v: 1 }, { n: 6 }],
    ['ADD visits :v', { v: 1 }, { visits: 1 }],
    ['ADD m.visits :v', { v: 1 }, { m: { k: 'v', d: { z: 1 }, visits: 1 } }],
    ['ADD tags :v', { v: new Set(['c', 'a']) }, { tags: new Set(['a', 'b', 'c']) }],
    ['DELETE tags :v', { v: new Set(['a']) }, { tags: new Set(['b']) }],
    ['DELETE nothing :v', { v: new Set(['a']) }, {}],
    ['set n = :v remove s', { v: 1 }, { n: 1, s: undefined }],
    ['DELETE tags :v', { v: new Set(['a', 'b']) }, { tags: undefined }],
  ])('%s with %j', (expression, plain, changes) => {
    const fixture = createFixture();
    fill(fixture, stored);

    fixture.call('UpdateItem', update(expression, plain));

    const expected = Object.entries({ ...stored, ...changes }).filter(([, member]) => member !== undefined);
    expect(read(fixture, 'a')).toEqual(item(Object.fromEntries(expected)));
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['SET n = s + :v', { v: 1 }, 'An operand in the update expression has an incorrect data type'],
    [
      'SET x = nothing + :v',
      { v: 1 },
      'The provided expression refers to an attribute that does not exist in the item',
    ],
    [
      'SET n = n + :v',
      { v: 'x' },
      'Invalid UpdateExpression: Incorrect operand type for operator or function; operator or function: +, operand type: S',
    ],
    [
      'SET nothing.x = :v',
      { v: 1 },
      'The document path provided in the update expression is invalid for update',
    ],
    ['SET s[0] = :v', { v: 1 }, 'The document path provided in the update expression is invalid for update'],
    ['REMOVE nothing.x', {}, 'The document path provided in the update expression is invalid for update'],
    ['ADD s :v', { v: 1 }, 'An operand in the update expression has an incorrect data type'],
    [
      'ADD tags :v',
      { v: 'c' },
      'Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND',
    ],
    [
      'SET n = :v SET s = :v',
      { v: 1 },
      'Invalid UpdateExpression: The "SET" section can only be used once in an update expression;',
    ],
    [
      'SET m.k = :v REMOVE m',
      { v: 1 },
      'Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m, k], path two: [m]',
    ],
    [
      'SET m[0] = :v, m.x = :v',
      { v: 1 },
      'Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: [m, [0]], path two: [m, x]',
    ],
    [
      'SET pk = :v',
      { v: 1 },
      'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
    ],
    [
      'SET n = size(s)',
      {},
      'Invalid UpdateExpression: The function is not allowed in an update expression; function: size',
    ],
    ['FOO n', {}, 'Invalid UpdateExpression: Syntax error; token: "FOO", near: "FOO n"'],
  ])('%s is refused, and nothing changes', (expression, plain, message) => {
    const fixture = createFixture();
    fill(fixture, stored);

    expect(fixture.refused('UpdateItem', update(expression, plain)).message).toBe(message);

    expect(read(fixture, 'a')).toEqual(item(stored));
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['SET n = :v', { v: 1 }, { pk: 'a', n: 1 }],
    ['ADD n :v', { v: 1 }, { pk: 'a', n: 1 }],
    ['REMOVE n', {}, { pk: 'a' }],
    ['SET n = if_not_exists(n, :v) + :v', { v: 1 }, { pk: 'a', n: 2 }],
  ])('%s makes an item that is not there', (expression, plain, expected) => {
    const fixture = createFixture();

    fixture.call('UpdateItem', update(expression, plain));

    expect(read(fixture, 'a')).toEqual(item(expected));
  });

  test.each<[string, Record<string, unknown> | undefined]>([
    ['NONE', undefined],
    ['ALL_OLD', stored],
    ['ALL_NEW', { ...stored, n: 6, m: { k: 'w', d: { z: 1 } }, s: undefined }],
    ['UPDATED_OLD', { n: 5, m: { k: 'v' }, s: 'hello' }],
    ['UPDATED_NEW', { n: 6, m: { k: 'w' } }],
  ])('ReturnValues %s', (ReturnValues, expected) => {
    const fixture = createFixture();
    fill(fixture, stored);

    const { Attributes } = fixture.call(
      'UpdateItem',
      update('SET n = n + :v, m.k = :w REMOVE s', { v: 1, w: 'w' }, { ReturnValues }),
    );

    const present = Object.entries(expected ?? {}).filter(([, member]) => member !== undefined);
    expect(Attributes).toEqual(expected === undefined ? undefined : item(Object.fromEntries(present)));
  });

  test('what the caller gets is its own: changing it does not reach the table', () => {
    const fixture = createFixture();
    const input = { TableName: 'records', Item: item(stored) };
    fixture.call('PutItem', input);
    input.Item.m!.M!.k = { S: 'changed by the caller' };
    const found = read(fixture, 'a');
    found!.l!.L!.push({ S: 'changed by the reader' });

    expect(read(fixture, 'a')).toEqual(item(stored));
  });

  test('bytes are copied as well', () => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', bytes: new Uint8Array([1, 2]) });
    read(fixture, 'a')!.bytes!.B![0] = 9;

    expect(read(fixture, 'a')!.bytes!.B).toEqual(new Uint8Array([1, 2]));
  });

  test('an update cannot nest deeper than an item may', () => {
    const fixture = createFixture();
    let deep: Record<string, unknown> | string = 'x';
    for (let level = 0; level < 31; level++) deep = { d: deep };
    fill(fixture, { pk: 'a', deep, m: {} });

    const error = fixture.refused('UpdateItem', update('SET m.x = deep'));

    expect(error.message).toContain('Nesting Levels have exceeded supported limits');
  });

  test('a refused condition comes with the item when it was asked for', () => {
    const fixture = createFixture();
    fill(fixture, stored);
    const refused = (more: object) =>
      fixture.refused(
        'UpdateItem',
        update('SET n = :v', { v: 1 }, { ConditionExpression: 'n = :v', ...more }),
      );

    expect(refused({}).members).toEqual({});
    const error = refused({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    expect(error.name).toBe('ConditionalCheckFailedException');
    expect(error.message).toBe('The conditional request failed');
    expect(error.members).toEqual({ Item: item(stored) });
  });
});
