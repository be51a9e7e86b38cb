import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type ConsumeOptions,
  consume,
  type HandlerContext,
  type Logger,
  type Measures,
  type SqsBatchResponse,
  type SqsRecord,
} from 'sluice/lambda';
import { seededRandom } from '../../../lib/base/index.ts';
import {
  type CloudEvent,
  defineMessaging,
  type Effects,
  event,
  type Milliseconds,
  milliseconds,
  type Random,
  type Subscriber,
  seconds,
} from '../../../lib/topology/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../local/clock.ts';
import { createFakeDynamoDb, type FakeDynamoDb } from './dynamodb.ts';
import { createFakeSqs, type FakeSqs } from './sqs.ts';

export interface Order {
  readonly orderId: string;
  readonly customerId?: string;
  readonly amount?: number;
}

/** A Standard Schema by hand: the runtime brings no library, so neither do its tests. */
export const OrderPlaced: StandardSchemaV1<Order, Order> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      typeof (value as Order | null)?.orderId === 'string'
        ? { value: value as Order }
        : { issues: [{ message: 'a string is expected', path: ['orderId'] }] },
  },
};

export const shop = defineMessaging({
  name: 'shop',
  topics: { orders: { fifo: true }, news: {} },
  events: {
    'order.placed': event({
      topic: 'orders',
      schema: OrderPlaced,
      key: (order) => order.orderId,
      group: (order) => order.customerId ?? 'nobody',
    }),
    'order.cancelled': event({ topic: 'orders', schema: OrderPlaced }),
    'news.sent': event({ topic: 'news', schema: OrderPlaced }),
  },
  subscribers: {
    payments: { on: ['order.placed'], fifo: true, handler: 'payments.ts', lag: seconds(60) },
    email: { on: ['order.placed'], handler: 'email.ts', lag: seconds(60), attempts: 3 },
    windowed: { on: ['order.placed'], handler: 'windowed.ts', lag: seconds(600), batchWindow: seconds(300) },
    stock: { on: ['order.placed'], handler: 'stock.ts', lag: seconds(60), sequenceGuard: true },
  },
});

export const table = 'records';
const variables = {
  SLUICE_RECORDS_TABLE: table,
  SLUICE_QUEUE_URL: 'http://127.0.0.1/1/queue',
  SLUICE_DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1/1/dead',
};

export type TestHandler = (event: CloudEvent<string, Order>, context: HandlerContext) => Promise<void> | void;

export interface World {
  readonly clock: VirtualClock;
  readonly dynamodb: FakeDynamoDb;
  readonly sqs: FakeSqs;
  /** Lines of the log, level first. */
  readonly log: string[];
  /** Measures of each invocation. */
  readonly measures: Measures[];
  /** A function of its own: another environment of the same subscriber. */
  worker(
    handler: TestHandler,
    options?: ConsumeOptions & { readonly subscriber?: 'payments' | 'email' | 'stock' | 'windowed' },
  ): Worker;
}

export interface Worker {
  /** Starts an invocation; time stands still. */
  start(records: readonly SqsRecord[], remaining?: Milliseconds): Promise<SqsBatchResponse>;
  /** Runs an invocation to its end, moving time as far as it needs. Resolves with the ids that it returned. */
  run(records: readonly SqsRecord[], remaining?: Milliseconds): Promise<string[]>;
}

