import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alternate, median, ratio } from '../../bench/measure.ts';
import { figure, printed } from '../../bench/print.ts';
import { actionOf } from '../../bench/run/requests.ts';
import { roleOf, timeOf } from '../../bench/run/threads.ts';

describe('The benchmark compares fairly', () => {
  it('the median has as many values above as below it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 }), (values) => {
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
      }),
      { numRuns: 200 },
    );
    expect(() => median([])).toThrow(RangeError);
  });

  it('candidates take turns, each second round backwards, and the first turn of each is not kept', async () => {
    const order: string[] = [];
    const turn = (name: string) => async () => {
      order.push(name);
      return order.length;
    };
    const rounds = await alternate({ a: turn('a'), b: turn('b') }, 2);
    expect(order.join('')).toBe('abbaab');
    expect(rounds).toEqual({ a: [4, 5], b: [3, 6] });
  });

  it('a limit of time ends it early, but never before one round was kept', async () => {
    const rounds = await alternate({ a: async () => 1, b: async () => 2 }, 100, 0);
    expect(rounds).toEqual({ a: [1], b: [2] });
  });

  it('a machine that slows down between rounds does not change the ratio', () => {
    expect(ratio([10, 20, 80], [20, 40, 160])).toBe(0.5);
  });
});

describe('The benchmark says what a figure belongs to', () => {
  it.each([
    ['a named thread', { name: 'shop' }, 'shop'],
    [
      'a Lambda function, without what makes its name unique',
      {
        workerData: { configuration: { functionName: 'Orders-EmailConsumerFunction793CA418-7xWOyOYg3Yc2' } },
      },
      'function Orders-EmailConsumerFunction',
    ],
    ['a thread without a name', undefined, 'a worker'],
  ])('%s', (_, options, role) => {
    expect(roleOf(options)).toBe(role);
  });

  it('processor time comes in microseconds', () => {
    expect(timeOf('1451631720 72424984 520\n')).toBe(1_451_631.72);
    expect(timeOf('')).toBeUndefined();
  });

  it.each([
    [{ 'x-amz-target': 'DynamoDB_20120810.TransactWriteItems' }, 'TransactWriteItems'],
    [{ 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, 'Publish (query protocol)'],
    [{}, 'other'],
  ])('a request with the headers %j asks for %s', (headers, action) => {
    expect(actionOf(headers)).toBe(action);
  });

  it('numbers show three digits that count', () => {
    expect([0.1234, 5.678, 56.78, 567.8, 5678.9].map(figure)).toEqual([
      '0.12',
      '5.68',
      '56.8',
      '568',
      '5,679',
    ]);
  });

  it('a table has its title, what was compared, and a row for each figure', () => {
    const text = printed({ title: 'speed', note: 'in turns', columns: ['', 'us'], rows: [['send', 1.5]] });
    expect(text).toMatch(/^speed\nin turns\n/);
    expect(text).toMatch(/send .* 1\.50 /);
  });
});
