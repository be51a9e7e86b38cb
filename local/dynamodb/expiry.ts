import {
  days,
  hours,
  type Milliseconds,
  milliseconds,
  type Random,
  toMilliseconds,
  toSeconds,
} from '../../lib/base/index.ts';
import { type Row, replaceRow, type Table } from './table.ts';
import { attributeOf } from './values.ts';

/**
 * Expired items are deleted late: "within a few days", says the developer guide (time to live, how it works),
 * and they stay readable until then. The model lets each item lie for up to two days, a different and repeatable
 * time for each, unless it is told how late they go.
 */
const hour = toMilliseconds(hours(1));
const longestDelay = toMilliseconds(hours(48));

/** An expiry further back than five years counts as a mistake and deletes nothing (developer guide, same page). */
const oldestExpiry = days(5 * 365);

// A number with a fraction is read as its whole seconds; anything else that is no number never expires.
const seconds = /^\d{1,12}(?:\.\d+)?$/;

/** Deletes what has expired, late. */
export interface Expiry {
  sweep(table: Table, now: number): void;
}

/**
 * Expiry whose delays come from the given source of chance.
 *
 * @param planned - how late every item goes; left out, each has a delay of its own
 */
export function createExpiry(random: Random, planned?: Milliseconds): Expiry {
  let seed: number | undefined;

  const delay = (row: Row): number => {
    if (planned !== undefined) return planned;
    seed ??= Math.floor(random.next() * 2 ** 32);
    let mixed = seed;
    const text = row.key.hash + row.key.rangeText;
    for (let position = 0; position < text.length; position++) {
      mixed = Math.imul(mixed ^ text.charCodeAt(position), 0x01000193);
    }
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
    return (mixed / 2 ** 32) * longestDelay;
  };

  return {
    sweep(table, now) {
      const attribute = table.expiryAttribute;
      if (attribute === undefined) return;
      const oldest = toSeconds(milliseconds(now)) - oldestExpiry;
      const gone: { readonly row: Row; readonly due: number }[] = [];
      for (const row of table.rows.all()) {
        const text = attributeOf(row.item, attribute)?.N;
        if (text === undefined || !seconds.test(text)) continue;
        const expiry = Math.floor(Number(text));
        if (expiry * 1_000 > now || expiry < oldest) continue;
        const due = expiry * 1_000 + delay(row);
        if (due <= now) gone.push({ row, due });
      }
      // A stream tells of each deletion at its own time, although nobody looked until now.
      if (table.stream !== undefined) gone.sort((a, b) => a.due - b.due);
      for (const { row, due } of gone) {
        replaceRow(table, row, undefined);
        table.stream?.takeExpired(row, Math.ceil(due / hour) * hour);
      }
    },
  };
}
