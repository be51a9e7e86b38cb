import { fileURLToPath } from 'node:url';
import { consume, PermanentError, publisher } from 'sluice/lambda';
import {
  createVirtualClock,
  inProcessExecutor,
  type LocalStack,
  modelClient,
  startLocal,
  type VirtualClock,
} from 'sluice/local';
import { orders } from '../../examples/orders/topology.ts';
import { type Clock, milliseconds, seededRandom } from '../../lib/base/index.ts';
import { modelMetrics } from '../../local/harness/observed.ts';
import type { InProcessHandler } from '../../local/lambda/index.ts';
import { synthesize } from '../../local/stack/synthesize.ts';

const minute = 60_000;

/** The order pipeline as it is deployed, after some hours with a burst, an outage and a few broken orders. */
export interface Scene {
  readonly local: LocalStack;
  readonly clock: VirtualClock;
  stop(): Promise<void>;
}

/** How the hours of a scene go. */
export interface Script {
  /** How long it lasts, in minutes. */
  readonly minutes: number;
  /** Orders in a minute, by the minute. */
  readonly arrivals: (minute: number) => number;
  /** From which minute to which the fraud service is down. */
  readonly outage: readonly [number, number];
  /** From which minute to which the payment provider is slow. */
  readonly slow: readonly [number, number];
}

/** Three hours: the fraud service is down for a while, and in the end a burst comes that payments cannot follow. */
export const threeHours: Script = {
  minutes: 174,
  arrivals: (at) => Math.round(40 + 12 * Math.sin(at / 17) + (at >= 156 && at < 164 ? 580 : 0)),
  outage: [60, 74],
  slow: [156, 180],
};

/** What a handler needs of its surroundings. */
interface Surroundings {
  readonly clock: Clock;
  /** Minutes since the scene began. */
  readonly now: () => number;
  readonly script: Script;
}

/** Handlers that take their time, and fail when the scene says so. */
function handlerOf(name: string, { clock, now, script }: Surroundings, options: object) {
  const chance = seededRandom(name.length);
  const work = (ms: number) =>
    new Promise<void>((resolve) => clock.after(milliseconds(ms * (0.6 + 0.8 * chance.next())), resolve));
  const within = ([from, to]: readonly [number, number]) => now() >= from && now() < to;
  switch (name) {
    case 'inventory':
      return consume(
        orders,
        'inventory',
        async () => {
          await work(30);
          return [];
        },
        options,
      );
    case 'analytics':
      return consume(
        orders,
        'analytics',
        async () => {
          await work(10);
          return [];
        },
        options,
      );
    case 'payments':
      return consume(
        orders,
        'payments',
        async ({ data }) => {
          await work(within(script.slow) ? 3_600 : 180);
          if (data.orderId % 700 === 0) throw new PermanentError('the account is closed');
        },
        options,
      );
    case 'fraud':
      return consume(
        orders,
        'fraud',
        async () => {
          await work(40);
          if (within(script.outage)) throw new Error('the fraud service is down');
        },
        options,
      );
    default:
      return consume(orders, 'email', () => work(25), options);
  }
}

/**
 * Deploys the stack of the orders example into a model on a virtual clock, and plays a scene with it.
 *
 * @param script - how the hours go
 */
export async function playScene(script: Script = threeHours): Promise<Scene> {
  const clock = createVirtualClock(milliseconds(Date.UTC(2026, 2, 14)));
  const random = seededRandom(14);
  const directory = fileURLToPath(new URL('../..', import.meta.url));
  const { folder, remove } = await synthesize({ directory, stacks: ['Orders'] });
  let local: LocalStack | undefined;
  let began = clock.now();
  const now = () => (clock.now() - began) / minute;
  const handlers = ({
    functionName,
    variables,
  }: {
    functionName: string;
    variables: Readonly<Record<string, string>>;
  }) => {
    const name = Object.keys(orders.subscribers).find((each) => functionName.toLowerCase().includes(each));
    const aws = local?.aws;
    if (name === undefined) return undefined;
    const handler = (): InProcessHandler =>
      handlerOf(
        name,
        { clock, now, script },
        {
          sqs: modelClient(aws!, 'sqs'),
          dynamodb: modelClient(aws!, 'dynamodb'),
          clock,
          random,
          environment: variables,
          logger: { debug() {}, info() {}, warn() {}, error() {} },
          metrics: modelMetrics(aws!.cloudwatch.metrics as never),
        },
      ) as InProcessHandler;
    let made: InProcessHandler | undefined;
    const invoke: InProcessHandler = (event, context, environment) => {
      made ??= handler();
      return made(event, context, environment);
    };
    return invoke;
  };
  try {
    const starting = startLocal({
      port: 0,
      assembly: folder,
      stacks: ['Orders'],
      clock,
      random,
      executor: () => inProcessExecutor({ clock, handlers }),
    });
    let over = false;
    const end = () => {
      over = true;
    };
    starting.then(end, end);
    // A deployment waits on the clock as well as on files.
    while (!over) {
      await clock.advance(milliseconds(100));
      await new Promise((resolve) => setImmediate(resolve));
    }
    local = await starting;
    began = clock.now();
    const { publish } = publisher(orders, {
      sns: modelClient(local.aws, 'sns'),
      clock,
      random,
      environment: { SLUICE_TOPIC_ARN_ORDERS: local.outputs.TopicArnOrders! },
    });
    let orderId = 0;
    for (let at = 0; at < script.minutes; at++) {
      const count = script.arrivals(at);
      for (let index = 0; index < count; index++) {
        orderId += 1;
        const id = orderId;
        clock.after(milliseconds((index * minute) / count), () => {
          const data = {
            orderId: id,
            customerId: 1 + (id % 97),
            date: '2026-03-14',
            quantity: 1,
            amountCents: 1_000,
          };
          void publish('order.placed', data);
        });
      }
      await clock.advance(milliseconds(minute));
    }
    const played = local;
    return { local: played, clock, stop: () => played.stop() };
  } catch (error) {
    await local?.stop();
    throw error;
  } finally {
    remove();
  }
}
