import { describe, expect, it } from 'vitest';
import { orders } from '../../examples/orders/topology.ts';
import { shop } from '../constructs/fixtures/shop.ts';
import { refusedBy, stacks } from './support/stacks.ts';

describe('43: the queue’s own count is a last net, far above the attempts of a whole batch', () => {
  it('in every stack', () => {
    const subscribers = [...Object.values(orders.subscribers), ...Object.values(shop.subscribers)];
    const least = Math.max(
      100,
      ...subscribers.filter(({ fifo }) => fifo).map(({ attempts, batchSize }) => attempts * batchSize),
    );
    for (const { of } of stacks()) {
      const counts = of('AWS::SQS::Queue').flatMap(([, { FifoQueue, RedrivePolicy }]) =>
        FifoQueue === true && RedrivePolicy !== undefined
          ? [(RedrivePolicy as { maxReceiveCount: number }).maxReceiveCount]
          : [],
      );
      expect(counts).not.toEqual([]);
      for (const count of counts) {
        expect(count).toBeGreaterThanOrEqual(least);
        expect(count).toBeLessThanOrEqual(1000);
      }
    }
  });

  it('and what is lower is refused where it is declared, and warned of in a stack', async () => {
    expect(await refusedBy('fifo-receives')).toEqual([['fifo-receives']]);
  });
});
