import { createHash } from 'node:crypto';
import { consumer } from '../../lambda/runtime/index.ts';
import { milliseconds, seconds, seededRandom } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import { createHarness, type HandlerFactory, type Harness } from '../../local/index.ts';
import { adapted } from './adapt.ts';
import { collect } from './collect.ts';
import { createDice } from './dice.ts';
import { drawPublishes } from './events.ts';
import { judge } from './judge/index.ts';
import { liftParked } from './operator.ts';
import { drawOrdersPlan } from './orders.ts';
import type { Plan } from './plan.ts';
import { publishAll, type Taken } from './publish.ts';
import { comeToRest } from './quiet.ts';
import { longestRest } from './rest.ts';
import { createStory } from './story.ts';
import { drawTopology } from './topology.ts';
import { drawTroubles } from './troubles.ts';
import type { BuildConsumer, Played, PlayOptions } from './types.ts';
import { conditionsOf, unleash } from './unleash.ts';
import { createWorld } from './world.ts';

/** How long events arrive and things go wrong, where nobody says how many hours. */
const shortSpan = milliseconds(120_000);

/** The runtime as users have it. */
const standard: BuildConsumer = ({ messaging, subscriber, handler, tools }) =>
  consumer(
    messaging,
    subscriber,
    handler as Parameters<typeof consumer>[2],
    tools,
  ) as ReturnType<BuildConsumer>;

/** Draws the history of a seed. */
export async function drawPlan(seed: number, options: PlayOptions): Promise<Plan> {
  // Seeds that follow each other must not begin alike.
  const randomOf = (part: number) => seededRandom(Math.imul(seed, 7_919) + Math.imul(part, 104_729));
  const draw = (part: number) => createDice(randomOf(part));
  const span = options.hours === undefined ? shortSpan : milliseconds(options.hours * 3_600_000);
  // Hours in which hardly anything happens would prove hardly anything.
  const scale = 1 + Math.ceil(options.hours ?? 0);
  const may = (name: string) => options.faults?.includes(name) ?? true;
  if (options.example === 'orders') {
    const plan = await drawOrdersPlan(seed, draw, randomOf, span, scale, may);
    return { ...plan, troubles: plan.troubles.filter(({ name }) => may(name)) };
  }
  const { messaging, ways } = drawTopology(draw(1));
  return {
    seed,
    messaging,
    ways,
    span,
    publishes: drawPublishes(draw(2), messaging, span, scale),
    troubles: drawTroubles(draw(3), messaging, span, scale).filter(({ name }) => may(name)),
    lifts: draw(5).chance(0.5),
    world: () => createWorld(ways),
  };
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
export const play = async (seed: number, options: PlayOptions): Promise<Played> =>
  playPlan(await drawPlan(seed, options), options);

/** Plays a history as it was drawn, or a shorter one made of it. */
export async function playPlan(drawn: Plan, options: PlayOptions): Promise<Played> {
  const plan = adapted(drawn, options);
  const { build = standard, rest = longestRest(plan) } = options;
  const { messaging, span } = plan;
  const conditions = conditionsOf(plan.troubles);
  const story = createStory();
  const world = plan.world();
  const subscribers = Object.values<Subscriber>(messaging.subscribers);
  const handlers = Object.fromEntries(
    subscribers.map((subscriber) => [
      subscriber.name,
      ((tools) =>
        build({
          messaging,
          subscriber: subscriber.name,
          handler: world.handlerFor(subscriber, tools, (text) => story.tell(harness.clock.now(), text)),
          tools,
        })) satisfies HandlerFactory,
    ]),
  );
  const harness: Harness<Messaging> = await createHarness(messaging, {
    seed: plan.seed,
    idle: 'frozen',
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
  const tell = (text: string) => story.tell(clock.now(), text);
  const lifted = plan.lifts ? await liftParked(harness, subscribers, longestRest(plan), tell) : new Map();
  const virtual = clock.now() - start;

  const evidence = await collect(harness, world, subscribers, plan, taken, lifted);
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