export function createWorld(
  options: {
    readonly seed?: number;
    readonly random?: Random;
    readonly lease?: number;
    /** Of `email`. */
    readonly effects?: Effects;
    /** Changes to what is declared of both subscribers. */
    readonly declared?: Partial<Subscriber>;
  } = {},
): World {
  const { lease, effects } = options;
  const { payments, email } = shop.subscribers;
  const changed = {
    ...email,
    ...(lease === undefined ? {} : { lease: seconds(lease) }),
    ...(effects === undefined ? {} : { effects, attempts: effects === 'atMostOnce' ? 1 : email.attempts }),
    ...options.declared,
  };
  const declared: typeof shop = {
    ...shop,
    subscribers: { ...shop.subscribers, payments: { ...payments, ...options.declared }, email: changed },
  };
  const clock = createVirtualClock();
  const random = options.random ?? seededRandom(options.seed ?? 1);
  const dynamodb = createFakeDynamoDb();
  const sqs = createFakeSqs();
  const log: string[] = [];
  const measures: Measures[] = [];
  const line =
    (level: string) =>
    (message: string, fields?: object): void =>
      void log.push(`${level} ${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  };

  return {
    clock,
    dynamodb,
    sqs,
    log,
    measures,
    worker(handler, { subscriber = 'email', ...more } = {}) {
      const handle = consume(declared, subscriber, handler as never, {
        sqs,
        dynamodb,
        clock,
        random,
        logger,
        metrics: { record: (_, measured) => void measures.push(measured) },
        environment: variables,
        ...more,
      });
      const start: Worker['start'] = (records, remaining = milliseconds(30_000)) => {
        const end = clock.now() + remaining;
        return handle(
          { Records: records },
          { awsRequestId: 'r', functionVersion: '7', getRemainingTimeInMillis: () => end - clock.now() },
        );
      };
      return {
        start,
        async run(records, remaining) {
          const response = await finish(clock, start(records, remaining));
          return response.batchItemFailures.map((failure) => failure.itemIdentifier);
        },
      };
    },
  };
}

/** Moves time from timer to timer until the promise is settled. */
export async function finish<Value>(clock: VirtualClock, promise: Promise<Value>): Promise<Value> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  for (let steps = 0; steps < 10_000; steps++) {
    await clock.settle();
    if (settled) return promise;
    const next = clock.nextTimer();
    if (next === undefined) throw new Error('It waits for something that nobody will do.');
    await clock.advance(milliseconds(next - clock.now()));
  }
  throw new Error('It does not come to an end.');
}

let serial = 0;

/** A message with an order, as the queue of a subscriber delivers it. */
export function message(
  orderId: string,
  options: {
    readonly messageId?: string;
    readonly group?: string;
    readonly receives?: number;
    readonly sentAt?: number;
    readonly data?: unknown;
    readonly body?: string;
    readonly event?: Partial<CloudEvent>;
    readonly attributes?: SqsRecord['messageAttributes'];
  } = {},
): SqsRecord {
  const messageId = options.messageId ?? `m${++serial}-${orderId}`;
  const envelope: CloudEvent = {
    specversion: '1.0',
    id: `order.placed:${orderId}`,
    source: 'sluice/shop',
    type: 'order.placed',
    time: '2026-01-01T00:00:00.000Z',
    datacontenttype: 'application/json',
    data: options.data ?? { orderId },
    ...options.event,
  };
  return {
    messageId,
    receiptHandle: `handle ${messageId}`,
    body: options.body ?? JSON.stringify(envelope),
    attributes: {
      ApproximateReceiveCount: String(options.receives ?? 1),
      ...(options.sentAt === undefined ? {} : { SentTimestamp: String(options.sentAt) }),
      ...(options.group === undefined ? {} : { MessageGroupId: options.group }),
    },
    messageAttributes: options.attributes ?? {},
  };
}

/** The same message, received once more. */
export const again = (record: SqsRecord): SqsRecord => ({
  ...record,
  attributes: {
    ...record.attributes,
    ApproximateReceiveCount: String(Number(record.attributes.ApproximateReceiveCount) + 1),
  },
});

/** Key of an order's record. */
export const keyOf = (orderId: string, subscriber = 'email') =>
  `${subscriber}#sluice/shop#order.placed:${orderId}`;

/** The record of an order, its values as strings. */
export function recordOf(
  world: World,
  orderId: string,
  subscriber = 'email',
): Record<string, string> | undefined {
  const item = world.dynamodb.items(table).get(keyOf(orderId, subscriber));
  if (item === undefined) return undefined;
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value.S ?? value.N ?? '']));
}

/** Another owner has taken the event over, as it may when the lease is over. */
export function takeOver(world: World, orderId = '1', subscriber = 'email') {
  const item = world.dynamodb.items(table).get(keyOf(orderId, subscriber));
  world.dynamodb.put(table, {
    ...item,
    state: { S: 'IN_PROGRESS' },
    owner: { S: 'another' },
    fence: { N: String(Number(item?.fence?.N ?? 0) + 1) },
    leaseEnd: { N: String(world.clock.now() + 30_000) },
  });
}

/** A promise and the means to settle it. */
export function gate<Value = void>() {
  let open!: (value: Value) => void;
  let fail!: (error: Error) => void;
  const opened = new Promise<Value>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}

/** What a message carries that was a dead letter and was sent again. */
export const asLetter: SqsRecord['messageAttributes'] = {
  'sluice-reason': { dataType: 'String', stringValue: 'permanent' },
  'sluice-failed-at': { dataType: 'String', stringValue: '2026-01-01T00:00:00.000Z' },
};
