import {
  type Clock,
  type Milliseconds,
  milliseconds,
  minutes,
  type Random,
  type Seconds,
  seconds,
  seededRandom,
  toMilliseconds,
} from '../../lib/base/index.ts';
import {
  type Messaging,
  recordsTable,
  type Subscriber,
  type SubscriberName,
  environment as variables,
} from '../../lib/topology/index.ts';
import { type AwsModel, createAws } from '../aws.ts';
import { type ModelClient, modelClient } from '../client.ts';
import { createVirtualClock, type VirtualClock } from '../clock.ts';
import type { Item } from '../dynamodb/index.ts';
import type { Fault } from '../faults.ts';
import {
  type FunctionConfiguration,
  type InProcessContext,
  type InProcessEnvironment,
  type InProcessHandler,
  inProcessExecutor,
  type SqsRecord,
} from '../lambda/index.ts';
import type { Principal, ServiceId } from '../service.ts';
import type { QueueView } from '../sqs/index.ts';
import { addRole, connectFunction, type Deployed, deployDeclaration } from './deploy.ts';
import { createEnvironments, type Mishap, type MishapEvent, type Standing } from './environments.ts';
import {
  type HarnessLogger,
  type HarnessMetrics,
  keepingLogger,
  type LogLine,
  modelMetrics,
} from './observed.ts';

/**
 * What a handler, a publisher or a test works with: the model's clients, its clock and its chance.
 *
 * @example
 * ```ts
 * const handlers = { payments: (tools: HarnessTools) => consume(shop, 'payments', charge, tools) };
 * ```
 */
export interface HarnessTools {
  readonly sqs: ModelClient<'sqs'>;
  readonly sns: ModelClient<'sns'>;
  readonly dynamodb: ModelClient<'dynamodb'>;
  readonly cloudwatch: ModelClient<'cloudwatch'>;
  readonly clock: Clock;
  readonly random: Random;
  /** The variables that the stack sets: those of the subscriber, and the topics' ARNs for publishers. */
  readonly environment: Readonly<Record<string, string>>;
  /** Keeps its lines: see {@link Harness.logs}. */
  readonly logger: HarnessLogger;
  /** Counts into the model's CloudWatch. */
  readonly metrics: HarnessMetrics;
  /** The process that the tools were made for; that of a publisher or a test is no environment, and goes on. */
  readonly process: HarnessProcess;
}

/**
 * The process of an environment, as the code in it sees it.
 *
 * @example
 * ```ts
 * // A handler that runs out of memory, for example.
 * const fatal = (tools: HarnessTools) => consume(shop, 'payments', () => tools.process.exit(), tools);
 * ```
 */
export interface HarnessProcess {
  /** Which environment it is, counted over all functions from 1; 0 for a publisher or a test. */
  readonly number: number;
  /**
   * Ends it in the middle of its work. JavaScript goes on behind it, but no timer and no answer arrives any more.
   *
   * @throws {Error} when the process is that of the test
   */
  exit(): void;
}

/** A record of the event that Lambda hands to a function for a queue. */
export interface HarnessRecord extends SqsRecord {
  readonly attributes: Readonly<Record<string, string>> & { readonly ApproximateReceiveCount: string };
}

/** The function of a subscriber, as Lambda calls it with a batch of messages; `environment` is where it runs. */
export type HarnessHandler = (
  event: { readonly Records: HarnessRecord[] },
  context: InProcessContext,
  environment: InProcessEnvironment,
) => unknown;

/**
 * Makes the function of a subscriber; called anew for each environment of the function, as Lambda loads a module.
 *
 * @example
 * ```ts
 * const payments: HandlerFactory = (tools) => consume(shop, 'payments', charge, tools);
 * ```
 */
export type HandlerFactory = (tools: HarnessTools) => HarnessHandler;

/**
 * What {@link createHarness} takes besides the declaration.
 *
 * @example
 * ```ts
 * const options: HarnessOptions<typeof shop> = { seed: 7, sqs: { duplicateRate: 0.1 }, attempts: 1 };
 * ```
 */
