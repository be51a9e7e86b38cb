import type { CloudEvent, Seconds } from 'sluice';
import { consume } from 'sluice/lambda';
import { type PlainItem, type Simulation, simulate } from 'sluice/local';
import { expectTypeOf, test } from 'vitest';
import { shop } from './shop.ts';

const readers = (tools: Parameters<NonNullable<Parameters<typeof simulate<typeof shop>>[1]['readers']>>[0]) =>
  consume(shop, 'readers', () => {}, tools);

test('names, events and tables are known to the compiler', async () => {
  const result = await simulate(
    shop,
    { readers },
    (simulation) => {
      expectTypeOf(simulation).toEqualTypeOf<Simulation<typeof shop, 'charges' | 'mails'>>();
      expectTypeOf(simulation.kill).parameter(0).toEqualTypeOf<'payments' | 'readers'>();
      expectTypeOf(simulation.effects).parameter(0).toEqualTypeOf<'charges' | 'mails'>();
      expectTypeOf(simulation.effects('mails')).toEqualTypeOf<readonly PlainItem[]>();
      const [letter] = simulation.deadLetters('readers');
      expectTypeOf(letter?.event).toEqualTypeOf<CloudEvent<'arrived', { id: string }> | undefined>();
      expectTypeOf(simulation.lag('payments').worst).toEqualTypeOf<Seconds>();
      return 7;
    },
    { tables: { charges: 'id', mails: 'id' } },
  );
  expectTypeOf(result).toEqualTypeOf<number>();
});

test('unknown names do not compile', () => {
  const mistakes = () => [
    // @ts-expect-error: there is no such subscriber
    simulate(shop, { nobody: readers }, () => {}),
    // @ts-expect-error: a handler is made of tools
    simulate(shop, { readers: consume(shop, 'readers', () => {}) }, () => {}),
    simulate(shop, { readers }, (simulation) => {
      // @ts-expect-error: there is no such subscriber
      simulation.kill('nobody');
      // @ts-expect-error: there is no such subscriber
      simulation.deadLetters('nobody');
      // @ts-expect-error: there are no tables
      simulation.effects('charges');
    }),
    // @ts-expect-error: there is no such table
    simulate(shop, {}, ({ effects }) => effects('mails'), { tables: { charges: 'id' } }),
  ];
  expectTypeOf(mistakes).toBeFunction();
});
