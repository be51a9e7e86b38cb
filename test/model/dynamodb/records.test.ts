import { describe, expect, test } from 'vitest';
import { createFixture, fill, item, read, statement } from './support.ts';

const record = { pk: 'a', st: 'IN_PROGRESS', owner: 'w1', fence: 1, lease: 100 };
const takeOver = (pk: string, now: number) =>
  statement(
    `UPDATE "records" SET owner=? SET fence=fence+1 SET lease=? WHERE pk=? AND st='IN_PROGRESS' AND lease<?`,
    'w2',
    now + 100,
    pk,
    now,
  );
const complete = (pk: string, owner: string, fence: number) =>
  statement(
    'UPDATE "records" SET st=? SET done=? REMOVE lease WHERE pk=? AND owner=? AND fence=?',
    'COMPLETED',
    5,
    pk,
    owner,
    fence,
  );
const insert = (pk: string) => statement(`INSERT INTO "records" VALUE {'pk': ?, 'st': ?}`, pk, 'IN_PROGRESS');

describe('a batch of statements claims and completes records, each statement for itself', () => {
  test('a new key is inserted whatever the other statements do', () => {
    const fixture = createFixture();
    fill(fixture, record);

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [insert('b'), insert('a')] });

    expect(Responses[0]).toEqual({ TableName: 'records' });
    expect(Responses[1].Error.Code).toBe('DuplicateItem');
    expect(read(fixture, 'b')).toEqual(item({ pk: 'b', st: 'IN_PROGRESS' }));
    expect(read(fixture, 'a')).toEqual(item(record));
  });

  test('a duplicate comes without the item, whatever was asked for', () => {
    const fixture = createFixture();
    fill(fixture, record);

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [insert('a')] });

    expect(Responses[0].Error).toEqual({
      Code: 'DuplicateItem',
      Message: 'Duplicate primary key exists in table',
    });
  });

  test('the same key twice fails the whole call and changes nothing', () => {
    const fixture = createFixture();

    const error = fixture.refused('BatchExecuteStatement', {
      Statements: [insert('x'), insert('c'), insert('c')],
    });

    expect(error.name).toBe('ValidationException');
    expect(error.message).toBe('Provided list of item keys contains duplicates');
    expect(fixture.model.items('records')).toEqual([]);
  });

  test('a take-over that succeeds raises the fence', () => {
    const fixture = createFixture();
    fill(fixture, record);

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [takeOver('a', 150)] });

    expect(Responses).toEqual([{ TableName: 'records' }]);
    expect(read(fixture, 'a')).toEqual(item({ ...record, owner: 'w2', fence: 2, lease: 250 }));
  });

  test('a take-over that fails tells the state by the item', () => {
    const fixture = createFixture();
    fill(fixture, record);

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [takeOver('a', 50)] });

    expect(Responses[0].Error).toEqual({
      Code: 'ConditionalCheckFailed',
      Message: 'The conditional request failed',
      Item: item(record),
    });
  });

  test('without ALL_OLD the item is kept back', () => {
    const fixture = createFixture();
    fill(fixture, record);
    const { ReturnValuesOnConditionCheckFailure: _asked, ...quiet } = takeOver('a', 50);

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [quiet] });

    expect(Responses[0].Error.Code).toBe('ConditionalCheckFailed');
    expect(Responses[0].Error.Item).toBeUndefined();
  });

  test('completion holds under owner and fence only', () => {
    const fixture = createFixture();
    fill(fixture, record);

    const zombie = fixture.call('BatchExecuteStatement', { Statements: [complete('a', 'w1', 7)] });
    const owner = fixture.call('BatchExecuteStatement', { Statements: [complete('a', 'w1', 1)] });
    const late = fixture.call('BatchExecuteStatement', { Statements: [takeOver('a', 9_999)] });

    expect(zombie.Responses[0].Error.Code).toBe('ConditionalCheckFailed');
    expect(owner.Responses).toEqual([{ TableName: 'records' }]);
    const { lease: _lease, ...rest } = record;
    expect(late.Responses[0].Error.Item).toEqual(item({ ...rest, st: 'COMPLETED', done: 5 }));
  });

  test.each([
    ['under a condition', complete('none', 'w1', 1)],
    ['under none', statement('UPDATE "records" SET n = n + 1 WHERE pk=?', 'none')],
  ])('an update of a missing item %s fails without an item and makes none', (_how, update) => {
    const fixture = createFixture();

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [update] });

    expect(Responses[0].Error).toEqual({
      Code: 'ConditionalCheckFailed',
      Message: 'The conditional request failed',
    });
    expect(fixture.model.items('records')).toEqual([]);
  });

  test('a delete is conditional as well, and deleting nothing is a success', () => {
    const fixture = createFixture();
    fill(fixture, record);
    const remove = (pk: string, owner: string) =>
      statement('DELETE FROM "records" WHERE pk=? AND owner=?', pk, owner);

    const { Responses } = fixture.call('BatchExecuteStatement', {
      Statements: [remove('a', 'other'), remove('none', 'other')],
    });

    expect(Responses[0].Error.Code).toBe('ConditionalCheckFailed');
    expect(Responses[1].Error).toBeUndefined();
    expect(read(fixture, 'a')).toBeDefined();
    fixture.call('BatchExecuteStatement', { Statements: [remove('a', 'w1')] });
    expect(read(fixture, 'a')).toBeUndefined();
  });

  test.each([0, 26])('%i statements are refused', (count) => {
    const { refused } = createFixture();
    const Statements = Array.from({ length: count }, (_, index) => insert(`k${index}`));

    expect(refused('BatchExecuteStatement', { Statements }).name).toBe('ValidationException');
  });

  test('reads and writes do not mix', () => {
    const { refused } = createFixture();

    const error = refused('BatchExecuteStatement', {
      Statements: [statement('SELECT * FROM "records" WHERE pk=?', 'q'), insert('a')],
    });

    expect(error.message).toBe('Read and write requests together in the same batch is not supported.');
  });

  test('attribute_exists and OR stand in WHERE', () => {
    const fixture = createFixture();
    fill(fixture, record);
    const text = `UPDATE "records" SET st='X' WHERE pk='a' AND (attribute_exists(absent) OR lease < 200)`;

    const { Responses } = fixture.call('BatchExecuteStatement', { Statements: [statement(text)] });

    expect(Responses[0].Error).toBeUndefined();
    expect(read(fixture, 'a')?.st).toEqual({ S: 'X' });
  });

  test('a fault of one statement is told in its place', () => {
    const fixture = createFixture();

    const { Responses } = fixture.call('BatchExecuteStatement', {
      Statements: [
        statement('SELEC * FROM "records"'),
        statement(`INSERT INTO "nowhere" VALUE {'pk': 'a'}`),
        statement('DELETE FROM "records" WHERE pk=?'),
        statement(`UPDATE "records" SET value=1 WHERE pk='a'`),
        insert('ok'),
      ],
    });

    expect(Responses.map((response: { Error?: { Code: string } }) => response.Error?.Code)).toEqual([
      'ValidationError',
      'ResourceNotFound',
      'ValidationError',
      'ValidationError',
      undefined,
    ]);
    expect(read(fixture, 'ok')).toBeDefined();
  });
});

