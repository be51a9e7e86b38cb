import { createReadStream } from 'node:fs';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import * as v from 'valibot';
import { type Order, OrderPlaced } from '../topology.ts';

/** The columns of an order, in CSV and as members of NDJSON. */
export const columns = ['order_id', 'customer_id', 'date', 'quantity', 'amount_usd'] as const;

/** What one order may hold at most: so that no sum of a million orders leaves the whole numbers that are exact. */
const most = { quantity: 1_000_000, amountCents: 1_000_000_000 } as const;

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
 * before, is reported with its line and left out. A row is one line: whatever is wrong in it, the next line is
 * a new row.
 *
 * @param path - CSV with a header, or NDJSON, with the columns of {@link columns}. It is NDJSON when it is named
 *   `.ndjson` or `.jsonl`, or when one of its first lines is an object and the first is no header
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
    const rows = (await isNdjson(path)) ? ndjsonRows(path) : csvRows(path);
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
    const rows = badRows.length === 1 ? '1 bad row' : `${badRows.length} bad rows`;
    const refused = badRows.length === 0 ? '' : `, and ${rows}${hint}`;
    const advice = orders.length === 0 ? 'name another file' : 'ask for fewer with --orders';
    throw new InputError(`${path} holds ${orders.length} orders${refused}; ${count} are wanted: ${advice}.`);
  }
  return { orders, badRows };
}

interface Row {
  readonly line: number;
  readonly row: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

/** The lines of a file that hold something; a byte order mark and the ends of lines are no part of them. */
async function* linesOf(path: string): AsyncGenerator<{ readonly line: number; readonly text: string }> {
  // Not readline: for it a line also ends at U+2028, which a text may hold, and the numbers of lines would be wrong.
  const file = createReadStream(path, { encoding: 'utf8' });
  let rest = '';
  let line = 0;
  const take = (text: string) => {
    line += 1;
    return { line, text: (line === 1 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '') };
  };
  try {
    for await (const chunk of file) {
      const parts = (chunk as string).split('\n');
      parts[0] = rest + parts[0];
      rest = parts.pop() as string;
      for (const part of parts) {
        const taken = take(part);
        if (taken.text.trim() !== '') yield taken;
      }
    }
    const taken = take(rest);
    if (taken.text.trim() !== '') yield taken;
  } finally {
    file.destroy();
  }
}

/** How many lines are looked at to tell NDJSON from CSV: the first ones may be bad rows. */
const tellingLines = 20;

async function isNdjson(path: string): Promise<boolean> {
  if (/\.(ndjson|jsonl)$/i.test(path)) return true;
  let seen = 0;
  for await (const { text } of linesOf(path)) {
    if (text.trimStart().startsWith('{')) return true;
    seen += 1;
    if (seen === tellingLines || (seen === 1 && columns.some((name) => text.includes(name)))) break;
  }
  return false;
}

async function* csvRows(path: string): AsyncGenerator<Row> {
  let header: readonly string[] | undefined;
  for await (const { line, text } of linesOf(path)) {
    const fields = fieldsOf(text);
    if (header === undefined) {
      header = headerOf(path, fields);
      continue;
    }
    if (typeof fields === 'string') yield { line, row: {}, problem: fields };
    else if (fields.length !== header.length)
      yield { line, row: {}, problem: `${fields.length} fields where ${header.length} are expected` };
    else yield { line, row: Object.fromEntries(header.map((name, index) => [name, fields[index]])) };
  }
  if (header === undefined)
    throw new InputError(`${path} is empty; the first line must be ${columns.join(',')}.`);
}

/** The fields of a line of CSV, or what is wrong with it. */
function fieldsOf(text: string): readonly string[] | string {
  // Without a quote there is nothing to interpret, which is most lines of most files.
  if (!text.includes('"')) return text.split(',');
  try {
    const [fields = []] = parse(text, { relax_column_count: true }) as string[][];
    return fields;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened and not closed';
    return 'a quote inside a field: a field with quotes must be in quotes, and its own must be doubled';
  }
}

function headerOf(path: string, fields: readonly string[] | string): readonly string[] {
  if (typeof fields === 'string') throw new InputError(`The header of ${path} cannot be read: ${fields}.`);
  const header = fields.map((name) => name.trim());
  const must = `the columns must be ${columns.join(',')}`;
  const missing = columns.filter((column) => !header.includes(column));
  if (missing.length > 0) throw new InputError(`${path} has no column ${missing.join(', ')}; ${must}.`);
  const twice = columns.find((column) => header.indexOf(column) !== header.lastIndexOf(column));
  if (twice !== undefined) throw new InputError(`${path} has the column ${twice} more than once; ${must}.`);
  return header;
}

async function* ndjsonRows(path: string): AsyncGenerator<Row> {
  let empty = true;
  for await (const { line, text } of linesOf(path)) {
    empty = false;
    const row = parseLine(text);
    if (row === undefined) yield { line, row: {}, problem: 'not a JSON object' };
    else yield { line, row };
  }
  if (empty)
    throw new InputError(`${path} is empty; each line must be an object with ${columns.join(', ')}.`);
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

/** An order, or what is wrong with the row. */
function toOrder(row: Readonly<Record<string, unknown>>): Order | string {
  const problems: string[] = [];
  const whole = (column: string, limit?: number) => {
    const number = numeric(row[column]);
    if (number === undefined || !Number.isSafeInteger(number) || number < 1 || number > (limit ?? number))
      problems.push(
        `${column} must be a whole number from 1${limit === undefined ? '' : ` to ${limit}`}, found ${show(row[column])}`,
      );
    return number ?? 0;
  };
  const orderId = whole('order_id');
  const customerId = whole('customer_id');
  const quantity = whole('quantity', most.quantity);
  const amount = numeric(row.amount_usd);
  // More than two decimals would have to be rounded away. To add 0 makes 0 of -0.
  const amountCents = amount === undefined ? Number.NaN : Math.round(amount * 100) + 0;
  if (
    !(amountCents >= 0 && amountCents <= most.amountCents) ||
    Math.abs(amountCents - (amount ?? 0) * 100) > 0.001
  )
    problems.push(
      `amount_usd must be a number from 0 to ${most.amountCents / 100} with at most 2 decimals, found ${show(row.amount_usd)}`,
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
