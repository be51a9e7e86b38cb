import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import { recordsTable } from '../../lib/topology/index.ts';

/**
 * A dead letter that a marker names.
 *
 * @example
 * ```ts
 * const line = ({ id, reason, at }: GroupLetter): string => `${id}: ${reason}, ${new Date(at).toISOString()}`;
 * ```
 */
export interface GroupLetter {
  /** The event's id, or the message's where the event could not be read. */
  readonly id: string;
  /** The event's source; empty where it could not be read. */
  readonly source: string;
  readonly reason: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: Milliseconds;
}

/**
 * A message group with dead letters.
 *
 * @example
 * ```ts
 * const waits = ({ state }: GroupMarker): boolean => state === 'PARKED';
 * ```
 */
export interface GroupMarker {
  readonly group: string;
  /** `PARKED`: its messages wait until the marker is lifted. `GAP`: it went on without the dead letters. */
  readonly state: 'PARKED' | 'GAP';
  /** How many of its messages were dead-lettered. */
  readonly letters: number;
  readonly first: GroupLetter;
  readonly last: GroupLetter;
}

/** Reads a marker's item. */
export function readMarker(item: Readonly<Record<string, AttributeValue>>): GroupMarker {
  const letter = (end: 'first' | 'last', at: string): GroupLetter => ({
    id: item[`${end}Id`]?.S ?? '',
    source: item[`${end}Source`]?.S ?? '',
    reason: item[`${end}Reason`]?.S ?? '',
    at: milliseconds(Number(item[at]?.N ?? 0)),
  });
  return {
    group: item.group?.S ?? '',
    state: item.state?.S === 'PARKED' ? 'PARKED' : 'GAP',
    letters: Number(item.letters?.N ?? 0),
    first: letter('first', recordsTable.groups.sortKey),
    last: letter('last', 'lastAt'),
  };
}
