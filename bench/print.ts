import CliTable from 'cli-table3';
import type { Table } from './part.ts';

/** A number as it is printed: three digits that count, and no more decimals than they need. */
export function figure(value: number): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A table as text: words to the left, numbers to the right. */
export function printed({ title, note, columns, rows }: Table): string {
  const table = new CliTable({
    head: [...columns],
    colAligns: columns.map((_, column) =>
      rows.some((row) => typeof row[column] === 'number') ? 'right' : 'left',
    ),
    style: { head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? figure(cell) : cell))));
  return `${title}\n${note}\n${table.toString()}\n`;
}
