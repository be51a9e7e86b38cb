import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import * as v from 'valibot';
import { type Order, OrderPlaced } from '../topology.ts';

/** The columns of an order, in CSV and as members of NDJSON. */
export const columns = ['order_id', 'customer_id', 'date', 'quantity', 'amount_usd'] as const;

/** A row that is no order, and why. */
export interface BadRow {
  /** Line in the file, the first is 1. */
  readonly line: number;
  readonly problem: string;
}

/** What was read. */
export interface OrderFile {
  readonly orders: readonly Order[];
  readonly badRows: readonly BadRow[];
}

/** A file that cannot be used at all; the message is one line. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/**
 * Reads the first `count` orders of a file, and no further. A row that is no order, or whose order id was there
 * before, is reported with its line and left out.
 *
 * @param path - CSV with a header, or NDJSON (first character `{`), with the columns of {@link columns}
 * @throws {InputError} when the file cannot be read, has other columns, or holds fewer orders than wanted
 * @example
 * ```ts
 * const { orders, badRows } = await readOrders('orders.csv', 40_000);
 * ```
 */
export async function readOrders(path: string, count: number): Promise<OrderFile> {
  const orders: Order[] = [];
  const badRows: BadRow[] = [];
  const lineOf = new Map<number, number>();
  try {
    const rows = (await startsWithBrace(path)) ? ndjsonRows(path) : csvRows(path);
    for await (const { line, row, problem } of rows) {
      const order = problem === undefined ? toOrder(row) : problem;
      if (typeof order === 'string') {
        badRows.push({ line, problem: order });
        continue;
      }
      const earlier = lineOf.get(order.orderId);
      if (earlier !== undefined) {
        badRows.push({ line, problem: `order_id ${order.orderId} was in line ${earlier} already` });
        continue;
      }
      lineOf.set(order.orderId, line);
      orders.push(order);
      if (orders.length === count) break;
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`Cannot read ${path}: ${reason(error)}.`, { cause: error });
  }
  if (orders.length < count) {
    const hint = badRows[0] === undefined ? '' : ` (line ${badRows[0].line}: ${badRows[0].problem})`;
    const refused = badRows.length === 0 ? '' : `, and ${badRows.length} bad rows${hint}`;
    throw new InputError(
      `${path} holds ${orders.length} orders${refused}; ${count} are wanted: ask for fewer with --orders.`,
    );
  }
  return { orders, badRows };
}

interface Row {
  readonly line: number;
  readonly row: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

async function* csvRows(path: string): AsyncGenerator<Row> {
  const file = createReadStream(path);
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    relax_quotes: true,
  });
  // A pipe does not carry errors: those of the file end the parser.
  file.on('error', (error) => parser.destroy(error));
  file.pipe(parser);
  let header: readonly string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { lines: number };
    }>) {
      if (header === undefined) {
        header = record.map((name) => name.trim());
        const missing = columns.filter((column) => !header?.includes(column));
        if (missing.length > 0)
          throw new InputError(
            `${path} has no column ${missing.join(', ')}; the columns must be ${columns.join(',')}.`,
          );
        continue;
      }
      const row = Object.fromEntries(header.map((name, index) => [name, record[index]]));
      const line = info.lines;
      if (record.length === header.length) yield { line, row };
      else yield { line, row, problem: `${record.length} fields where ${header.length} are expected` };
    }
  } finally {
    file.destroy();
  }
  if (header === undefined)
    throw new InputError(`${path} is empty; the first line must be ${columns.join(',')}.`);
}

async function* ndjsonRows(path: string): AsyncGenerator<Row> {
  const file = createReadStream(path);
  let line = 0;
  try {
    for await (const text of createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text.trim() === '') continue;
      const row = parseLine(text);
      if (row === undefined) yield { line, row: {}, problem: 'not a JSON object' };
      else yield { line, row };
    }
  } finally {
    file.destroy();
  }
}

function parseLine(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // The caller reports the line.
    return undefined;
  }
}

async function startsWithBrace(path: string): Promise<boolean> {
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: 1023 }))
    return (chunk as string)
      .replace(/^\uFEFF/, '')
      .trimStart()
      .startsWith('{');
  return false;
}

/** An order, or what is wrong with the row. */
function toOrder(row: Readonly<Record<string, unknown>>): Order | string {
  const problems: string[] = [];
  const whole = (column: string, least: number) => {
    const number = numeric(row[column]);
    if (number === undefined || !Number.isSafeInteger(number) || number < least)
      problems.push(`${column} must be a whole number from ${least}, found ${show(row[column])}`);
    return number ?? 0;
  };
  const orderId = whole('order_id', 1);
  const customerId = whole('customer_id', 1);
  const quantity = whole('quantity', 1);
  const amount = numeric(row.amount_usd);
  // Cents are exact up to the largest safe integer; more than two decimals would have to be rounded away.
  const amountCents = amount === undefined ? Number.NaN : Math.round(amount * 100);
  if (!(amountCents >= 0) || Math.abs(amountCents - (amount ?? 0) * 100) > 0.001)
    problems.push(
      `amount_usd must be a number from 0 with at most 2 decimals, found ${show(row.amount_usd)}`,
    );
  const date = typeof row.date === 'string' ? row.date.trim() : '';
  if (!isDay(date)) problems.push(`date must be a day such as 1997-01-31, found ${show(row.date)}`);
  if (problems.length > 0) return problems.join('; ');
  const order = v.safeParse(OrderPlaced, { orderId, customerId, date, quantity, amountCents });
  return order.success ? order.output : order.issues.map((issue) => issue.message).join('; ');
}

function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^\s*-?\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const show = (value: unknown): string => {
  if (value === undefined || value === '') return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
};

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a folder';
  return (message ?? String(error)).split('\n')[0] ?? '';
}
