import { defineMessaging, event, type Milliseconds, minutes, type Random, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { watch } from './support/alarms.ts';

const shop = defineMessaging({
  name: 'shop',
  topics: { orders: {} },
  events: { placed: event({ topic: 'orders', schema: z.object({ id: z.number() }), key: ({ id }) => id }) },
  subscribers: {
    fraud: {
      on: ['placed'],
      handler: 'fraud.ts',
      lag: minutes(1),
      timeout: seconds(10),
      attempts: 80,
      backoff: { base: seconds(2), cap: seconds(60) },
    },
  },
});
const messages = 200;
const outage = minutes(20);

/** A service that is down for twenty minutes, with hundreds of events waiting for it. */
async function play(random?: Random) {
  const calls: Milliseconds[] = [];
  const done: number[] = [];
  let up = false;
  const harness = await createHarness(shop, {
    handlers: {
      fraud: (tools) =>
        consume(
          shop,
          'fraud',
          ({ data }) => {
            calls.push(tools.clock.now());
            if (!up) throw new Error('the service is down');
            done.push(data.id);
          },
          random === undefined ? tools : { ...tools, random },
        ),
    },
  });
  const fired = await watch(harness, shop);
  const events = publisher(shop, harness.tools);
  const started = harness.clock.now();
  await events.publishBatch(
    Array.from({ length: messages }, (_, id) => ({ type: 'placed' as const, data: { id } })),
  );
  await harness.advance(outage);
  const firedMeanwhile = [...fired];
  up = true;
  const drained = await harness.drain(minutes(30));
  const letters = await harness.deadLetters('fraud');
  harness.stop();
  /** Calls in each second of the outage's later part, when every event waits at the cap. */
  const later = new Map<number, number>();
  for (const at of calls) {
    const second = Math.floor((at - started) / 1000);
    if (second >= 300 && second < outage) later.set(second, (later.get(second) ?? 0) + 1);
  }
  const total = [...later.values()].reduce((sum, count) => sum + count, 0);
  return {
    done,
    letters,
    drained,
    fired: firedMeanwhile,
    perSecond: total / (outage - 300),
    peak: Math.max(...later.values()),
  };
}

describe('20: an outage behind a handler does not become a storm of retries', () => {
  test('the tries of all waiting events are spread, every event is done afterwards, and the alarm of redelivery fires', async () => {
    const { done, letters, drained, fired, perSecond, peak } = await play();
    expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: messages }, (_, id) => id));
    expect(letters).toEqual([]);
    expect(drained).toBeLessThanOrEqual(90);
    // An event waits half a minute between two tries on average: 200 of them ask some seven times a second.
    expect(perSecond).toBeLessThan(10);
    expect(peak).toBeLessThan(4 * perSecond);
    expect(fired).toContain('fraud-J-redelivery');
  });

  test('without the jitter they would come in waves: what is measured tells the difference', async () => {
    const { peak, perSecond } = await play({ next: () => 0.999_999 });
    expect(peak).toBeGreaterThan(8 * perSecond);
  });
});
