import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PublishCommand } from '@aws-sdk/client-sns';
import { type Milliseconds, milliseconds, minutes, seconds } from 'sluice';
import { type HandlerContext, PermanentError, publisher } from 'sluice/lambda';
import {
  createHarness,
  type HandlerFactory,
  type HarnessHandler,
  type HarnessTools,
  seededRandom,
} from 'sluice/local';
import { sleep } from '../../lib/base/index.ts';
import type { Expected, Finding } from './judge.ts';
import {
  dice,
  drawFaults,
  drawKills,
  drawPublishes,
  drawStack,
  type Entry,
  type Publish,
  type Stack,
} from './plan.ts';

/** How the simulation builds the function of a subscriber: the runtime's `consume`, or one that is broken. */
export type BuildConsumer = (
  stack: Stack,
  subscriber: keyof Stack['subscribers'],
  handler: (event: { readonly data: Entry }, context: HandlerContext) => Promise<void>,
  tools: HarnessTools,
) => HarnessHandler;

/** One simulated run. */
export interface Run {
  readonly findings: readonly Finding[];
  /** Events that were accepted, doubles apart. */
  readonly events: number;
  readonly handlerRuns: number;
  /** Faults of calls that happened. */
  readonly faults: number;
  readonly kills: number;
  /** How long it took, on the virtual clock, until all was at rest. */
  readonly virtualSeconds: number;
  /** Everything that happened, for a comparison of two runs. */
  readonly digest: string;
}

/** How long faults and kills happen. */
const troubled = 120_000;

/** How long the stack may take to come to rest once they have ended. */
const within = minutes(120);

/** Subscribers whose effects are written by `commitWith`; the others' are made outside, with an idempotency key. */
const committing: readonly string[] = ['stock', 'totals', 'counts'];

/** Plays the run of a seed. */
export async function play(seed: number, build: BuildConsumer): Promise<Run> {
  const random = seededRandom(seed * 7_919);
  const stack = drawStack(random);
  const producers = drawPublishes(random);
  const faults = drawFaults(random);
  const kills = drawKills(random, troubled);
  const { pick } = dice(random);
  const story: string[] = [];
  let effectNumber = 0;
  let handlerRuns = 0;

  const handlerFor = (subscriber: string, tools: HarnessTools) => {
    const commits = committing.includes(subscriber);
    return async ({ data }: { readonly data: Entry }, context: HandlerContext) => {
      handlerRuns += 1;
      story.push(`${tools.clock.now()} ${subscriber} ${data.id} ${context.attempt}`);
      const { nature } = data;
      const takesLong = nature === 'slow' || nature === 'deaf';
      const length = milliseconds(takesLong ? data.length : data.length / 20);
      await sleep(tools.clock, length, nature === 'slow' ? context.signal : undefined);
      if (nature === 'slow' && context.signal.aborted) throw new Error('stopped, as told');
      if (nature === 'permanent') throw new PermanentError('never');
      if (nature === 'hopeless') throw new Error('not this time either');
      if (nature === 'flaky' && context.attempt <= 1 + (data.length % 3)) throw new Error('not this time');
      if (commits) {
        const commit = context.commitWith([effectItem(subscriber, data)]);
        if (nature === 'careless') return;
        await commit.catch((error: Error) => {
          throw nature === 'resigned' ? new PermanentError(error.message) : error;
        });
        if (nature === 'flakyAfter') throw new Error('after the commit');
      } else {
        await effectOutside(tools, subscriber, data, () => effectNumber++);
        if (nature === 'flakyAfter' && context.attempt <= 2) throw new Error('after the effect');
      }
    };
  };
  const handlers = Object.fromEntries(
    (Object.keys(stack.subscribers) as (keyof Stack['subscribers'])[]).map((name) => [
      name,
      ((tools) => build(stack, name, handlerFor(name, tools), tools)) satisfies HandlerFactory,
    ]),
  );
  const harness = await createHarness(stack, {
    seed,
    sqs: { duplicateRate: pick([0, 0.05, 0.2]), reorderWindow: pick([0, 3, 10]) },
    handlers,
  });
  const { clock } = harness;
  for (const name of ['effects', 'outside'])
    await harness.tools.dynamodb.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      }),
    );
  const ends = faults.map((fault) => harness.aws.faults.add(fault));

  // Producers publish in order, and again and again what was not taken.
  const events = publisher(stack, harness.tools);
  const expected: { orders: Expected[]; news: Expected[] } = { orders: [], news: [] };
  let poison = 0;
  const produce = async (publishes: readonly Publish[]) => {
    for (const { pause, topic, entry, again } of publishes) {
      await sleep(clock, milliseconds(pause));
      const publish = () => events.publish(topic === 'orders' ? 'placed' : 'arrived', entry);
      await untilTaken(clock, publish);
      expected[topic].push({ id: entry.id, group: entry.group, fate: fateOf(entry) });
      if (again) await untilTaken(clock, publish);
    }
  };
  const spoil = async () => {
    await sleep(clock, milliseconds(20_000));
    const TopicArn = harness.deployed.topicArns.orders;
    const command = new PublishCommand({
      TopicArn,
      Message: 'no event at all',
      MessageGroupId: 'g0',
      MessageDeduplicationId: 'poison',
    });
    await untilTaken(clock, () => harness.tools.sns.send(command));
    poison += 1;
  };
  const producing = Promise.all([...producers.map(produce), spoil()]);
  let produced = false;
  void producing.then(() => {
    produced = true;
  });

  let killed = 0;
  const startedAt = clock.now();
  for (const { at, subscriber } of kills) {
    await clock.advance(milliseconds(Math.max(0, startedAt + at - clock.now())));
    // Where nobody is at work, somebody soon is.
    for (let tries = 0; tries < 60; tries++) {
      if (harness.kill(subscriber)) {
        killed += 1;
        story.push(`${clock.now()} kill ${subscriber}`);
        break;
      }
      await clock.advance(milliseconds(250));
    }
  }
  await clock.advance(milliseconds(Math.max(0, startedAt + troubled - clock.now())));
  for (const end of ends) end();
  while (!produced) await harness.advance(seconds(5));
  // What does not drain is the judge's to say.
  await harness.drain(within).catch((error: Error) => story.push(error.message));
  // Duplicates of standard queues may still be on their way, as may effects of handlers whose invocation is over.
  await harness.advance(seconds(90));
  await harness.drain(within).catch((error: Error) => story.push(error.message));
  const virtualSeconds = Math.round((clock.now() - startedAt) / 1_000);

  const findings: Finding[] = [];
  for (const subscriber of Object.values(stack.subscribers)) {
    const { name } = subscriber;
    const queue = harness.queue(name as keyof Stack['subscribers']);
    const letters = await harness.deadLetters(name as keyof Stack['subscribers']);
    for (const letter of letters)
      story.push(`${name} letter ${idOf(letter.body)} ${JSON.stringify(letter.attributes)}`);
    findings.push({
      subscriber: name,
      ordered: subscriber.fifo,
      expected: subscriber.topic === 'orders' ? expected.orders : expected.news,
      effects: effectsOf(harness.aws.dynamodb.items(committing.includes(name) ? 'effects' : 'outside'), name),
      letters: letters.map(({ body }) => idOf(body)),
      poison: subscriber.topic === 'orders' ? poison : 0,
      left: queue.visible + queue.inFlight + queue.delayed,
    });
  }
  harness.stop();
  const happened = harness.aws.faults.happened;
  return {
    findings,
    events: expected.orders.length + expected.news.length,
    handlerRuns,
    faults: happened.length,
    kills: killed,
    virtualSeconds,
    digest: [...story, ...happened.map(({ at, action }) => `${at} fault ${action}`)].join('\n'),
  };
}