export interface HarnessOptions<M extends Messaging> {
  /**
   * The functions of the subscribers. The messages of a subscriber without one wait in its queue.
   *
   * @default - none
   */
  readonly handlers?: { readonly [Name in SubscriberName<M>]?: HandlerFactory };
  /**
   * Seed of all chance: the same seed replays the same run.
   *
   * @default 1
   */
  readonly seed?: number;
  /**
   * When the clock starts, milliseconds since the Unix epoch.
   *
   * @default - 2026-01-01T00:00:00Z
   */
  readonly start?: Milliseconds;
  /**
   * Standard queues: how often a message is delivered twice (0 to 1), and how many waiting messages may overtake
   * each other.
   *
   * @default - neither happens
   */
  readonly sqs?: { readonly duplicateRate?: number; readonly reorderWindow?: number };
  /**
   * How late DynamoDB deletes expired items.
   *
   * @default - up to 48 hours, a different and repeatable time for each item
   */
  readonly dynamodb?: { readonly expiryDelay?: Milliseconds };
  /**
   * How far the clock of an environment is ahead of the world's (behind, when negative). Environments are counted
   * over all functions, from 1.
   *
   * @default - all clocks agree
   */
  readonly skew?: (environment: number) => Milliseconds;
  /**
   * What becomes of an environment between two invocations. Lambda freezes it: what a handler has left running goes
   * on when the next invocation comes, or never (Lambda developer guide, "Runtime environment lifecycle").
   *
   * @default 'runs', so that a test sees what was left running
   */
  readonly idle?: 'runs' | 'frozen';
  /**
   * What befalls environments at their calls; more can be added by {@link Harness.befall}.
   *
   * @default - nothing
   */
  readonly mishaps?: readonly Mishap[];
  /**
   * Faults of calls; more can be added to `aws.faults`.
   *
   * @default - none
   */
  readonly faults?: readonly Fault[];
  /**
   * Policies of the roles of functions, as documents of IAM. A declaration has none: a stack's are made by its
   * constructs. The calls of a function that is given one are judged by it, those of its event source too.
   *
   * @default - no call is judged
   */
  readonly rights?: { readonly [Name in SubscriberName<M>]?: object };
  /**
   * How often the clients of handlers try a call that is throttled, fails in the service or loses its answer.
   *
   * @default 3, as the SDK
   */
  readonly attempts?: number;
}

/**
 * A message in a dead-letter queue.
 *
 * @example
 * ```ts
 * const [letter] = await harness.deadLetters('payments');
 * expect(letter?.attributes['sluice-reason']).toBe('permanent');
 * ```
 */
