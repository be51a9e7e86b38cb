import {
  type AttributeValue,
  GetItemCommand,
  type GetItemCommandOutput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type Clock,
  type Milliseconds,
  milliseconds,
  type Random,
  type Seconds,
  seconds,
} from '../../lib/base/index.ts';
import { recordsTable, type Subscriber } from '../../lib/topology/index.ts';
import { backoff, wholeVisibility } from './backoff.ts';
import { recordEnd } from './claim.ts';
import type { AwsClient } from './client.ts';
import type { Reason } from './deadletter.ts';
import { asError, describeError, mostLogLength, TableUnavailable } from './errors.ts';
import type { SqsRecord } from './lambda.ts';
import type { Logger } from './logger.ts';
import type { Measures } from './metrics.ts';
import { groupsOf } from './schedule.ts';
import type { RecordStore } from './store.ts';
import { receivesOf, type Task } from './task.ts';

/*
 * A message group with a dead letter has a hole in its order. Its marker, an item in the table of records, says so:
 *
 *   skip   record FAILED -> letter -> marker GAP -> acknowledged      the group goes on; handlers can ask for the gap
 *   halt   record FAILED -> letter -> marker PARKED -> acknowledged   what comes later goes back untouched, until an
 *                                                                     operator deletes the marker
 *
 * A message whose marker cannot be written is not acknowledged: no hole is left in silence. SQS holds back the group
 * meanwhile, so nothing overtakes. At its next delivery the record knows the cause, and the letter, sent again within
 * five minutes, is the same to a FIFO queue. Of a parked group the marker says that its letter was sent.
 */

/** The states of a marker. */
const groupState = { parked: 'PARKED', gap: 'GAP' } as const;

/**
 * One end of a {@link Gap}.
 *
 * @example
 * ```ts
 * const describe = ({ id, reason }: GapLetter): string => `${id} (${reason})`;
 * ```
 */
export interface GapLetter {
  /** The event's id, or the message's where the event could not be read. */
  readonly id: string;
  /** The event's source; empty where it could not be read. */
  readonly source: string;
  readonly reason: Reason;
  /** When it was dead-lettered. */
  readonly at: Milliseconds;
}

/**
 * What a message group has skipped: events before this one that were dead-lettered.
 *
 * @example
 * ```ts
 * const gap: Gap | undefined = await context.gap();
 * if (gap !== undefined && gap.last.at > balance.checkedAt) await readBalanceAnew();
 * ```
 */
export interface Gap {
  /** How many. */
  readonly letters: number;
  readonly first: GapLetter;
  readonly last: GapLetter;
}

/** The groups of one invocation's messages. */
export interface Groups {
  /** Gives messages of parked groups their outcome, and returns the rest. Nothing of a group may run before. */
  keepParkedBack(tasks: readonly Task[]): Promise<readonly Task[]>;
  /**
   * Writes down that a message of a group was dead-lettered; resolves with whether the group goes on.
   *
   * @throws when it is not known to be written
   */
  mark(task: Task, reason: Reason): Promise<boolean>;
  /** See `HandlerContext.gap`. */
  gap(record: SqsRecord): Promise<Gap | undefined>;
}

/** A parked head comes back after this, then after twice as long, and so on up to {@link longestParking}. */
const shortestParking = seconds(30);

/**
 * A parked head is received again and again. At twice the retention's share of a receive, SQS's own redrive
 * (`maxReceiveCount`) cannot take it before its retention ends.
 */
const longestParking = ({ retention, maxReceiveCount }: Subscriber): Seconds =>
  seconds(Math.max(shortestParking, (2 * retention) / maxReceiveCount));

