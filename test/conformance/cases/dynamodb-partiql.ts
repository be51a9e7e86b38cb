import { deepEqual, equal } from 'node:assert/strict';
import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  ExecuteTransactionCommand,
  type ParameterizedStatement,
  type TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { conditionFailed, invalid, item, type Plain, pages, table, value } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';

const reference = (statement: string) =>
  `DynamoDB developer guide, "PartiQL ${statement} statements for DynamoDB"`;

const run = (
  { dynamodb }: World,
  Statement: string,
  parameters: readonly Plain[] = [],
  more: Partial<ExecuteStatementCommandInput> = {},
) =>
  dynamodb.send(
    new ExecuteStatementCommand({
      Statement,
      ...(parameters.length > 0 && { Parameters: parameters.map(value) }),
      ...more,
    }),
  );

const statement = (
  Statement: string,
  ...parameters: Plain[]
): BatchStatementRequest & ParameterizedStatement => ({
  Statement,
  ...(parameters.length > 0 && { Parameters: parameters.map(value) }),
});
const batch = ({ dynamodb }: World, Statements: BatchStatementRequest[]) =>
  dynamodb.send(new BatchExecuteStatementCommand({ Statements }));

export const dynamodbPartiql = group(
  'dynamodb-partiql',
  'PartiQL',
  ['dynamodb'],
  [
    {
      name: 'insert',
      title: 'INSERT makes an item, and refuses one that is there.',
      source: { page: reference('insert'), says: 'it adds an item; DuplicateItem if the key is there' },
      async run(world) {
        const { name, get } = await table(world);
        const insert = `INSERT INTO "${name}" VALUE {'pk': ?, 'n': ?}`;
        await run(world, insert, ['a', 1]);
        deepEqual(await get('a'), item({ pk: 'a', n: 1 }));
        await refused('a second insert', { name: 'DuplicateItemException' }, () =>
          run(world, insert, ['a', 2]),
        );
        deepEqual(await get('a'), item({ pk: 'a', n: 1 }));
      },
    },
    {
      name: 'insert-of-literals',
      title: 'INSERT takes literals: texts, numbers, lists, maps, sets, true and null.',
      source: {
        page: 'DynamoDB developer guide, "PartiQL data types for DynamoDB"',
        says: 'each type of DynamoDB has its notation; sets are written in double angle brackets',
      },
      async run(world) {
        const { name, get } = await table(world);
        await run(
          world,
          `INSERT INTO "${name}" VALUE {'pk': 'a', 'n': -1.5, 'flag': true, 'nothing': NULL, 'list': [1, 'two'], 'map': {'x': 1}, 'set': <<'red'>>, 'quote': 'it''s'}`,
        );
        deepEqual(
          await get('a'),
          item({
            pk: 'a',
            n: -1.5,
            flag: true,
            nothing: null,
            list: [1, 'two'],
            map: { x: 1 },
            set: new Set(['red']),
            quote: "it's",
          }),
        );
      },
    },
    {
      name: 'select-by-key',
      title: 'SELECT with the key gives its item, whole or in parts.',
      source: {
        page: reference('select'),
        says: 'SELECT gives attributes of the items that the WHERE clause names',
      },
      async run(world) {
        const { name, put } = await table(world);
        await put({ pk: 'a', n: 1, map: { x: 2 } });
        const whole = await run(world, `SELECT * FROM "${name}" WHERE pk = ?`, ['a']);
        deepEqual(whole.Items, [item({ pk: 'a', n: 1, map: { x: 2 } })]);
        const part = await run(world, `SELECT n FROM "${name}" WHERE pk = 'a'`);
        deepEqual(part.Items, [item({ n: 1 })]);
        const none = await run(world, `SELECT * FROM "${name}" WHERE pk = 'none'`);
        deepEqual(none.Items, []);
      },
    },
    {
      name: 'select-with-conditions',
      title: 'SELECT takes the operators and functions of conditions.',
      source: { page: reference('select'), says: 'WHERE takes conditions over any attributes' },
      async run(world) {
        const { name, put } = await table(world, { range: 'N' });
        for (let sk = 1; sk <= 5; sk++) await put({ pk: 'a', sk, ...(sk > 3 ? { late: true } : {}) });
        const ask = async (where: string) =>
          (await run(world, `SELECT sk FROM "${name}" WHERE pk = 'a' AND ${where}`)).Items?.map(({ sk }) =>
            Number(sk?.N),
          );
        deepEqual(await ask('sk > 3'), [4, 5]);
        deepEqual(await ask('sk BETWEEN 2 AND 3'), [2, 3]);
        deepEqual(await ask('late = true'), [4, 5]);
        deepEqual(await ask('late IS MISSING'), [1, 2, 3]);
        deepEqual(await ask('sk IN [1, 5]'), [1, 5]);
      },
    },
    {
      name: 'update',
      title: 'UPDATE sets and removes attributes of an item that is there.',
      source: {
        page: reference('update'),
        says: 'SET and REMOVE, several of them; the key in the WHERE clause',
      },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'a', n: 1, gone: true });
        await run(world, `UPDATE "${name}" SET n = n + 1 SET s = ? REMOVE gone WHERE pk = ?`, ['x', 'a']);
        deepEqual(await get('a'), item({ pk: 'a', n: 2, s: 'x' }));
        await refused('an update of what is not there', conditionFailed, () =>
          run(world, `UPDATE "${name}" SET n = 1 WHERE pk = 'none'`),
        );
        equal(await get('none'), undefined, 'UPDATE made an item.');
      },
    },
    {
      name: 'update-with-a-condition',
      title: 'What a WHERE clause asks beyond the key is a condition.',
      source: {
        page: reference('update'),
        says: 'a WHERE clause that does not hold is a ConditionalCheckFailed',
      },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'a', owner: 'me', n: 1 });
        const update = `UPDATE "${name}" SET n = 2 WHERE pk = 'a' AND owner = ?`;
        const error = await refused('an update under a wrong owner', conditionFailed, () =>
          run(world, update, ['you'], { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        );
        deepEqual((error as { Item?: unknown }).Item, item({ pk: 'a', owner: 'me', n: 1 }));
        await run(world, update, ['me']);
        equal((await get('a'))?.n?.N, '2');
      },
    },
    {
      name: 'update-returning',
      title: 'RETURNING gives the old or new item, or what was changed of it.',
      source: { page: reference('update'), says: 'RETURNING ALL or MODIFIED, OLD or NEW' },
      async run(world) {
        const { name, put } = await table(world);
        for (const [returning, expected] of [
          ['ALL OLD *', { pk: 'a', n: 1, other: true }],
          ['MODIFIED OLD *', { n: 1 }],
          ['ALL NEW *', { pk: 'a', n: 2, other: true }],
          ['MODIFIED NEW *', { n: 2 }],
        ] as const) {
          await put({ pk: 'a', n: 1, other: true });
          const { Items } = await run(
            world,
            `UPDATE "${name}" SET n = 2 WHERE pk = 'a' RETURNING ${returning}`,
          );
          deepEqual(Items, [item(expected)], `RETURNING ${returning} gives something else.`);
        }
      },
    },
    {
      name: 'delete',
      title: 'DELETE deletes the item of a key, under a condition; nothing to delete is no error.',
      source: {
        page: reference('delete'),
        says: 'no item of the key is success; a condition that fails is not',
      },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'a', owner: 'me' });
        await refused('a delete under a wrong owner', conditionFailed, () =>
          run(world, `DELETE FROM "${name}" WHERE pk = 'a' AND owner = 'you'`),
        );
        await run(world, `DELETE FROM "${name}" WHERE pk = 'a' AND owner = 'me'`);
        equal(await get('a'), undefined);
        await run(world, `DELETE FROM "${name}" WHERE pk = 'a'`);
      },
    },
    {
      name: 'write-needs-the-key',
      title: 'UPDATE and DELETE name the whole key.',
      source: {
        page: reference('delete'),
        says: 'one item at a time: the WHERE clause names the primary key',
      },
      async run(world) {
        const { name } = await table(world, { range: 'N' });
        for (const text of [
          `DELETE FROM "${name}" WHERE pk = 'a'`,
          `UPDATE "${name}" SET n = 1 WHERE pk = 'a'`,
          `UPDATE "${name}" SET n = 1 WHERE n = 1`,
        ])
          await refused(text.replace(name, 'T'), invalid, () => run(world, text));
      },
    },
    {
      name: 'statement-that-is-wrong',
      title: 'A statement that cannot be read, or with too few parameters, is refused.',
      source: {
        page: pages.api('ExecuteStatement'),
        says: 'one statement; parameters for each question mark',
      },
      async run(world) {
        const { name } = await table(world);
        await refused('no statement at all', invalid, () => run(world, 'HELLO'));
        await refused('a statement without end', invalid, () => run(world, `SELECT * FROM "${name}" WHERE`));
        await refused('one parameter too few', invalid, () =>
          run(world, `SELECT * FROM "${name}" WHERE pk = ? AND n = ?`, ['a']),
        );
        await refused('a table that never was', { name: 'ResourceNotFoundException' }, () =>
          run(world, `SELECT * FROM "${name}-never" WHERE pk = 'a'`),
        );
      },
    },
    {
      name: 'batch-each-for-itself',
      title: 'The statements of a batch succeed and fail each for itself, in order.',
      source: {
        page: pages.api('BatchExecuteStatement'),
        says: 'a success of the call is no success of each statement: errors are in the responses',
      },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'there', n: 1 });
        const insert = `INSERT INTO "${name}" VALUE {'pk': ?, 'n': 2}`;
        const { Responses = [] } = await batch(world, [
          statement(insert, 'new'),
          statement(insert, 'there'),
          statement(`UPDATE "${name}" SET n = 5 WHERE pk = ? AND n = 9`, 'other'),
          statement(insert, 'new too'),
        ]);
        deepEqual(
          Responses.map(({ Error: error }) => error?.Code),
          [undefined, 'DuplicateItem', 'ConditionalCheckFailed', undefined],
        );
        deepEqual(await get('new too'), item({ pk: 'new too', n: 2 }));
        deepEqual(await get('there'), item({ pk: 'there', n: 1 }));
      },
    },
    {
      name: 'batch-shows-the-item',
      title: 'A failed condition in a batch gives the item, when it is asked for it.',
      source: {
        page: 'DynamoDB API reference, "BatchStatementError"',
        says: 'Item is what caused the failure, with ReturnValuesOnConditionCheckFailure ALL_OLD',
      },
      async run(world) {
        const { name, put } = await table(world);
        await put({ pk: 'a', n: 1 });
        const { Responses } = await batch(world, [
          {
            ...statement(`UPDATE "${name}" SET n = 5 WHERE pk = ? AND n = 9`, 'a'),
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        ]);
        equal(Responses?.[0]?.Error?.Code, 'ConditionalCheckFailed');
        deepEqual(Responses?.[0]?.Error?.Item, item({ pk: 'a', n: 1 }));
      },
    },
    {
      name: 'batch-of-reads',
      title: 'A batch of reads gives an item for each statement.',
      source: { page: pages.api('BatchExecuteStatement'), says: 'reads by whole primary keys' },
      async run(world) {
        const { name, put } = await table(world);
        await put({ pk: 'a', n: 1 });
        const select = `SELECT * FROM "${name}" WHERE pk = ?`;
        const { Responses } = await batch(world, [statement(select, 'a'), statement(select, 'none')]);
        deepEqual(Responses?.[0]?.Item, item({ pk: 'a', n: 1 }));
        equal(Responses?.[1]?.Item, undefined);
        equal(Responses?.[1]?.Error, undefined, 'An item that is not there is an error.');
      },
    },
    {
      name: 'batch-limits',
      title: 'A batch has at most 25 statements, reads or writes, and no key twice.',
      source: {
        page: pages.api('BatchExecuteStatement'),
        says: 'up to 25 statements; a batch holds only reads or only writes',
        conflict:
          'The page does not speak of a key twice. DynamoDB Local refuses the whole call; the model does that.',
      },
      async run(world) {
        const { name } = await table(world);
        const insert = `INSERT INTO "${name}" VALUE {'pk': ?}`;
        await refused('26 statements', invalid, () =>
          batch(
            world,
            Array.from({ length: 26 }, (_, at) => statement(insert, `k${at}`)),
          ),
        );
        await refused('a read beside a write', invalid, () =>
          batch(world, [statement(insert, 'a'), statement(`SELECT * FROM "${name}" WHERE pk = 'b'`)]),
        );
        await refused('a key twice', invalid, () =>
          batch(world, [statement(insert, 'a'), statement(insert, 'a')]),
        );
      },
    },
    {
      name: 'batch-with-a-statement-that-is-wrong',
      title: 'A statement that is wrong fails alone in its batch.',
      source: {
        page: 'DynamoDB API reference, "BatchStatementError"',
        says: 'ValidationError and ResourceNotFound are codes of a statement',
      },
      async run(world) {
        const { name, get } = await table(world);
        const { Responses } = await batch(world, [
          statement(`INSERT INTO "${name}-never" VALUE {'pk': 'a'}`),
          statement(`INSERT INTO "${name}" VALUE {'pk': 'a'}`),
        ]);
        equal(Responses?.[0]?.Error?.Code, 'ResourceNotFound');
        equal(Responses?.[1]?.Error, undefined);
        deepEqual(await get('a'), item({ pk: 'a' }));
      },
    },
    {
      name: 'transaction',
      title: 'The statements of a transaction are done together or not at all.',
      source: {
        page: pages.api('ExecuteTransaction'),
        says: 'a transaction of up to 100 statements; TransactionCanceled with a reason for each',
      },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'there', n: 1 });
        const together = (TransactStatements: ParameterizedStatement[]) =>
          world.dynamodb.send(new ExecuteTransactionCommand({ TransactStatements }));
        const insert = `INSERT INTO "${name}" VALUE {'pk': ?}`;
        const error = await refused(
          'a transaction with a failed condition',
          { name: 'TransactionCanceledException' },
          () =>
            together([
              statement(insert, 'new'),
              statement(`UPDATE "${name}" SET n = 2 WHERE pk = 'there' AND n = 9`),
            ]),
        );
        deepEqual(
          (error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code),
          ['None', 'ConditionalCheckFailed'],
        );
        equal(await get('new'), undefined, 'A part of the cancelled transaction was written.');
        await together([
          statement(insert, 'new'),
          statement(`UPDATE "${name}" SET n = 2 WHERE pk = 'there' AND n = 1`),
        ]);
        deepEqual(await get('there'), item({ pk: 'there', n: 2 }));
        deepEqual(await get('new'), item({ pk: 'new' }));
      },
    },
    {
      name: 'exists-in-a-transaction',
      title: 'EXISTS is a check in a transaction.',
      source: {
        page: 'DynamoDB developer guide, "Using functions with PartiQL for DynamoDB", EXISTS',
        says: 'EXISTS works as ConditionCheck, in transactions only',
      },
      async run(world) {
        const { name, put, get } = await table(world);
        await put({ pk: 'gate', open: true });
        const through = (open: boolean) =>
          world.dynamodb.send(
            new ExecuteTransactionCommand({
              TransactStatements: [
                statement(`EXISTS(SELECT * FROM "${name}" WHERE pk = 'gate' AND "open" = ?)`, open),
                statement(`INSERT INTO "${name}" VALUE {'pk': 'guest'}`),
              ],
            }),
          );
        await refused('a check that does not hold', { name: 'TransactionCanceledException' }, () =>
          through(false),
        );
        equal(await get('guest'), undefined);
        await through(true);
        deepEqual(await get('guest'), item({ pk: 'guest' }));
      },
    },
  ],
);