describe('a record goes through its whole life by the statements of the runtime', () => {
  const where = 'WHERE "pk"=? AND "owner"=? AND "fence"=? AND "state"=?';
  const claim = (pk: string) =>
    statement(
      `INSERT INTO "records" VALUE {'pk': ?, 'state': ?, 'owner': ?, 'fence': ?, 'leaseEnd': ?, 'attempts': ?, 'payload': ?, 'ttl': ?}`,
      pk,
      'IN_PROGRESS',
      'one',
      1,
      1_000,
      0,
      'hash',
      99_999,
    );
  const seize = (fence: number, now: number) =>
    statement(
      'UPDATE "records" SET "state"=? SET "owner"=? SET "fence"=? SET "leaseEnd"=? SET "ttl"=? WHERE "pk"=? AND "fence"=? AND "leaseEnd"<?',
      'IN_PROGRESS',
      'two',
      fence + 1,
      now + 1_000,
      99_999,
      'a',
      fence,
      now,
    );

  test('claimed, taken over, started, extended, completed, and then left alone', () => {
    const { call } = createFixture();
    const run = (...Statements: object[]) =>
      call('BatchExecuteStatement', { Statements }).Responses.map(
        (response: { Error?: { Code: string } }) => response.Error?.Code,
      );

    expect(run(claim('a'), claim('b'))).toEqual([undefined, undefined]);
    expect(run(seize(1, 500))).toEqual(['ConditionalCheckFailed']);
    expect(run(seize(1, 1_500))).toEqual([undefined]);
    const mine = ['a', 'two', 2, 'IN_PROGRESS'];
    expect(
      run(statement(`UPDATE "records" SET "attempts"=? SET "leaseEnd"=? ${where}`, 1, 3_000, ...mine)),
    ).toEqual([undefined]);
    expect(run(statement(`UPDATE "records" SET "leaseEnd"=? ${where}`, 4_000, ...mine))).toEqual([undefined]);
    const done = statement(
      `UPDATE "records" SET "state"=? SET "completedAt"=? SET "ttl"=? REMOVE "leaseEnd" REMOVE "lastError" ${where}`,
      'COMPLETED',
      5,
      6,
      ...mine,
    );
    expect(run(done)).toEqual([undefined]);
    // A completed record has no lease: the comparison with what is missing is false.
    expect(run(seize(2, 99_999))).toEqual(['ConditionalCheckFailed']);
    expect(call('GetItem', { TableName: 'records', Key: item({ pk: 'a' }) }).Item).toEqual(
      item({
        pk: 'a',
        state: 'COMPLETED',
        owner: 'two',
        fence: 2,
        attempts: 1,
        payload: 'hash',
        ttl: 6,
        completedAt: 5,
      }),
    );
  });
});