export function createGroups(context: {
  readonly client: AwsClient;
  readonly table: string;
  readonly store: RecordStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly subscriber: Subscriber;
  readonly measures: Measures;
  readonly logger: Logger;
}): Groups {
  const { client, table, store, clock, random, subscriber, measures, logger } = context;
  const halts = subscriber.fifo && subscriber.onDeadLetter === 'halt';
  const keyOf = (group: string) => recordsTable.groupKey(subscriber.name, group);

  function parkingOf(head: SqsRecord): Seconds {
    const doubled = shortestParking * 2 ** Math.min(receivesOf(head) - 1, 20);
    return wholeVisibility(Math.min(doubled, longestParking(subscriber)));
  }

  /** The rest of a returned group is made visible at once by `concludeOutcomes`: its head holds it back. */
  function giveBack(members: readonly Task[], visibility: Seconds) {
    for (const task of members) task.outcome = { kind: 'returned', visibility };
  }

  return {
    async keepParkedBack(tasks) {
      if (!halts) return tasks;
      const groups = [...groupsOf(tasks).values()].map((members) => {
        const group = members[0]!.record.attributes.MessageGroupId;
        return { members, key: group === undefined ? undefined : keyOf(group) };
      });
      try {
        const markers = await store.items(groups.flatMap(({ key }) => key ?? []));
        for (const { members, key } of groups) {
          const marker = key === undefined ? undefined : markers.get(key);
          if (marker?.state?.S !== groupState.parked) continue;
          const [head, ...rest] = members as [Task, ...Task[]];
          // It is what the group waits behind: its letter was sent before the marker was written, and only its
          // acknowledgement was lost. Left here it would park the group again once that is lifted.
          const settled = marker.lastMessage?.S === head.record.messageId;
          if (settled) {
            measures.duplicates++;
            head.outcome = { kind: 'done' };
          }
          const waiting = settled ? rest : members;
          measures.parked += waiting.length;
          giveBack(waiting, parkingOf(head.record));
        }
      } catch (thrown) {
        logger.warn('It is not known which groups are parked: their messages go back unhandled', {
          error: describeError(asError(thrown), mostLogLength),
        });
        for (const { members } of groups)
          giveBack(members, backoff(subscriber.backoff, receivesOf(members[0]!.record), random));
      }
      return tasks.filter((task) => task.outcome === undefined);
    },

    async mark(task, reason) {
      const group = task.record.attributes.MessageGroupId;
      // A replay that is refused leaves no new hole.
      if (!subscriber.fifo || group === undefined || reason === 'too-late') return true;
      try {
        await client.send(new UpdateItemCommand({ TableName: table, ...marking(task, group, reason) }));
      } catch (thrown) {
        // The reply of a call that was sent again was lost: it is written already.
        if (asError(thrown).name !== 'ConditionalCheckFailedException') throw thrown;
      }
      return !halts;
    },

    async gap({ attributes: { MessageGroupId: group } }) {
      if (!subscriber.fifo || group === undefined) return undefined;
      const Key = { [recordsTable.partitionKey]: { S: keyOf(group) } };
      try {
        const command = new GetItemCommand({ TableName: table, Key, ConsistentRead: true });
        const { Item } = (await client.send(command)) as GetItemCommandOutput;
        return readGap(Item, clock.now());
      } catch (thrown) {
        throw new TableUnavailable('Whether the group has a gap cannot be read: let it pass.', {
          cause: thrown,
        });
      }
    },
  };

  function marking({ event, record }: Task, group: string, reason: Reason) {
    const now = clock.now();
    const ttl = recordEnd(now, subscriber.recordLife);
    const set: Record<string, AttributeValue> = {
      state: { S: halts ? groupState.parked : groupState.gap },
      subscriber: { S: subscriber.name },
      group: { S: group },
      [recordsTable.groups.partitionKey]: { S: subscriber.name },
      lastId: { S: event?.id ?? record.messageId },
      lastSource: { S: event?.source ?? '' },
      lastReason: { S: reason },
      lastAt: { N: String(now) },
      lastMessage: { S: record.messageId },
      ...(halts ? {} : { [recordsTable.timeToLive]: { N: String(ttl) } }),
    };
    const first: Record<string, AttributeValue> = {
      [recordsTable.groups.sortKey]: { N: String(now) },
      firstId: set.lastId!,
      firstSource: set.lastSource!,
      firstReason: set.lastReason!,
    };
    const assignments = [
      ...Object.keys(set).map((name) => `#${name} = :${name}`),
      ...Object.keys(first).map((name) => `#${name} = if_not_exists(#${name}, :${name})`),
    ];
    const remove = halts ? ` REMOVE #${recordsTable.timeToLive}` : '';
    const names = [
      ...Object.keys(set),
      ...Object.keys(first),
      ...(halts ? [recordsTable.timeToLive] : []),
      'letters',
    ];
    const values = Object.entries({ ...set, ...first, one: { N: '1' } });
    return {
      Key: { [recordsTable.partitionKey]: { S: keyOf(group) } },
      UpdateExpression: `SET ${assignments.join(', ')}${remove} ADD #letters :one`,
      ConditionExpression: 'attribute_not_exists(#lastMessage) OR #lastMessage <> :lastMessage',
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
    };
  }
}

function readGap(item: Record<string, AttributeValue> | undefined, now: Milliseconds): Gap | undefined {
  // TTL deletes late (DynamoDB developer guide): what is over is none.
  if (item?.state?.S !== groupState.gap || Number(item[recordsTable.timeToLive]?.N) * 1000 < now)
    return undefined;
  const letter = (end: 'first' | 'last', at: string | undefined): GapLetter => ({
    id: item[`${end}Id`]?.S ?? '',
    source: item[`${end}Source`]?.S ?? '',
    reason: item[`${end}Reason`]?.S as Reason,
    at: milliseconds(Number(at)),
  });
  return {
    letters: Number(item.letters?.N),
    first: letter('first', item[recordsTable.groups.sortKey]?.N),
    last: letter('last', item.lastAt?.N),
  };
}
