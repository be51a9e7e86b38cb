import { createHash } from 'node:crypto';
import { consumer } from '../../lambda/runtime/index.ts';
import { milliseconds, minutes, seconds, seededRandom } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import { createHarness, type HandlerFactory, type Harness } from '../../local/index.ts';
import { collect, comeToRest } from './collect.ts';
import { createDice } from './dice.ts';
import { drawPublishes } from './events.ts';
import { judge } from './judge/index.ts';
import type { Plan, Trouble } from './plan.ts';
import { publishAll, type Taken } from './publish.ts';
import { createStory } from './story.ts';
import { drawTopology } from './topology.ts';
import { drawTroubles } from './troubles.ts';
import type { BuildConsumer, Played, PlayOptions } from './types.ts';
import { conditionsOf, unleash } from './unleash.ts';
import { createWorld } from './world.ts';

/** How long events arrive and things go wrong, where nobody says how many hours. */
const shortSpan = milliseconds(120_000);

/** How long a stack may take to come to rest once nothing goes wrong any more. */
const mostRest = minutes(90);

/** The runtime as users have it. */
const standard: BuildConsumer = ({ messaging, subscriber, handler, tools }) =>
  consumer(
    messaging,
    subscriber,
    handler as Parameters<typeof consumer>[2],
    tools,
  ) as ReturnType<BuildConsumer>;

/** Draws the history of a seed. */
export function drawPlan(seed: number, options: PlayOptions): Plan {
  // Seeds that follow each other must not begin alike.
  const draw = (part: number) => createDice(seededRandom(Math.imul(seed, 7_919) + part));
  const span = options.hours === undefined ? shortSpan : milliseconds(options.hours * 3_600_000);
  const topology = drawTopology(draw(1));
  const wanted = options.faults;
  return {
    seed,
    ...topology,
    messaging: declared(topology.messaging, options.declare),
    span,
    publishes: drawPublishes(draw(2), topology, span),
    troubles: drawTroubles(draw(3), topology, span)
      .filter(({ name }) => wanted?.includes(name) ?? true)
      .map((trouble) => redirected(trouble, options.calls ?? {})),
  };
}

function declared(messaging: Messaging, declare: PlayOptions['declare']): Messaging {
  if (declare === undefined) return messaging;
  const drawn = Object.entries<Subscriber>(messaging.subscribers);
  return {
    ...messaging,
    subscribers: Object.fromEntries(drawn.map(([name, each]) => [name, declare(each)])),
  };
}

function redirected(trouble: Trouble, calls: NonNullable<PlayOptions['calls']>): Trouble {
  const turned = <Met extends { readonly action: string }>(met: Met): Met => ({
    ...met,
    action: calls[met.action] ?? met.action,
  });
  switch (trouble.kind) {
    case 'calls':
      return { ...trouble, fault: turned(trouble.fault) };
    case 'mishap':
      return { ...trouble, mishap: turned(trouble.mishap) };
    case 'outage':
      return { ...trouble, faults: trouble.faults.map(turned) };
    default:
      return trouble;
  }
}

/**
 * Plays the history of a seed on the virtual clock, and has it judged.
 *
 * @example
 * ```ts
 * const { violations, story } = await play(17, {});
 * if (violations.length > 0) console.log(story.join('\n'));
 * ```
 */
export const play = (seed: number, options: PlayOptions): Promise<Played> =>
  playPlan(drawPlan(seed, options), options);

/** Plays a history as it was drawn, or a shorter one made of it. */
export async function playPlan(
  plan: Plan,
  { build = standard, rest = mostRest }: PlayOptions,
): Promise<Played> {
  const { messaging, span } = plan;
  const conditions = conditionsOf(plan.troubles);
  const story = createStory();
  const world = createWorld(plan.ways, (text) => story.tell(harness.clock.now(), text));
  const subscribers = Object.values<Subscriber>(messaging.subscribers);
  const handlers = Object.fromEntries(
    subscribers.map((subscriber) => [
      subscriber.name,
      ((tools) =>
        build({
          messaging,
          subscriber: subscriber.name,
          handler: world.handlerFor(subscriber, tools),
          tools,
        })) satisfies HandlerFactory,
    ]),
  );
  const harness: Harness<Messaging> = await createHarness(messaging, {
    seed: plan.seed,
    handlers,
    ...conditions,
  });
  const { clock } = harness;
  await world.open(harness.tools);
  const start = clock.now();
  story.begin(start, messaging, plan.troubles);
  const end = unleash(harness, plan.troubles, start, span, story.blow);

  const taken: Taken[] = [];
  let published = false;
  void publishAll(harness, world, plan, start, (each) => {
    taken.push(each);
    const { publish } = each;
    story.tell(
      clock.now(),
      `${publish.topic} takes ${publish.id} (${publish.what}) of group ${publish.group}`,
    );
  }).then(() => {
    published = true;
  });
  await clock.advance(span);
  end();
  story.tell(clock.now(), 'from here on nothing goes wrong any more');
  while (!published) await harness.advance(seconds(5));
  // Duplicates of standard queues may still be on their way, as may effects of handlers whose invocation is over.
  for (let quiet = 0; quiet < 2; quiet++) {
    await comeToRest(harness, subscribers, rest);
    await harness.advance(seconds(quiet === 0 ? 90 : 0));
  }
  const virtual = clock.now() - start;

  const evidence = await collect(harness, world, subscribers, plan, taken);
  const violations = judge(evidence);
  harness.stop();
  const lines = story.end(harness, evidence);
  return {
    seed: plan.seed,
    evidence,
    violations,
    counts: {
      messages: taken.length,
      deliveries: evidence.subscribers.reduce((sum, each) => sum + each.sent.length, 0),
      handlerRuns: world.handlerRuns,
      faults: story.accidents(harness),
    },
    virtualHours: virtual / 3_600_000,
    digest: createHash('sha256').update(lines.join('\n')).digest('hex'),
    story: lines,
  };
}
