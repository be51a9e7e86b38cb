import { CreateTableCommand, type TransactWriteItem, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { PermanentError } from '../../lambda/runtime/index.ts';
import { milliseconds, sleep } from '../../lib/base/index.ts';
import type { CloudEvent, Subscriber } from '../../lib/topology/index.ts';
import type { AwsModel, HarnessTools } from '../../local/index.ts';
import type { Effect } from './judge/index.ts';
import type { Entry, Way } from './plan.ts';
import type { Tell, World } from './scenario.ts';
import { tables } from './troubles.ts';
import type { SimulatedContext } from './types.ts';

/**
 * The world of a drawn topology: handlers that do what the nature of their event says, and effects that lie in lists, one
 * for each subscriber and group, so that what happened twice and in which order shows.
 */
export function createWorld(ways: Readonly<Record<string, Way>>): World {
  let handlerRuns = 0;
  const struck = new Set<string>();
  const effectOf = (subscriber: string) => ways[subscriber]?.effect ?? 'transaction';

  const handlerFor = (subscriber: Subscriber, tools: HarnessTools, tell: Tell) => {
    const effect = effectOf(subscriber.name);
    const inTransaction = effect === 'transaction';

    return async (event: CloudEvent, context: SimulatedContext): Promise<TransactWriteItem[] | undefined> => {
      handlerRuns += 1;
      const { nature, length } = event.data as Entry;
      tell(
        `${subscriber.name} runs ${event.id} (${nature}), attempt ${context.attempt}, in environment ${tools.process.number}`,
      );
      const takesLong = nature === 'slow' || nature === 'deaf';
      const work = milliseconds(takesLong ? length : length / 20);
      await sleep(tools.clock, work, nature === 'slow' ? context.signal : undefined);
      if (nature === 'slow' && context.signal.aborted) throw new Error('stopped, as told');
      if (nature === 'permanent') throw new PermanentError('never');
      if (nature === 'hopeless') throw new Error('not this time either');
      if (nature === 'flaky' && context.attempt <= 1 + (length % 3)) throw new Error('not this time');
      if (nature === 'killer' || (nature === 'killerOnce' && !struck.has(`${subscriber.name} ${event.id}`))) {
        struck.add(`${subscriber.name} ${event.id}`);
        tell(`${event.id} kills environment ${tools.process.number} of ${subscriber.name}`);
        tools.process.exit();
        await new Promise(() => {});
      }
      const update = effectUpdate(tables.effects, subscriber.name, event, tools.clock.now());
      if (subscriber.effects === 'transactional') return [{ Update: update }];
      if (inTransaction && context.commitWith !== undefined) {
        const commit = context.commitWith([{ Update: update }]);
        if (nature === 'careless') return undefined;
        await commit.catch(nature === 'resigned' ? giveUp : pass);
        if (nature === 'flakyAfter') throw new Error('after the commit');
        return undefined;
      }
      await effectOutside(tools, subscriber, effect, event).catch(
        // Without a key an answer that is missing must not lead to another try: who parks what is unknown says so.
        nature === 'resigned' || (effect === 'unkeyed' && subscriber.onUnknownOutcome === 'park')
          ? giveUp
          : pass,
      );
      if (nature === 'flakyAfter' && effect === 'keyed' && context.attempt <= 2)
        throw new Error('after the effect');
      return undefined;
    };
  };

  return {
    get handlerRuns() {
      return handlerRuns;
    },
    effectOf,
    handlerFor: handlerFor as World['handlerFor'],
    async open({ dynamodb }) {
      for (const TableName of Object.values(tables))
        await dynamodb.send(
          new CreateTableCommand({
            TableName,
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
          }),
        );
    },
    happened: ({ name }, aws) => Object.values(tables).flatMap((table) => effectsIn(aws, table, name)),
  };
}

const giveUp = (error: Error): never => {
  throw new PermanentError(error.message);
};
const pass = (error: Error): never => {
  throw error;
};

/** The group whose order the effects keep: the event's own, or the event itself. */
const groupOf = (event: CloudEvent): string => event.partitionkey ?? event.id;

/** Appends to what the group has. */
const effectUpdate = (TableName: string, subscriber: string, event: CloudEvent, at: number) => ({
  TableName,
  Key: { pk: { S: `${subscriber}/${groupOf(event)}` } },
  UpdateExpression:
    'SET done = list_append(if_not_exists(done, :none), :id), ats = list_append(if_not_exists(ats, :none), :at)',
  ExpressionAttributeValues: {
    ':none': { L: [] },
    ':id': { L: [{ S: event.id }] },
    ':at': { L: [{ N: String(at) }] },
  },
});

/** A system outside: under a key it answers a second call as the first and does nothing; without one it does it again. */
async function effectOutside(
  tools: HarnessTools,
  subscriber: Subscriber,
  effect: Way['effect'],
  event: CloudEvent,
) {
  const keyed = effect !== 'unkeyed';
  const update = effectUpdate(
    keyed ? tables.effects : tables.calls,
    subscriber.name,
    event,
    tools.clock.now(),
  );
  const command = new UpdateItemCommand(
    keyed
      ? {
          ...update,
          ConditionExpression: 'attribute_not_exists(done) OR NOT contains(done, :key)',
          ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':key': { S: event.id } },
        }
      : update,
  );
  await tools.dynamodb.send(command).catch((error: Error) => {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
  });
}

type Item = ReturnType<AwsModel['dynamodb']['items']>[number];

function effectsIn(aws: AwsModel, table: string, subscriber: string): Effect[] {
  const texts = (item: Item, name: string) => (item[name]?.L ?? []).map(({ S, N }) => S ?? N ?? '');
  return aws.dynamodb.items(table).flatMap((item) => {
    const key = item.pk?.S ?? '';
    if (!key.startsWith(`${subscriber}/`)) return [];
    const group = key.slice(subscriber.length + 1);
    const moments = texts(item, 'ats');
    return texts(item, 'done').map((id, index) => ({ id, at: Number(moments[index]), group }));
  });
}
