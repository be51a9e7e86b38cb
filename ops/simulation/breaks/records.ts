import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { type RuntimeParts, standardParts } from '../../../lambda/runtime/assembly.ts';
import { type Break, broken } from './break.ts';

/*
 * What holds the effect and the record together, and keeps the record to its owner.
 */

type Client = Parameters<RuntimeParts['createCommitter']>[0]['client'];
type Statement = ReturnType<ReturnType<RuntimeParts['statementsFor']>['extend']>;

/** A client whose transactions are rewritten before they are sent. */
const rewriting = (client: Client, rewrite: (items: TransactWriteItem[]) => TransactWriteItem[]): Client => ({
  send: (command, options) => {
    if (!(command instanceof TransactWriteItemsCommand)) return client.send(command, options);
    const { TransactItems = [], ...input } = command.input;
    return client.send(
      new TransactWriteItemsCommand({ ...input, TransactItems: rewrite(TransactItems) }),
      options,
    );
  },
});

const held = / AND "owner"=\? AND "fence"=\? AND "state"=\?$/;

/** A statement under owner and fence, without them: the key alone says what is written. */
function withoutHolder(request: Statement): Statement {
  if (!held.test(request.Statement ?? ''))
    throw new Error(`No owner in the condition of: ${request.Statement}`);
  return {
    ...request,
    Statement: request.Statement?.replace(held, ''),
    Parameters: request.Parameters?.slice(0, -3),
  };
}

/** The completion of a record in a transaction, whoever holds it. */
function completionByAnybody(item: TransactWriteItem): TransactWriteItem {
  const { Update } = item;
  if (Update === undefined) return item;
  const without = <Value>(names: Record<string, Value> | undefined, left: readonly string[]) =>
    Object.fromEntries(Object.entries(names ?? {}).filter(([name]) => !left.includes(name)));
  return {
    Update: {
      ...Update,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: without(Update.ExpressionAttributeNames, ['#owner', '#fence']),
      ExpressionAttributeValues: without(Update.ExpressionAttributeValues, [
        ':owner',
        ':fence',
        ':inProgress',
        ':held',
      ]),
    },
  };
}

const recordFirst =
  (change: (record: TransactWriteItem) => TransactWriteItem[]) =>
  ([record, ...items]: TransactWriteItem[]): TransactWriteItem[] => [
    ...(record === undefined ? [] : change(record)),
    ...items,
  ];

/** A client to which no answer is a good one, but for a transaction that was cancelled. */
const believed = (client: Client): Client => ({
  send: async (command, options) => {
    try {
      return await client.send(command, options);
    } catch (error) {
      if (error instanceof Error && 'CancellationReasons' in error) throw error;
      return {};
    }
  },
});

/** A table of records that is asked nothing: all is written, and there was nothing before. */
const believing: ReturnType<RuntimeParts['createRecordStore']> = {
  write: async (statements) => statements.map(() => ({ kind: 'done' })),
  read: async () => new Map(),
  items: async () => new Map(),
};

export const brokenRecords: readonly Break[] = [
  {
    name: 'noFence',
    what: 'Whatever ends or extends a claim is written without owner and fence in its condition.',
    hazards: [5, 6],
    expected: ['doubled'],
    within: 40,
    build: broken(() => ({
      statementsFor: (table) => {
        const statements = standardParts.statementsFor(table);
        return {
          ...statements,
          start: (...values) => withoutHolder(statements.start(...values)),
          extend: (...values) => withoutHolder(statements.extend(...values)),
          complete: (...values) => withoutHolder(statements.complete(...values)),
          release: (...values) => withoutHolder(statements.release(...values)),
          fail: (...values) => withoutHolder(statements.fail(...values)),
        };
      },
      createCommitter: (context, claim) =>
        standardParts.createCommitter(
          {
            ...context,
            client: rewriting(
              context.client,
              recordFirst((record) => [completionByAnybody(record)]),
            ),
          },
          claim,
        ),
    })),
  },
  {
    name: 'releaseWithoutOwner',
    what: 'A worker whose try failed gives the event back by its key alone, whoever holds it by then.',
    hazards: [6],
    expected: ['doubled', 'letter'],
    within: 40,
    build: broken(() => ({
      statementsFor: (table) => {
        const statements = standardParts.statementsFor(table);
        return {
          ...statements,
          // By which a worker whose lease is over learns whether it still owns the event.
          extend: (...values) => withoutHolder(statements.extend(...values)),
          release: (...values) => withoutHolder(statements.release(...values)),
        };
      },
    })),
  },
  {
    name: 'commitWithoutRecord',
    what: 'A commit writes the handler’s items, and the record by itself afterwards.',
    hazards: [2],
    expected: ['doubled'],
    within: 30,
    build: broken(() => ({
      createCommitter: (context, claim) =>
        standardParts.createCommitter(
          {
            ...context,
            client: rewriting(
              context.client,
              recordFirst(() => []),
            ),
          },
          claim,
        ),
    })),
  },
  {
    name: 'guessedOutcome',
    what: 'A transaction that gave no clear answer passes for committed, and the record is not read.',
    hazards: [47],
    expected: ['lost'],
    within: 80,
    build: broken(() => ({
      createCommitter: (context, claim) =>
        standardParts.createCommitter({ ...context, client: believed(context.client) }, claim),
      commitTogether: (context, ...rest) =>
        standardParts.commitTogether({ ...context, client: believed(context.client) }, ...rest),
    })),
  },
  {
    name: 'failOpen',
    what: 'When the table of records does not answer, events run without it.',
    hazards: [21],
    expected: ['doubled'],
    within: 40,
    build: broken(() => {
      const without = new WeakSet<object>();
      return {
        claimAll: async (context, wanted) => {
          const claimed = await standardParts.claimAll(context, wanted);
          const silent = wanted.filter((_, index) => claimed[index]?.kind === 'unavailable');
          const assumed = await standardParts.claimAll({ ...context, store: believing }, silent);
          for (const each of assumed) if (each.kind === 'won') without.add(each.claim);
          return claimed.map((each) => (each.kind === 'unavailable' ? (assumed.shift() ?? each) : each));
        },
        createCommitter: (context, claim) =>
          standardParts.createCommitter(
            without.has(claim)
              ? {
                  ...context,
                  client: rewriting(
                    context.client,
                    recordFirst(() => []),
                  ),
                }
              : context,
            claim,
          ),
      };
    }),
  },
];
