import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, marker } from '../../lambda/runtime/redact.ts';

const bodyOf = (data: unknown) =>
  JSON.stringify({ specversion: '1.0', id: 'order.placed:77', source: 'shop', type: 'order.placed', data });
const clean = (data: unknown, text: string) => createRedactor(bodyOf(data), data)(text);

describe('what an event carries does not get into texts about it', () => {
  it('no string of four characters and no number of five digits of the data is left, wherever they are', () => {
    const data = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(data, fc.array(fc.string({ maxLength: 12 })), fc.boolean(), (value, words, quoted) => {
        const values = flat(value);
        const text = words
          .flatMap((word, index) => [word, String(values[index % Math.max(1, values.length)] ?? '')])
          .concat(quoted ? [JSON.stringify(value), bodyOf(value)] : [])
          .join(' ');
        const rest = clean(value, text).split(marker);
        for (const each of values) {
          const long =
            typeof each === 'string' ? each.length >= 4 : String(each).replace(/\D/g, '').length >= 5;
          if (long) for (const piece of rest) expect(piece).not.toContain(String(each));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('what names the event and what is short stays: an error can still be read', () => {
    expect(clean({ orderId: 'o-1', size: 'L', count: 12 }, 'order.placed:77 of size L: no count 12')).toBe(
      'order.placed:77 of size L: no count 12',
    );
    expect(clean({ orderId: 'order-17' }, "Cannot read 'orderId' of order-17")).toBe(
      "Cannot read 'orderId' of [data]",
    );
  });

  it('members that are data themselves go, as do values as the schema changed them', () => {
    expect(clean({ people: { 'anna@example.com': 1 } }, 'anna@example.com is unknown')).toBe(
      '[data] is unknown',
    );
    expect(createRedactor(bodyOf({ name: ' anna ' }), { name: 'ANNA' })('ANNA, anna ')).toBe('[data],[data]');
  });

  it('data that run in circles, as a schema may have made them, are looked through once', () => {
    const parent: Record<string, unknown> = { name: 'somebody' };
    parent.children = [{ name: 'Jonathan', parent }, new Map([['itself', parent]])];

    expect(createRedactor('{}', parent)('Jonathan of somebody')).toBe(`${marker} of ${marker}`);
  });

  it('of a long value the beginning is recognized, and what V8 quotes of text that it cannot parse', () => {
    expect(clean({ note: 'a'.repeat(50) }, `cut: ${'a'.repeat(20)}...`)).toBe('cut: [data]...');
    const inner = '{"card": SECRET-4111-1111}';
    const thrown = (() => {
      try {
        return JSON.parse(inner);
      } catch (error) {
        return (error as Error).message;
      }
    })();
    expect(clean({ inner }, thrown)).not.toMatch(/SECRET|4111/);
  });

  it('of a body that is no envelope nothing is left, whatever it is', () => {
    expect(createRedactor('SECRET but no JSON')('found SECRET but no JSON')).toBe('found [data]');
    expect(createRedactor('{"card":"SECRET-1"}')('found SECRET-1')).toBe('found [data]');
    const wrapped = JSON.stringify({ Type: 'Notification', Message: bodyOf({ card: 'SECRET-1' }) });
    expect(createRedactor(wrapped)('found SECRET-1')).toBe('found [data]');
  });

  it('the largest body and text cost little; what would cost much is withheld', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `aaaa${index}`);
    const cases: [unknown, string][] = [
      [many, 'aaaa'.repeat(200_000)],
      ['x'.repeat(1_000_000), 'x'.repeat(1_000_000)],
      [many, JSON.stringify(many)],
      [{ a: 'aaaa' }, '"'.repeat(1_000_000)],
    ];
    for (const [data, text] of cases) {
      const started = process.cpuUsage();
      const cleaned = clean(data, text);
      expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
      expect(cleaned).not.toMatch(/aaaa|xxxx/);
      expect(cleaned.length).toBeLessThan(70_000);
    }
    let deep: unknown = 'SECRET';
    for (let depth = 0; depth < 3_000; depth++) deep = [deep];
    expect(clean(deep, 'a SECRET')).toBe('a [data]');
  });
});

function flat(value: unknown): unknown[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(flat);
  return typeof value === 'string' || typeof value === 'number' ? [value] : [];
}
