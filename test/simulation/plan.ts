import { defineMessaging, event, milliseconds, type Random, seconds } from 'sluice';
import type { Fault, FaultEffect } from 'sluice/local';
import { z } from 'zod';

/** What an event does to its handlers. */
export type Nature =
  | 'plain'
  /** Fails a few times before it goes well; `flakyAfter`: after its effect outside. */
  | 'flaky'
  | 'flakyAfter'
  /** Takes long, some of it beyond the lease, and heeds its signal. */
  | 'slow'
  /** The same, and does not heed it. */
  | 'deaf'
  /** Commits, does not wait for it, and throws afterwards. */
  | 'careless'
  /** Gives up for good when its commit fails, whatever that says about the commit. */
  | 'resigned'
  /** Can never be done: thrown as a permanent error, or at each attempt. */
  | 'permanent'
  | 'hopeless';

const entry = z.object({
  id: z.string(),
  group: z.string(),
  nature: z.string() as unknown as z.ZodType<Nature, Nature>,
  length: z.number(),
});
export type Entry = z.infer<typeof entry>;

/** A draw from chance. */
export function dice(random: Random) {
  const between = (low: number, high: number) => low + Math.floor(random.next() * (high - low + 1));
  const pick = <Value>(values: readonly Value[]): Value => values[between(0, values.length - 1)] as Value;
  return { between, pick, chance: (share: number) => random.next() < share };
}

/** The stack of one seed: the same subscribers, with batches, leases and time-outs drawn. */
export function drawStack(random: Random) {
  const { between, pick } = dice(random);
  const timeout = between(32, 60);
  const common = {
    lag: seconds(3_600),
    timeout: seconds(timeout),
    attempts: 12,
    backoff: { base: seconds(1), cap: seconds(between(2, 20)) },
    lease: seconds(between(6, 15)),
    concurrency: between(2, 4),
  };
  const visibilityTimeout = seconds(timeout + between(5, 30));
  const fifo = { ...common, fifo: true, visibilityTimeout, batchSize: between(1, 10) } as const;
  const large = pick([1, 5, 10, 40]);
  const standard = {
    ...common,
    visibilityTimeout,
    batchSize: large,
    batchWindow: seconds(large > 10 ? 2 : pick([0, 0, 3])),
  } as const;
  return defineMessaging({
    name: 'sim',
    topics: { orders: { fifo: true }, news: {} },
    events: {
      placed: event({ topic: 'orders', schema: entry, key: ({ id }) => id, group: ({ group }) => group }),
      arrived: event({ topic: 'news', schema: entry, key: ({ id }) => id }),
    },
    subscribers: {
      stock: { ...fifo, on: ['placed'], handler: 'stock.ts' },
      charges: { ...fifo, on: ['placed'], handler: 'charges.ts' },
      totals: { ...standard, on: ['placed'], handler: 'totals.ts' },
      counts: { ...standard, on: ['arrived'], handler: 'counts.ts' },
      mails: { ...standard, on: ['arrived'], handler: 'mails.ts' },
    },
  });
}
export type Stack = ReturnType<typeof drawStack>;

const natures: readonly Nature[] = [
  ...Array<Nature>(9).fill('plain'),
  'flaky',
  'flaky',
  'flakyAfter',
  'slow',
  'deaf',
  'careless',
  'resigned',
  'permanent',
  'hopeless',
];

/** One publish of the plan. */
export interface Publish {
  /** Milliseconds to wait before it. */
  readonly pause: number;
  readonly topic: 'orders' | 'news';
  readonly entry: Entry;
  /** Published once more later on. */
  readonly again: boolean;
}

/** What each producer publishes, one after the other; a producer of orders has one group. */
export function drawPublishes(random: Random): readonly (readonly Publish[])[] {
  const { between, pick, chance } = dice(random);
  let count = 0;
  const producer = (topic: Publish['topic'], group: string, size: number): Publish[] =>
    Array.from({ length: size }, () => ({
      pause: between(0, 12_000),
      topic,
      entry: { id: `${topic[0]}${++count}`, group, nature: pick(natures), length: between(0, 14_000) },
      again: chance(0.08),
    }));
  return [
    ...Array.from({ length: between(2, 4) }, (_, group) => producer('orders', `g${group}`, between(3, 7))),
    ...Array.from({ length: 2 }, (_, group) => producer('news', `n${group}`, between(4, 12))),
  ];
}

const actions = [
  ['dynamodb', 'BatchExecuteStatement'],
  ['dynamodb', 'BatchExecuteStatement'],
  ['dynamodb', 'TransactWriteItems'],
  ['dynamodb', 'TransactWriteItems'],
  ['dynamodb', 'BatchGetItem'],
  ['sqs', 'DeleteMessageBatch'],
  ['sqs', 'DeleteMessageBatch'],
  ['sqs', 'ChangeMessageVisibilityBatch'],
  ['sqs', 'ReceiveMessage'],
  ['sqs', 'SendMessage'],
  ['sns', 'Publish'],
  ['sns', 'Deliver'],
] as const;

/** Faults of calls, each by a chance of its own; some seeds have few, some many. */
export function drawFaults(random: Random): readonly Fault[] {
  const { between, pick, chance } = dice(random);
  return Array.from({ length: between(2, 9) }, (): Fault => {
    const [service, action] = pick(actions);
    const server: FaultEffect = { error: { name: 'InternalServerError', statusCode: 500 } };
    const effects: FaultEffect[] = [server, { lostReply: true }, { lostReply: true }];
    if (action !== 'Deliver')
      effects.push(
        { error: { name: 'ThrottlingException', statusCode: 400 } },
        { delay: milliseconds(between(50, 2_000)) },
        { delay: milliseconds(between(2_000, 25_000)) },
      );
    // What SNS meets and cannot try again is lost to the queue by AWS's own rule: never planned for deliveries.
    return { service, action, at: { chance: chance(0.2) ? 0.4 : 0.12 }, effect: pick(effects) };
  });
}

/** Kills: when, in milliseconds from the start, and whom. */
export function drawKills(random: Random, length: number) {
  const { between, pick } = dice(random);
  const names = ['stock', 'charges', 'totals', 'counts', 'mails'] as const;
  return Array.from({ length: between(0, 6) }, () => ({
    at: between(0, length),
    subscriber: pick(names),
  })).sort((one, other) => one.at - other.at);
}