function fateOf({ nature }: Entry): Expected['fate'] {
  if (nature === 'permanent' || nature === 'hopeless') return 'letter';
  return nature === 'resigned' ? 'either' : 'effect';
}

/** Until the service has taken it, however long that takes. */
async function untilTaken(clock: HarnessTools['clock'], publish: () => Promise<unknown>): Promise<void> {
  for (let wait = 200; ; wait = Math.min(5_000, wait * 2)) {
    try {
      await publish();
      return;
    } catch {
      await sleep(clock, milliseconds(wait) as Milliseconds);
    }
  }
}

/** Appends to what the group has: the list shows what happened twice, and in which order. */
const effectItem = (subscriber: string, { id, group }: Entry) => ({
  Update: {
    TableName: 'effects',
    Key: { pk: { S: `${subscriber}/${group}` } },
    UpdateExpression: 'SET done = list_append(if_not_exists(done, :none), :id)',
    ExpressionAttributeValues: { ':none': { L: [] }, ':id': { L: [{ S: id }] } },
  },
});

/** A system outside that takes an idempotency key: it answers the second call as the first, and does nothing. */
async function effectOutside(tools: HarnessTools, subscriber: string, { id }: Entry, next: () => number) {
  const Item = { pk: { S: `${subscriber}/${id}` }, id: { S: id }, number: { N: String(next()) } };
  const command = new PutItemCommand({
    TableName: 'outside',
    Item,
    ConditionExpression: 'attribute_not_exists(pk)',
  });
  await tools.dynamodb.send(command).catch((error: Error) => {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
  });
}

type Items = ReturnType<Awaited<ReturnType<typeof createHarness<Stack>>>['aws']['dynamodb']['items']>;

function effectsOf(items: Items, subscriber: string): string[] {
  const own = items.filter((item) =>
    (item.pk as { S?: string } | undefined)?.S?.startsWith(`${subscriber}/`),
  );
  const value = (item: Items[number], name: string) =>
    item[name] as { S?: string; N?: string; L?: { S?: string }[] };
  if (own.some((item) => item.done !== undefined))
    return own.flatMap((item) => (value(item, 'done').L ?? []).map(({ S = '' }) => S));
  return own
    .sort((one, other) => Number(value(one, 'number').N) - Number(value(other, 'number').N))
    .map((item) => value(item, 'id').S ?? '');
}

function idOf(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { data: Entry }).data.id;
  } catch {
    return undefined;
  }
}
