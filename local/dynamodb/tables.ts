import { hours, type Milliseconds, toMilliseconds } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { noSuchTable, required } from './errors.ts';
import { createExpiry } from './expiry.ts';
import type { Tables } from './model.ts';
import type { Table } from './table.ts';

const hour = toMilliseconds(hours(1));

/** The tables of a new account: none. */
export function createTables(context: ModelContext, expiryDelay?: Milliseconds): Tables {
  const byName = new Map<string, Table>();
  const expiry = createExpiry(context.random, expiryDelay);
  return {
    context,
    byName,
    open(nameOrArn) {
      if (nameOrArn === undefined) throw required('tableName');
      const table = byName.get(nameOrArn) ?? byName.get(nameFromArn(nameOrArn));
      if (table === undefined) throw noSuchTable();
      if (table.expiryAttribute !== undefined) {
        // No timer runs for expiry: nobody can see an item go except by asking.
        const now = context.clock.now();
        if (Math.floor(now / hour) !== table.sweptHour) {
          table.sweptHour = Math.floor(now / hour);
          expiry.sweep(table, now);
        }
      }
      return table;
    },
  };
}

/** `arn:aws:dynamodb:region:account:table/name` or a plain name. */
const nameFromArn = (text: string): string =>
  /^arn:[^:]*:dynamodb:[^:]*:\d*:table\/([^/]+)/.exec(text)?.[1] ?? text;
