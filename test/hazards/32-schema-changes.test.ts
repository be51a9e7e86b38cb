import type { StandardSchemaV1 } from '@standard-schema/spec';
import fc from 'fast-check';
import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, message, OrderPlaced, shop } from '../runtime/support/world.ts';
import { thenable } from './support/oddities.ts';

/** The schemas of an event through the years; each is deployed at publisher and consumer at its own time. */
const versions = {
  first: z.object({ orderId: z.string(), amount: z.number() }),
  'one more field': z.object({ orderId: z.string(), amount: z.number(), coupon: z.string() }),
  'one more field, optional': z.object({
    orderId: z.string(),
    amount: z.number(),
    coupon: z.string().optional(),
  }),
  'one more field, with a default': z.object({
    orderId: z.string(),
    amount: z.number(),
    coupon: z.string().default('none'),
  }),
  'a wider type': z.object({ orderId: z.string(), amount: z.union([z.number(), z.string()]) }),
  'another type': z.object({
    orderId: z.string(),
    amount: z.object({ cents: z.number(), currency: z.string() }),
  }),
  'a field renamed': z.object({ orderId: z.string(), total: z.number() }),
  'with its version, 1': z.object({ version: z.literal(1), orderId: z.string(), amount: z.number() }),
  'with its version, 2': z.object({ version: z.literal(2), orderId: z.string(), amount: z.number() }),
  'either version': z.object({
    version: z.union([z.literal(1), z.literal(2)]),
    orderId: z.string(),
    amount: z.number(),
  }),
  'nothing unknown': z.strictObject({ orderId: z.string(), amount: z.number() }),
} as const;
type Version = keyof typeof versions;

/** Data that a publisher with the schema sends. */
const dataOf: Readonly<Record<Version, readonly object[]>> = {
  first: [{ orderId: '1', amount: 3 }],
  'one more field': [{ orderId: '1', amount: 3, coupon: 'X' }],
  'one more field, optional': [
    { orderId: '1', amount: 3 },
    { orderId: '1', amount: 3, coupon: 'X' },
  ],
  'one more field, with a default': [
    { orderId: '1', amount: 3 },
    { orderId: '1', amount: 3, coupon: 'X' },
  ],
  'a wider type': [
    { orderId: '1', amount: 3 },
    { orderId: '1', amount: '3.00' },
  ],
  'another type': [{ orderId: '1', amount: { cents: 300, currency: 'EUR' } }],
  'a field renamed': [{ orderId: '1', total: 3 }],
  'with its version, 1': [{ version: 1, orderId: '1', amount: 3 }],
  'with its version, 2': [{ version: 2, orderId: '1', amount: 3 }],
  'either version': [
    { version: 1, orderId: '1', amount: 3 },
    { version: 2, orderId: '1', amount: 3 },
  ],
  'nothing unknown': [{ orderId: '1', amount: 3 }],
};

describe('32: a schema may change: what a consumer understands it handles, the rest goes aside as `schema`', () => {
  it('for every pair of an older and a newer schema, in either direction', async () => {
    for (const understood of Object.values(versions)) {
      const seen = new Map<string, unknown>();
      const harness = await createHarness(stackWith(understood), {
        handlers: {
          email: (tools) =>
            consume(stackWith(understood), 'email', (placed) => void seen.set(placed.id, placed.data), tools),
        },
      });
      const fates = new Map<string, ReturnType<typeof understood.safeParse>>();
      for (const sent of Object.keys(versions) as Version[])
        for (const data of dataOf[sent]) {
          const till = publisher(stackWith(versions[sent]), harness.tools);
          const { id } = await till.publish('placed', data as never);
          fates.set(id, understood.safeParse(data));
        }
      await harness.drain(minutes(5));
      const letters = new Map(
        (await harness.deadLetters('email')).map(({ body, attributes }) => [
          (JSON.parse(body) as { id: string }).id,
          attributes['sluice-reason'],
        ]),
      );
      for (const [id, fate] of fates) {
        expect(seen.get(id)).toEqual(fate.data);
        expect(letters.get(id)).toBe(fate.success ? undefined : 'schema');
      }
      expect(seen.size + letters.size).toBe(fates.size);
      harness.stop();
    }
  });

  it('new fields, of the data and of the envelope, are tolerated, whatever they are', async () => {
    const extra = fc.dictionary(fc.stringMatching(/^x[a-z0-9]{0,18}$/), fc.jsonValue(), {
      maxKeys: 5,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(extra, extra, async (more, extensions) => {
        const world = createWorld();
        const seen: unknown[] = [];
        const worker = world.worker((placed) => void seen.push(placed));
        const data = { orderId: '1', ...more };
        await worker.run([message('1', { data, event: extensions })]);
        expect(seen).toMatchObject([JSON.parse(JSON.stringify({ ...extensions, data }))]);
        expect(world.sqs.letters).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('a schema that throws, rejects, or answers with what is no result is a matter of the schema', async () => {
    const answers: readonly (readonly [validate: () => unknown, fate: 'schema' | 'handled'])[] = [
      [
        () => {
          throw new RangeError('SECRET');
        },
        'schema',
      ],
      [() => Promise.reject(new RangeError('SECRET')), 'schema'],
      [() => undefined, 'schema'],
      [async () => null, 'schema'],
      [() => ({ issues: [{ message: 'no' }] }), 'schema'],
      [async () => ({ issues: [{ message: 'no', path: ['a', { key: Symbol('b') }] }] }), 'schema'],
      [async () => ({ value: { orderId: 'asynchronous' } }), 'handled'],
      [
        () => thenable((resolve: (result: unknown) => void) => resolve({ value: { orderId: 'thenable' } })),
        'handled',
      ],
    ];
    for (const [validate, fate] of answers) {
      const schema = { '~standard': { ...OrderPlaced['~standard'], validate } } as StandardSchemaV1<{
        orderId: string;
      }>;
      const seen: unknown[] = [];
      const stack = stackWith(schema);
      const harness = await createHarness(stack, {
        handlers: {
          email: (tools) => consume(stack, 'email', (placed) => void seen.push(placed.data), tools),
        },
      });
      await publisher(stackWith(OrderPlaced), harness.tools).publish('placed', { orderId: '1' });
      await harness.drain(minutes(5));
      const letters = await harness.deadLetters('email');
      expect(letters.map(({ attributes }) => attributes['sluice-reason'])).toEqual(
        fate === 'schema' ? ['schema'] : [],
      );
      expect(seen).toHaveLength(fate === 'schema' ? 0 : 1);
      if (fate === 'handled') expect(seen).not.toEqual([undefined]);
      expect(JSON.stringify([letters[0]?.attributes, harness.logs])).not.toContain('SECRET');
      harness.stop();
    }
  });

  it('an unknown version of the envelope itself cannot be read', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined);
    await worker.run([message('1', { event: { specversion: '2.0' as '1.0' } })]);
    expect(world.sqs.letters[0]?.MessageAttributes?.['sluice-error']?.StringValue).toContain('specversion');
  });
});

function stackWith<Schema extends StandardSchemaV1>(schema: Schema) {
  return defineMessaging({
    name: shop.name,
    topics: { orders: {} },
    events: { placed: event({ topic: 'orders', schema }) },
    subscribers: { email: { on: ['placed'], handler: 'email.ts', lag: seconds(60) } },
  });
}