export interface DeadLetter {
  readonly messageId: string;
  readonly body: string;
  /** Message attributes that are text or numbers, for example `sluice-reason`. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly groupId: string | undefined;
}

/**
 * A declared messaging stack that runs in this process, on a clock that only the test moves.
 *
 * @example
 * ```ts
 * const harness = await createHarness(shop, { handlers: { mail: (tools) => consume(shop, 'mail', send, tools) } });
 * await publisher(shop, harness.tools).publish('order.placed', order);
 * await harness.advance(seconds(5));
 * harness.kill('mail');
 * await harness.drain(minutes(10));
 * expect(await harness.deadLetters('mail')).toEqual([]);
 * harness.stop();
 * ```
 */
export interface Harness<M extends Messaging> {
  /** The model itself, for what the harness has no word for. */
  readonly aws: AwsModel;
  readonly clock: VirtualClock;
  /** For publishers and for tests. */
  readonly tools: HarnessTools;
  /** Names of what was deployed. */
  readonly deployed: Deployed;
  /** What handlers and the runtime logged so far. */
  readonly logs: readonly LogLine[];
  /** Moves time forward; everything that falls due on the way happens. */
  advance(length: Seconds): Promise<void>;
  /**
   * Moves time forward, second by second, until no queue of a subscriber with a function holds a message.
   *
   * @param within - how long at most; default 1 hour
   * @returns how long it took
   * @throws {Error} when messages are left, naming them
   */
  drain(within?: Seconds): Promise<Seconds>;
  /** A look at a subscriber's queue. */
  queue(subscriber: SubscriberName<M>): QueueView;
  /**
   * What lies in a subscriber's dead-letter queue; it stays there. Of a FIFO queue up to ten of each message group.
   */
  deadLetters(subscriber: SubscriberName<M>): Promise<readonly DeadLetter[]>;
  /** The records of the stack: which events were done, for which subscriber. Markers of message groups are not among them. */
  records(): readonly Item[];
  /** Kills one environment of a subscriber's function in the middle of its work; false when none is at work. */
  kill(subscriber: SubscriberName<M>): boolean;
  /**
   * Lets one environment of a subscriber's function stand still in the middle of its work: its timers, and the
   * answers to its calls, reach it when it goes on. The world goes on meanwhile, the function's timeout too.
   *
   * @returns false when none is at work
   */
  freeze(subscriber: SubscriberName<M>, length: Seconds): boolean;
  /**
   * Deploys a new version of a subscriber's function: environments that are at work finish their invocation and end,
   * the next invocation starts a new one.
   */
  deploy(subscriber: SubscriberName<M>): Promise<void>;
  /** Plans what befalls environments at their calls; the returned call takes it out again. */
  befall(mishap: Mishap): () => void;
  /** What has befallen environments so far, in order: mishaps, and freezes by the test. */
  readonly mishaps: readonly MishapEvent[];
  /** Ends the model. */
  stop(): void;
}

/**
 * Runs a declared messaging stack in this process for a test: topics, queues, dead-letter queues, subscriptions and
 * the table of records as the stack deploys them, with handlers as functions of the test. Time stands still until
 * the test moves it, so hours of retries take milliseconds, and always go the same way.
 *
 * @example
 * ```ts
 * const shop = defineMessaging({
 *   name: 'shop',
 *   topics: { orders: { fifo: true } },
 *   events: { 'order.placed': event({ topic: 'orders', schema: OrderPlaced, key: (order) => order.orderId }) },
 *   subscribers: { payments: { on: ['order.placed'], fifo: true, handler: 'payments.ts', lag: seconds(60) } },
 * });
 *
 * test('a declined card is tried again, and charged once', async () => {
 *   const charged: string[] = [];
 *   let declines = 1;
 *   const harness = await createHarness(shop, {
 *     handlers: {
 *       payments: (tools) =>
 *         consume(
 *           shop,
 *           'payments',
 *           (event) => {
 *             if (declines-- > 0) throw new Error('declined');
 *             charged.push(event.data.orderId);
 *           },
 *           tools,
 *         ),
 *     },
 *   });
 *   const till = publisher(shop, harness.tools);
 *   await till.publish('order.placed', { orderId: 'o-1', amount: 12 });
 *   await till.publish('order.placed', { orderId: 'o-1', amount: 12 });
 *   await harness.drain(minutes(5));
 *
 *   expect(charged).toEqual(['o-1']);
 *   expect(await harness.deadLetters('payments')).toEqual([]);
 *   harness.stop();
 * });
 * ```
 */
export async function createHarness<M extends Messaging>(
  messaging: M,
  options: HarnessOptions<M> = {},
): Promise<Harness<M>> {
  const clock = createVirtualClock(options.start);
  const random = seededRandom(options.seed ?? 1);
  const factories: Readonly<Record<string, HandlerFactory | undefined>> = options.handlers ?? {};
  const rights: Readonly<Record<string, object | undefined>> = options.rights ?? {};
  const makers = new Map<string, () => InProcessHandler>();
  const find = ({ functionName }: FunctionConfiguration) => makers.get(functionName)?.();
  const logs: LogLine[] = [];
  const logger = keepingLogger(logs);
  const aws = createAws({
    clock,
    random,
    log: (functionName, _requestId, line) => logger.error(line, { functionName }),
    executor: () => inProcessExecutor({ clock, handlers: find }),
    ...(options.sqs === undefined ? {} : { sqs: options.sqs }),
    ...(options.dynamodb === undefined ? {} : { dynamodb: options.dynamodb }),
  });
  const metrics = modelMetrics(aws.cloudwatch.metrics);
  const deployed = await deployDeclaration(aws, messaging);
  const topics = Object.fromEntries(
    Object.entries(deployed.topicArns).map(([name, arn]) => [variables.topicArn(name), arn]),
  );
  const environments = createEnvironments(clock, random, options.skew ?? (() => milliseconds(0)));
  const toolsFor = (
    environment: Readonly<Record<string, string>>,
    own?: {
      readonly signal: AbortSignal;
      readonly standing: Standing;
      readonly principal: Principal | undefined;
    },
  ): HarnessTools => {
    const client = <Id extends ServiceId>(id: Id) =>
      modelClient(aws, id, {
        attempts: options.attempts ?? 3,
        ...(own === undefined ? {} : { signal: own.signal, passage: own.standing.passage(id) }),
        ...(own?.principal === undefined ? {} : { principal: own.principal }),
      });
    return {
      sqs: client('sqs'),
      sns: client('sns'),
      dynamodb: client('dynamodb'),
      cloudwatch: client('cloudwatch'),
      clock: own?.standing.clock ?? clock,
      random,
      environment: { ...topics, ...environment },
      logger,
      metrics,
      process: own === undefined ? testProcess : { number: own.standing.number, exit: own.standing.kill },
    };
  };

  const subscribers = Object.values<Subscriber>(messaging.subscribers);
  const consumed: string[] = [];
  for (const subscriber of subscribers) {
    const factory = factories[subscriber.name];
    if (factory === undefined) continue;
    const places = placesOf(deployed, subscriber.name);
    const document = rights[subscriber.name];
    if (document !== undefined) addRole(aws, places.functionName, document);
    makers.set(places.functionName, () => {
      // The tools are made with the environment, whose end they obey, so at its first invocation.
      let made: { readonly handler: HarnessHandler; readonly standing: Standing } | undefined;
      return async (event, context, environment) => {
        const { number, signal, kill, principal: role } = environment;
        const principal = document === undefined ? undefined : role;
        if (made === undefined) {
          const standing = environments.open({ subscriber: subscriber.name, number, signal, kill });
          made = {
            standing,
            handler: factory(toolsFor(places.environment, { signal, standing, principal })),
          };
        }
        const { handler, standing } = made;
        standing.busy = true;
        standing.idle(false);
        try {
          return await handler(event as { readonly Records: HarnessRecord[] }, context, environment);
        } finally {
          standing.busy = false;
          standing.idle(options.idle === 'frozen');
        }
      };
    });
    await connectFunction(aws, subscriber, places);
    consumed.push(places.queue.arn);
  }
  // Only now: what the harness itself does on the way is not what the faults are meant for.
  for (const fault of options.faults ?? []) aws.faults.add(fault);
  for (const mishap of options.mishaps ?? []) environments.add(mishap);

  const view = (arn: string) => aws.sqs.queue(arn) as QueueView;
  const left = () =>
    consumed
      .map(view)
      .filter(
        ({ arn, visible, inFlight, delayed }) => visible + inFlight + delayed + aws.sns.undelivered(arn) > 0,
      );
  return {
    aws,
    clock,
    tools: toolsFor({}),
    deployed,
    logs,
    advance: (length) => clock.advance(toMilliseconds(length)),
    async drain(within = minutes(60)) {
      await clock.settle();
      for (let passed = 0; passed <= within; passed++) {
        if (left().length === 0) return seconds(passed);
        await clock.advance(toMilliseconds(seconds(1)));
      }
      const rest = left().map((queue) => `${queue.name}: ${queue.visible} wait, ${queue.inFlight} in flight`);
      throw new Error(`After ${within} s there are messages left: ${rest.join('; ')}.`);
    },
    queue: (subscriber) => view(placesOf(deployed, subscriber).queue.arn),
    deadLetters: async (subscriber) => lettersIn(aws, placesOf(deployed, subscriber).deadLetterQueue.arn),
    records: () =>
      aws.dynamodb
        .items(deployed.recordsTable)
        .filter((item) => item[recordsTable.groups.partitionKey] === undefined),
    kill: (subscriber) => aws.lambda.kill(placesOf(deployed, subscriber).functionName),
    freeze: (subscriber, length) => {
      placesOf(deployed, subscriber);
      return environments.freeze(subscriber, length);
    },
    async deploy(subscriber) {
      const FunctionName = placesOf(deployed, subscriber).functionName;
      await aws.call('lambda', 'UpdateFunctionCode', { FunctionName });
    },
    befall: environments.add,
    mishaps: environments.happened,
    stop: aws.stop,
  };
}

const testProcess: HarnessProcess = {
  number: 0,
  exit() {
    throw new Error('Only an environment of a function can exit; this is the process of the test.');
  },
};

/** Names of what belongs to a subscriber. */
export function placesOf(deployed: Deployed, subscriber: string) {
  const places = deployed.subscribers[subscriber];
  if (places === undefined)
    throw new RangeError(
      `No subscriber is named "${subscriber}"; there are ${Object.keys(deployed.subscribers).join(', ')}.`,
    );
  return places;
}

/** What lies in a queue, seen without a receive. */
export const lettersIn = (aws: AwsModel, arn: string): DeadLetter[] =>
  aws.sqs.messages(arn).map(({ messageId, body, attributes, groupId }) => ({
    messageId,
    body,
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([name, { StringValue }]) =>
        StringValue === undefined ? [] : [[name, StringValue]],
      ),
    ),
    groupId,
  }));
