import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import fc from 'fast-check';
import { DeclarationError, defineMessaging, event, type Messaging } from 'sluice';
import { MessagingStack } from 'sluice/cdk';
import { createAws, createVirtualClock, seededRandom } from 'sluice/local';
import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import { isRuleId } from '../../lib/rules/index.ts';
import { loadAssembly } from '../../local/cloudformation/index.ts';
import { handlers, shop } from '../constructs/fixtures/shop.ts';
import type { Specimen } from '../wrong-stacks/support/specimen.ts';
import { brokenIn } from './invariants.ts';

const outdir = mkdtempSync(join(tmpdir(), 'sluice-declarations-'));
afterAll(() => rmSync(outdir, { recursive: true }));

const schema = v.object({});
/** What is mostly left out, mostly right when it is said, and at its ends more often than by chance. */
const maybe = (least: number, most: number) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.constantFrom(least, most) },
    { weight: 4, arbitrary: fc.integer({ min: least, max: most }) },
    { weight: 1, arbitrary: fc.constantFrom(least - 1, most + 1, Number.NaN) },
  );

const subscriber = (names: readonly string[]) =>
  fc
    .record({
      on: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }),
      handler: fc.constant('payments.ts'),
      lag: fc.integer({ min: 1, max: 600 }),
      fifo: fc.oneof(fc.constant(undefined), fc.boolean()),
      effects: fc.constantFrom(undefined, 'exactlyOnceEffect', 'transactional', 'atLeastOnce', 'atMostOnce'),
      onDeadLetter: fc.constantFrom(undefined, undefined, 'halt', 'skip'),
      timeout: maybe(1, 900),
      concurrency: maybe(2, 1000),
      attempts: maybe(1, 100),
      batchSize: maybe(1, 10),
      batchWindow: maybe(0, 300),
      visibilityTimeout: maybe(1200, 43_200),
      retention: maybe(345_600, 1_209_600),
      deadLetterRetention: maybe(1_209_599, 1_209_600),
      maxReceiveCount: maybe(500, 1000),
      filter: fc.oneof(fc.constant(undefined), fc.boolean()),
      queueName: fc.constantFrom(undefined, undefined, undefined, 'orders', 'orders.fifo'),
    })
    .map((said) => Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)));

/** Any declaration of a few topics, events and subscribers: about a third of them is sound. */
const declaration = fc
  .record({
    first: fc.boolean(),
    second: fc.boolean(),
    of: fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }),
  })
  .chain(({ first, second, of }) => {
    const events = Object.fromEntries(
      of.map((isFirst, index) => [`event${index}`, event({ topic: isFirst ? 'first' : 'second', schema })]),
    );
    return fc.array(subscriber(Object.keys(events)), { maxLength: 3 }).map((subscribers) => ({
      name: 'any',
      topics: { first: { fifo: first }, second: { fifo: second } },
      events,
      subscribers: Object.fromEntries(subscribers.map((said, index) => [`subscriber${index}`, said])),
    }));
  });

/** The declaration, or the rules that it breaks. */
function declare(said: unknown): { readonly messaging?: Messaging; readonly rules: readonly string[] } {
  try {
    return { messaging: defineMessaging(said as Parameters<typeof defineMessaging>[0]), rules: [] };
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    return { rules: error.faults.map(({ rule }) => rule) };
  }
}

describe('A declaration fails by a rule, or becomes a stack in which all holds', () => {
  it('whatever it says', async () => {
    let [refused, deployed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(declaration, async (said) => {
        const { messaging, rules } = declare(said);
        if (messaging === undefined) {
          refused++;
          expect(rules.filter((rule) => !isRuleId(rule))).toEqual([]);
          expect(rules).not.toEqual([]);
          return;
        }
        // Most of those that are sound are alike: some of them are enough.
        if (deployed++ >= 12) return;
        const app = new App({
          outdir,
          analyticsReporting: false,
          context: { 'aws:cdk:bundling-stacks': [] },
        });
        new MessagingStack(app, 'Any', { messaging, handlers });
        const { template } = app.synth().getStackByName('Any');
        expect(brokenIn(template)).toEqual([]);
        const aws = createAws({ clock: createVirtualClock(), random: seededRandom(1), executor: () => idle });
        await aws.cloudformation.deploy(loadAssembly(outdir), 'Any');
        expect(aws.sqs.queues()).toHaveLength(3 * Object.keys(messaging.subscribers).length);
        aws.stop();
      }),
      { numRuns: 80 },
    );
    expect(refused).toBeGreaterThan(5);
    expect(deployed).toBeGreaterThan(5);
  });
});

describe('The invariants by which stacks are judged here', () => {
  const broken = (change: (stack: MessagingStack<typeof shop>) => void) => {
    const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
    const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers });
    change(stack);
    return brokenIn(app.synth({ skipValidation: true }).getStackByName('Shop').template);
  };

  it('hold in a stack that nobody changed', () => {
    expect(broken(() => undefined)).toEqual([]);
  });

  it.each([
    'batch-size',
    'batch-window',
    'dead-letter-retention',
    'delivery-policy',
    'event-source-filter',
    'filter-scope',
    'max-receive-count',
    'maximum-concurrency',
    'partial-batch-response',
    'physical-name',
    'queue-retention',
    'subscription-dead-letter-missing',
    'subscription-dead-letter-policy',
    'visibility-below-timeout',
    'visibility-timeout',
  ])('see what breaks the rule %s', async (id) => {
    const { specimen } = (await import(`../wrong-stacks/${id}.ts`)) as { specimen: Specimen };
    expect(broken(specimen.hatched!)).not.toEqual([]);
  });
});

/** Takes every function, and is never asked to run one. */
const idle = {
  prepare: async () => undefined,
  start: () => {
    throw new Error('Nothing is published, so nothing runs.');
  },
};