describe('single statements', () => {
  test.each([
    ['ALL OLD', { pk: 'a', n: 1, m: { k: 'v' } }],
    ['ALL NEW', { pk: 'a', n: 2, m: { k: 'w' } }],
    ['MODIFIED OLD', { n: 1, m: { k: 'v' } }],
    ['MODIFIED NEW', { n: 2, m: { k: 'w' } }],
  ])('RETURNING %s', (returning, expected) => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', n: 1, m: { k: 'v' } });

    const { Items } = fixture.call('ExecuteStatement', {
      Statement: `UPDATE records SET n = n + 1, m.k = 'w' WHERE pk = 'a' RETURNING ${returning} *`,
    });

    expect(Items).toEqual([item(expected)]);
  });

  test.each([
    [`st IS MISSING`, false],
    [`st IS NOT MISSING`, true],
    [`absent <> 'x'`, true],
    [`NOT absent = 'x'`, true],
    [`n IN [1, 2]`, true],
    [`n IN (3)`, false],
    [`n BETWEEN 1 AND 5`, true],
    [`begins_with(st, 'IN')`, true],
    [`contains(tags, 'a')`, true],
    [`size(st) = 2`, true],
    [`attribute_type(st, 'N')`, false],
    [`st = 'IN' AND n = -1`, false],
  ])('WHERE %s', (condition, expected) => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', n: 1, st: 'IN', tags: new Set(['a', 'b']) });
    const input = { Statement: `UPDATE records SET x = 1 WHERE pk = 'a' AND ${condition}` };

    if (expected) expect(fixture.call('ExecuteStatement', input)).toEqual({ Items: [] });
    else expect(fixture.refused('ExecuteStatement', input).name).toBe('ConditionalCheckFailedException');
  });

  test.each([
    [
      `UPDATE records SET tags = set_add(tags, <<'c'>>) WHERE pk='a' RETURNING MODIFIED NEW *`,
      { tags: new Set(['a', 'b', 'c']) },
    ],
    [
      `UPDATE records SET tags = set_delete(tags, <<'a'>>) WHERE pk='a' RETURNING MODIFIED NEW *`,
      { tags: new Set(['b']) },
    ],
    [`UPDATE records SET l = list_append(l, [3]) WHERE pk='a' RETURNING MODIFIED NEW *`, { l: [1, 3] }],
    [`UPDATE records SET x = if_not_exists(x, 0) + 1 WHERE pk='a' RETURNING MODIFIED NEW *`, { x: 1 }],
    [
      `UPDATE records SET d = {'a': 1, 'b': [true, null], 'c': 'it''s'} WHERE pk='a' RETURNING MODIFIED NEW *`,
      { d: { a: 1, b: [true, null], c: "it's" } },
    ],
    [`DELETE FROM records WHERE pk='a' RETURNING ALL OLD *`, { pk: 'a', l: [1], tags: new Set(['a', 'b']) }],
    [`SELECT pk, l[0] FROM records WHERE pk='a'`, { pk: 'a', 'l[0]': 1 }],
  ])('%s', (text, expected) => {
    const fixture = createFixture();
    fill(fixture, { pk: 'a', l: [1], tags: new Set(['a', 'b']) });

    expect(fixture.call('ExecuteStatement', { Statement: text }).Items).toEqual([item(expected)]);
  });

  test('a select pages through a table by its token', () => {
    const fixture = createFixture();
    fill(fixture, ...Array.from({ length: 7 }, (_, index) => ({ pk: `k${index}` })));
    const found: string[] = [];
    let NextToken: string | undefined;

    do {
      const page = fixture.call('ExecuteStatement', {
        Statement: 'SELECT * FROM records',
        Limit: 3,
        NextToken,
      });
      for (const one of page.Items) found.push(one.pk.S);
      ({ NextToken } = page);
    } while (NextToken !== undefined);

    expect(found.sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6']);
  });
});
