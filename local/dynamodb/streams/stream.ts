import type { _Record, OperationType } from '@aws-sdk/client-dynamodb-streams';
import { hours, toMilliseconds } from '../../../lib/base/index.ts';
import { type KeySchema, keyAttributes } from '../keys.ts';
import type { Row } from '../table.ts';
import { copyItem, itemSize, sameItem } from '../values.ts';

/** What a stream tells of each change. */
export type ViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

/** How long a record can be read (DynamoDB developer guide, "Change data capture for DynamoDB Streams"). */
export const recordLife = toMilliseconds(hours(24));

/** One change of one item. Rows are never changed in place, so that holding them is enough. */
export interface Change {
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly old: Row | undefined;
  readonly next: Row | undefined;
  /** Deleted by DynamoDB itself, since its time was over. */
  readonly expired: boolean;
}

/**
 * The stream of a table, from the moment when it was turned on: one shard, in which the changes lie in the order in
 * which they were made, and so those of each item too.
 */
export interface TableStream {
  readonly arn: string;
  readonly label: string;
  readonly tableName: string;
  readonly schema: KeySchema;
  readonly viewType: ViewType;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly shardId: string;
  readonly eventPrefix: string;
  /** When it was turned off, milliseconds since the epoch; its records are read on until they are trimmed. */
  closedAt: number | undefined;
  /** Takes a change; one that changes nothing is no change (developer guide, same page). */
  take(old: Row | undefined, next: Row | undefined): void;
  /** Takes the deletion of an item whose time was over at `due`. */
  takeExpired(old: Row, due: number): void;
  /** The number of the last change; 0 before the first. */
  last(): number;
  /** The number of the oldest change that is not trimmed at this time, or the next one's where there is none. */
  oldest(now: number): number;
  /** The changes from a number on. */
  from(sequence: number): Generator<Change>;
}

/** What a stream is made of. */
export interface StreamPlace {
  readonly arn: string;
  readonly label: string;
  readonly tableName: string;
  readonly schema: KeySchema;
  readonly viewType: ViewType;
  readonly shardId: string;
  /** 12 hexadecimal digits that the events of no other stream begin with. */
  readonly eventPrefix: string;
  readonly now: () => number;
}

/** A stream that has just been turned on. */
export function createStream({ now, ...place }: StreamPlace): TableStream {
  let changes: Change[] = [];
  // Trimmed changes stay at the front of the array until they are half of it.
  let trimmed = 0;
  let last = 0;
  let latest = now();

  const trim = (time: number) => {
    while (trimmed < changes.length && changes[trimmed]!.at + recordLife <= time) trimmed++;
    if (trimmed <= changes.length / 2) return;
    changes = changes.slice(trimmed);
    trimmed = 0;
  };
  const add = (at: number, old: Row | undefined, next: Row | undefined, expired: boolean) => {
    // Times rise as the numbers do: who trims by time trims a prefix.
    latest = Math.max(latest, at);
    last++;
    changes.push({ sequence: last, at: latest, old, next, expired });
    trim(now());
  };

  return {
    ...place,
    createdAt: latest,
    closedAt: undefined,
    take(old, next) {
      if (old !== undefined && next !== undefined && sameItem(old.item, next.item)) return;
      add(now(), old, next, false);
    },
    takeExpired: (old, due) => add(due, old, undefined, true),
    last: () => last,
    oldest(time) {
      trim(time);
      return changes[trimmed]?.sequence ?? last + 1;
    },
    *from(sequence) {
      const first = changes[0];
      if (first === undefined) return;
      for (let index = Math.max(trimmed, sequence - first.sequence); index < changes.length; index++)
        yield changes[index]!;
    },
  };
}

/** The number of a change as the service writes it: 21 to 40 digits, greater for the later one. */
export const sequenceNumber = (sequence: number): string => `1${String(sequence).padStart(20, '0')}`;

/** Reads what {@link sequenceNumber} wrote; `undefined` for any other text. */
export function readSequenceNumber(text: string): number | undefined {
  return /^1\d{20}$/.test(text) ? Number(text.slice(1)) : undefined;
}

/** A change as GetRecords tells it, and its size in bytes. */
export function recordOf(
  stream: TableStream,
  region: string,
  change: Change,
): { record: _Record; size: number } {
  const { old, next, expired } = change;
  const keys = keyAttributes(stream.schema, (next ?? old)!.item);
  const showsNew = stream.viewType === 'NEW_IMAGE' || stream.viewType === 'NEW_AND_OLD_IMAGES';
  const showsOld = stream.viewType === 'OLD_IMAGE' || stream.viewType === 'NEW_AND_OLD_IMAGES';
  const after = showsNew ? next : undefined;
  const before = showsOld ? old : undefined;
  const size = itemSize(keys) + (after?.size ?? 0) + (before?.size ?? 0);
  return {
    size,
    record: {
      eventID: stream.eventPrefix + change.sequence.toString(16).padStart(20, '0'),
      eventName: eventName(change),
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: region,
      dynamodb: {
        // Rounded down to the second (API reference, StreamRecord).
        ApproximateCreationDateTime: new Date(Math.floor(change.at / 1_000) * 1_000),
        Keys: copyItem(keys),
        ...(after === undefined ? {} : { NewImage: copyItem(after.item) }),
        ...(before === undefined ? {} : { OldImage: copyItem(before.item) }),
        SequenceNumber: sequenceNumber(change.sequence),
        SizeBytes: size,
        StreamViewType: stream.viewType,
      },
      ...(expired ? { userIdentity: { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' } } : {}),
    },
  };
}

const eventName = ({ old, next }: Change): OperationType =>
  old === undefined ? 'INSERT' : next === undefined ? 'REMOVE' : 'MODIFY';
