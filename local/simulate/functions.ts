import { type Milliseconds, milliseconds, type Random } from '../../lib/base/index.ts';
import type { HandlerFactory, HarnessHandler, HarnessRecord, HarnessTools } from '../harness/index.ts';
import { type Invocation, type Place, runIn } from './place.ts';
import { outOfTime, willGoOn } from './stuck.ts';

/** What the simulation knows of its functions. */
export interface World {
  readonly random: Random;
  readonly places: Set<Place>;
  fail(error: Error): void;
}

/** Just before Lambda's own time-out, milliseconds. */
const lastMoment = 1;

/** A factory whose functions run as those of simulated environments. */
export function simulated(world: World, subscriber: string, factory: HandlerFactory): HandlerFactory {
  return (tools) => {
    let handler: HarnessHandler | undefined;
    let place: Place | undefined;
    return async (event, context, environment) => {
      place ??= openPlace(world, subscriber, tools, environment);
      const { clock, signal, held } = place;
      const here = place;
      const invocation: Invocation = { events: event.Records.map(idOf), startedAt: clock.now() };
      here.invocation = invocation;
      for (const fire of held.splice(0)) fire();
      const rest = milliseconds(context.getRemainingTimeInMillis() - lastMoment);
      const watch = clock.after(rest, () => suspect(here, invocation.events));
      try {
        return await runIn(here, () => {
          handler ??= made(here, factory, tools);
          return handler(event, context, environment);
        });
      } catch (thrown) {
        tools.logger.error('The function failed: its whole batch comes back', {
          subscriber,
          error: textOf(thrown),
        });
        throw thrown;
      } finally {
        watch.cancel();
        if (!signal.aborted) here.invocation = undefined;
      }
    };
  };
}

type Environment = Parameters<HarnessHandler>[2];

function openPlace(world: World, subscriber: string, tools: HarnessTools, environment: Environment): Place {
  const { signal } = environment;
  const place: Place = {
    subscriber,
    clock: tools.clock,
    random: world.random,
    startedAt: tools.clock.now(),
    signal,
    invocation: undefined,
    timers: new Set(),
    held: [],
    calls: new Set(),
    fail: world.fail,
    crash(thrown) {
      tools.logger.error('A timer threw, and nobody catches that: the environment ends, as on Lambda', {
        subscriber,
        error: textOf(thrown),
      });
      environment.kill();
    },
  };
  world.places.add(place);
  signal.addEventListener('abort', () => world.places.delete(place), { once: true });
  return place;
}

const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

/** The function of an environment. What is none cannot be tried again: the simulation hears of it. */
function made(place: Place, factory: HandlerFactory, tools: HarnessTools): HarnessHandler {
  const handler: unknown = factory(toolsOf(place, tools));
  if (typeof handler === 'function') return handler as HarnessHandler;
  const error = new TypeError(
    `The handler of "${place.subscriber}" made ${String(handler)}, which is no function. Hand simulate a function that ` +
      'takes the tools and makes one, for example: (tools) => consume(messaging, subscriber, handle, tools).',
  );
  place.fail(error);
  throw error;
}

/** The tools of an environment: its calls are seen, and what its clock calls back runs as its own code. */
function toolsOf(place: Place, tools: HarnessTools): HarnessTools {
  return {
    ...tools,
    sqs: counted(place, tools.sqs),
    sns: counted(place, tools.sns),
    dynamodb: counted(place, tools.dynamodb),
    cloudwatch: counted(place, tools.cloudwatch),
    clock: {
      now: () => place.clock.now(),
      after: (delay: Milliseconds, task) => place.clock.after(delay, () => runIn(place, task)),
    },
    logger: {
      ...tools.logger,
      warn: (message, fields) => {
        tools.logger.warn(message, fields);
        hear(place, fields);
      },
      error: (message, fields) => {
        tools.logger.error(message, fields);
        hear(place, fields);
      },
    },
  };
}

/** A client of the model, typed as the SDK's by overloads of which a model serves the first. */
function counted<Client extends { send: unknown }>(place: Place, client: Client): Client {
  const { send } = client as { readonly send: (...input: unknown[]) => Promise<unknown> };
  const watched = async (...input: unknown[]) => {
    const call = { at: place.clock.now() };
    place.calls.add(call);
    try {
      return await send(...input);
    } finally {
      place.calls.delete(call);
    }
  };
  return { ...client, send: watched };
}

/** How the runtime logs a handler that did not end when its function's time was over. */
const timedOut = /^HandlerTimeout\b/;

/** The runtime leaves such a handler behind before Lambda ends the function: its log line is what is seen of it. */
function hear(place: Place, fields: Readonly<Record<string, unknown>> = {}) {
  if (!timedOut.test(String(fields.error)) || place.invocation === undefined) return;
  suspect(place, typeof fields.id === 'string' ? [fields.id] : place.invocation.events);
}

/** A handler whose time is over: slow when something would still have moved it, else stuck. */
function suspect(place: Place, events: readonly string[]) {
  const { invocation, signal } = place;
  if (invocation === undefined || signal.aborted || willGoOn(place)) return;
  place.fail(outOfTime(place, events));
}

/** The id of the event that a message carries, or the message's own where there is none. */
function idOf({ body, messageId }: HarnessRecord): string {
  try {
    const { id } = JSON.parse(body) as { readonly id?: unknown };
    return typeof id === 'string' ? id : messageId;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return messageId;
    throw error;
  }
}
