import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InputError, readOrders } from '../../examples/orders/run/read.ts';

const shipped = fileURLToPath(new URL('../../examples/orders/data/cdnow-orders.csv', import.meta.url));
const header = 'order_id,customer_id,date,quantity,amount_usd';
let folder = '';
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(...lines: string[]): Promise<string> {
  const path = join(folder, `${files++}.txt`);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

async function named(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const good = (orderId: number) => `${orderId},1,1997-01-01,1,1`;
const goodJson = (orderId: number) =>
  `{"order_id":${orderId},"customer_id":1,"date":"1997-01-01","quantity":1,"amount_usd":1}`;
const ids = ({ orders }: { readonly orders: readonly { readonly orderId: number }[] }) =>
  orders.map(({ orderId }) => orderId);

describe('orders are read from a file, bad rows are named and left out', () => {
  it('reads what ships with the example, in its order, and no more than is wanted', async () => {
    const { orders, badRows } = await readOrders(shipped, 3);
    expect(badRows).toEqual([]);
    expect(orders.map(({ orderId }) => orderId)).toEqual([1, 2, 3]);
    expect(orders[0]).toEqual({
      orderId: 1,
      customerId: 1,
      date: '1997-01-01',
      quantity: 1,
      amountCents: 1177,
    });
  });

  it('finds no bad row in the whole file', async () => {
    const { orders, badRows } = await readOrders(shipped, 69_659);
    expect(orders).toHaveLength(69_659);
    expect(badRows).toEqual([]);
  });

  it('names line and fault of each bad row of a CSV', async () => {
    const path = await file(
      header,
      '1,1,1997-01-01,1,11.77',
      'x,1,1997-01-01,1,11.77',
      '3,1,1997-02-30,1,11.77',
      '',
      '4,1,1997-01-01,0,11.77',
      '5,1,1997-01-01,1,11.777',
      '6,1,1997-01-01,1',
      '1,2,1997-01-01,1,5',
      '8,1,1997-01-01,2,0',
    );
    const { orders, badRows } = await readOrders(path, 2);
    expect(orders.map(({ orderId }) => orderId)).toEqual([1, 8]);
    expect(badRows).toEqual([
      { line: 3, problem: 'order_id must be a whole number from 1, found "x"' },
      { line: 4, problem: 'date must be a day such as 1997-01-31, found "1997-02-30"' },
      { line: 6, problem: 'quantity must be a whole number from 1 to 1000000, found "0"' },
      {
        line: 7,
        problem: 'amount_usd must be a number from 0 to 10000000 with at most 2 decimals, found "11.777"',
      },
      { line: 8, problem: '4 fields where 5 are expected' },
      { line: 9, problem: 'order_id 1 was in line 2 already' },
    ]);
  });

  it('takes columns in any order, more than the needed ones, and a byte order mark', async () => {
    const path = await file(
      '\uFEFFamount_usd,note,quantity,date,customer_id,order_id',
      '1.50,"a, b",2,1997-01-01,7,9',
    );
    const { orders } = await readOrders(path, 1);
    expect(orders).toEqual([
      { orderId: 9, customerId: 7, date: '1997-01-01', quantity: 2, amountCents: 150 },
    ]);
  });

  it.each([
    ['an unclosed quote', '"2,1,1997-01-01,1,1', /opened and not closed/],
    ['an unclosed quote at the end', '2,1,1997-01-01,1,"1', /opened and not closed/],
    ['a stray quote', '2,1,1997-01-01,1,1"1', /a quote inside a field/],
    ['text after a quote', '2,1,1997-01-01,1,"1"1', /a quote inside a field/],
    ['a field too many', '2,1,1997-01-01,1,1,1', /6 fields where 5/],
    ['a negative number', '2,1,1997-01-01,-1,-1', /quantity .*"-1"; amount_usd .*"-1"/],
    ['numbers beyond what is exact', '99999999999999999999,1,1997-01-01,1,1', /order_id must be/],
    ['a huge quantity and amount', `2,1,1997-01-01,1000001,1${'0'.repeat(30)}`, /quantity .*; amount_usd/],
    ['a number in another notation', '2,1,1997-01-01,1e2,1', /quantity/],
  ])('%s in a CSV spoils its own line and no other', async (_, bad, problem) => {
    const read = await readOrders(await file(header, good(1), bad, good(4), good(5)), 3);
    expect(ids(read)).toEqual([1, 4, 5]);
    expect(read.badRows).toEqual([{ line: 3, problem: expect.stringMatching(problem) }]);
  });

  it('takes quoted fields, and the ends of lines of Windows', async () => {
    const path = await named(
      'windows.csv',
      `\uFEFF${header},note\r\n"1",1,1997-01-01,1,1,"a ""b"", c\u2028d"\r\n\r\nx,1,1997-01-01,1,1,\r\n${good(2)},`,
    );
    const read = await readOrders(path, 2);
    expect(ids(read)).toEqual([1, 2]);
    expect(read.badRows.map(({ line }) => line)).toEqual([4]);
  });

  it.each(['first.ndjson', 'first.jsonl', 'first.txt'])(
    '%s with a bad first line is NDJSON',
    async (name) => {
      const path = await named(name, ['so it begins', goodJson(1), goodJson(2)].join('\r\n'));
      const read = await readOrders(path, 2);
      expect(ids(read)).toEqual([1, 2]);
      expect(read.badRows).toEqual([{ line: 1, problem: 'not a JSON object' }]);
    },
  );

  it('takes a CSV with a row like an object for a CSV', async () => {
    const read = await readOrders(await file(header, goodJson(1), good(2)), 1);
    expect(ids(read)).toEqual([2]);
    expect(read.badRows).toHaveLength(1);
  });

  it('reads NDJSON with the same names', async () => {
    const row = { order_id: 1, customer_id: 2, date: '1997-01-01', quantity: 1, amount_usd: 9.99 };
    const path = await file(
      JSON.stringify(row),
      '{"order_id":',
      JSON.stringify({ ...row, order_id: 2, quantity: 1.5 }),
      JSON.stringify({ ...row, order_id: '3' }),
    );
    const { orders, badRows } = await readOrders(path, 2);
    expect(orders.map(({ orderId, amountCents }) => [orderId, amountCents])).toEqual([
      [1, 999],
      [3, 999],
    ]);
    expect(badRows).toEqual([
      { line: 2, problem: 'not a JSON object' },
      { line: 3, problem: 'quantity must be a whole number from 1 to 1000000, found 1.5' },
    ]);
  });

  it.each([
    ['is not there', async () => join(folder, 'nowhere.csv'), /there is no such file/],
    ['is a folder', async () => folder, /it is a folder/],
    ['is empty', async () => file(), /is empty/],
    ['has other columns', async () => file('id,amount', '1,2'), /no column order_id, customer_id, date/],
    [
      'holds too few',
      async () => file(header, '1,1,1997-01-01,1,1', 'x'),
      /holds 1 orders.*line 3.*--orders/,
    ],
    ['ends inside a quote', async () => file(header, '"1,1,1997-01-01,1,1'), /holds 0 .*line 2: a quote/],
    ['has a header that is not closed', async () => file(`"${header}`), /The header of .*a quote is opened/],
    ['has a header and no more', async () => file(header), /holds 0 orders; 2 are wanted: name another/],
    ['has a column twice', async () => file(`${header},date`), /has the column date more than once/],
    ['is NDJSON and empty', async () => named('empty.ndjson', ''), /is empty; each line must be an object/],
  ])('refuses in one line a file that %s', async (_, make, message) => {
    const error = await readOrders(await make(), 2).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('\n');
  });
});
