import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Dice } from './dice.ts';
import type { Sent } from './judge/index.ts';
import type { Entry, Nature, Publish } from './plan.ts';
import { eventOf } from './topology.ts';

const natures: readonly Nature[] = [
  ...Array<Nature>(13).fill('plain'),
  'flaky',
  'flaky',
  'flakyAfter',
  'slow',
  'deaf',
  'careless',
  'resigned',
  'permanent',
  'hopeless',
  'killer',
  'killerOnce',
  'killerOnce',
];

/** What may become of an event of each nature, where every try that the declaration allows is made. */
const fates: Readonly<Record<Nature, NonNullable<Publish['fate']>>> = {
  plain: { fate: 'effect' },
  flaky: { fate: 'effect' },
  flakyAfter: { fate: 'effect' },
  slow: { fate: 'effect' },
  deaf: { fate: 'effect' },
  careless: { fate: 'effect' },
  killerOnce: { fate: 'effect' },
  resigned: { fate: 'either' },
  // A crash of its worker is an attempt too: with bad luck, every one of them is.
  permanent: { fate: 'letter', reasons: ['permanent', 'attempts', 'crash', 'unknown-outcome'] },
  hopeless: { fate: 'letter', reasons: ['attempts', 'crash', 'unknown-outcome'] },
  killer: { fate: 'letter', reasons: ['crash', 'unknown-outcome'] },
};

/** Bodies that are no event, and why each is refused. */
const poison: readonly { readonly body: (id: string, type: string) => string; readonly reason: string }[] = [
  { body: (id) => `no event at all: ${id}`, reason: 'undecodable' },
  { body: (id) => JSON.stringify({ order: id }), reason: 'undecodable' },
  { body: (id) => JSON.stringify([id]), reason: 'undecodable' },
  { body: (id, type) => envelope(id, type, { nature: 7, length: 'long' }), reason: 'schema' },
];

/** How many events a history has, and over how many lines they come. */
const sizes = { lines: [2, 5], events: [18, 32] } as const;

/**
 * What is published over a span of milliseconds: a line for each message group, events one after another in it. Every
 * event has its own draws, so that leaving one out changes no other.
 *
 * @param scale - how many times as much as in a short history
 */
export function drawPublishes(dice: Dice, messaging: Messaging, span: number, scale: number): Publish[] {
  const { between, chance, pick } = dice;
  const publishes: Publish[] = [];
  const topics = Object.values(messaging.topics);
  const lines = Array.from({ length: between(...sizes.lines) }, (_, number) => ({
    topic: pick(topics),
    group: `g${number + 1}`,
  }));
  const listeners = (topic: string): Subscriber[] =>
    Object.values<Subscriber>(messaging.subscribers).filter((each) => each.topic === topic);
  const count = between(...sizes.events) * scale;
  const moments = Array.from({ length: count }, () => between(0, span)).sort((one, other) => one - other);
  const sequences = new Map<string, number>();

  for (const [index, at] of moments.entries()) {
    const { topic, group } = pick(lines);
    const line = `${topic.name} ${group}`;
    const id = `${group}-${index + 1}`;
    const base = { at, line, topic: topic.name, id, group, time: at };
    const type = eventOf(topic.name);
    if (chance(0.05)) {
      publishes.push({ ...base, ...drawPoison(dice, id, type) });
      continue;
    }
    const nature = pick(natures);
    const data: Entry = { nature, length: between(0, 14_000), version: 1 };
    const expired = chance(0.04);
    const last = sequences.get(line) ?? 0;
    // Now and then one that is older than what its group has seen.
    const position = chance(0.15) && last > 1 ? between(1, last - 1) : last + 1;
    sequences.set(line, Math.max(last, position));
    const message = {
      type,
      data,
      sequence: String(position),
      ...(expired ? { expired: true as const } : {}),
    };
    const published: Publish = {
      ...base,
      what: expired ? `expired ${nature}` : nature,
      message,
      fate: expired ? undefined : fates[nature],
    };
    publishes.push(published);
    const later = at + between(100, chance(0.5) ? 20_000 : 60_000);
    if (!expired && chance(0.08))
      // Said once more by its publisher, who does not know that it has said it: another body, the same event.
      publishes.push({
        ...published,
        at: later,
        time: later,
        line: `${line} again`,
        what: `${nature}, again`,
      });
    else if (
      !expired &&
      nature === 'plain' &&
      !topic.fifo &&
      chance(0.12) &&
      listeners(topic.name).every(remembers)
    )
      publishes.push({
        ...base,
        at: later,
        line: `${line} other`,
        what: 'another payload under its id',
        message: { ...message, data: { ...data, version: 2 } },
        fate: { fate: 'letter', reasons: ['conflict'] },
        whenDone: true,
      });
  }
  return publishes;
}

/** A message whose body is no event, or none of this topic. */
export function drawPoison(
  { pick }: Dice,
  id: string,
  type: string,
): Pick<Publish, 'what' | 'message' | 'fate'> {
  const { body, reason } = pick(poison);
  return {
    what: `poison (${reason})`,
    message: { body: body(id, type) },
    fate: { fate: 'letter', reasons: [reason] },
  };
}

/** Whether a subscriber keeps a record that tells one payload from another. */
const remembers = ({ effects }: Subscriber): boolean =>
  effects === 'exactlyOnceEffect' || effects === 'transactional';

const envelope = (id: string, type: string, data: unknown): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source: 'sluice/sim',
    type,
    time: '2026-01-01T00:00:00.000Z',
    datacontenttype: 'application/json',
    data,
  });

/** The fates that an event can have, for tests. */
export type Fate = Sent['fate'];
