import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Seconds } from '../../lib/base/index.ts';
import { type CloudEvent, recordsTable, type Subscriber } from '../../lib/topology/index.ts';
import { StaleSequence } from './errors.ts';
import { escapedSource, shortened } from './identity.ts';
import type { RecordStore } from './store.ts';

/*
 * The guard of sequences: one item for each key of a subscriber's events says which sequence was applied last. It
 * is written in the transaction that completes the event's record, under the condition that nothing newer was
 * applied, so there is no moment between the check and the effect. It is read as well, before the handler runs,
 * so that what is stale already causes no effect outside.
 *
 *   sequence 1   claim -- guard: none -- run ......................... commit: guard says 2: refused, dropped
 *   sequence 2            claim -- guard: none -- run -- commit: guard 2
 *   sequence 1   (late)                                     claim -- guard: 2, dropped without a run
 *
 * What a guard says stays true for ever, so its expiry is nobody's condition: one that TTL has deleted late has
 * dropped what is stale indeed.
 */

/** Where an event stands among the events of its key. */
export interface SequenceGuard {
  /** The partition key of the guard's item. */
  readonly key: string;
  /** The event's sequence, as it is compared. */
  readonly sequence: string;
  /** The event's id, kept for who looks. */
  readonly id: string;
}

/** DynamoDB's numbers have 38 digits; a sequence counts as a number up to there. */
const mostDigits = 38;

/** A sequence as it is compared: by UTF-8 bytes, decimal integers padded so that they compare as numbers. */
export const normalSequence = (sequence: string): string =>
  /^\d{1,38}$/.test(sequence) ? sequence.padStart(mostDigits, '0') : sequence;

/** The guard of an event; `undefined` where none is declared, or the event has no sequence or no key. */
export function guardOf(
  subscriber: Pick<Subscriber, 'name' | 'sequenceGuard'>,
  event: Pick<CloudEvent, 'id' | 'source' | 'sequence' | 'partitionkey'>,
): SequenceGuard | undefined {
  const { id, source, sequence, partitionkey } = event;
  if (!subscriber.sequenceGuard || !sequence || partitionkey === undefined) return undefined;
  const prefix = `sequence:${subscriber.name}#`;
  const key = shortened(prefix, `${prefix}${escapedSource(source)}#${partitionkey}`);
  return { key, sequence: normalSequence(sequence), id };
}

/**
 * The action that a transaction which completes the event's record has besides: it moves the guard on, and fails by
 * its condition when something newer was applied; {@link staleBy} makes an error of the reason. One transaction
 * cannot hold two events of one guard: DynamoDB refuses two actions on one item.
 *
 * @param end - the record's end, which is the guard's
 */
export const guardItem = (table: string, guard: SequenceGuard, end: Seconds): TransactWriteItem => ({
  Update: {
    TableName: table,
    Key: { [recordsTable.partitionKey]: { S: guard.key } },
    UpdateExpression: 'SET #sequence = :sequence, #id = :id, #ttl = :ttl',
    ConditionExpression: 'attribute_not_exists(#sequence) OR #sequence <= :sequence',
    ExpressionAttributeNames: { '#sequence': 'sequence', '#id': 'id', '#ttl': recordsTable.timeToLive },
    ExpressionAttributeValues: {
      ':sequence': { S: guard.sequence },
      ':id': { S: guard.id },
      ':ttl': { N: String(end) },
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** The error of a guard whose condition failed, from the item that the service returned with the reason. */
export const staleBy = (
  guard: SequenceGuard,
  found: Record<string, AttributeValue> | undefined,
  options?: ErrorOptions,
): StaleSequence =>
  new StaleSequence(guard.sequence, { sequence: found?.sequence?.S ?? '', id: found?.id?.S ?? '' }, options);

/**
 * Reads guards, consistently: which of them say that something newer was applied.
 *
 * @throws {TableUnavailable}
 */
export async function staleGuards(
  store: Pick<RecordStore, 'items'>,
  guards: readonly SequenceGuard[],
): Promise<Set<SequenceGuard>> {
  if (guards.length === 0) return new Set();
  const items = await store.items([...new Set(guards.map((guard) => guard.key))]);
  return new Set(
    guards.filter((guard) => {
      const applied = items.get(guard.key)?.sequence?.S;
      return applied !== undefined && isOlder(guard.sequence, applied);
    }),
  );
}

/** As DynamoDB compares strings: by their UTF-8 bytes. */
const isOlder = (one: string, other: string): boolean =>
  Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0;
