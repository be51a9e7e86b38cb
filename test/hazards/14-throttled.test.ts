import { describe, expect, it } from 'vitest';
import { refusedBy, stacks } from './support/stacks.ts';

describe('14: throttled invocations do not burn the receives of messages that nobody tried', () => {
  it('the event source bounds each consumer, and not the function’s reserved concurrency', () => {
    for (const { of } of stacks()) {
      for (const [, { ScalingConfig }] of of('AWS::Lambda::EventSourceMapping'))
        expect(ScalingConfig).toEqual({ MaximumConcurrency: expect.any(Number) });
      for (const [, properties] of of('AWS::Lambda::Function'))
        expect(properties).not.toHaveProperty('ReservedConcurrentExecutions');
    }
  });

  it('and a message may be received far more often than it is tried', () => {
    for (const { of, id } of stacks()) {
      const queues = new Map(of('AWS::SQS::Queue'));
      const sources = of('AWS::Lambda::EventSourceMapping');
      expect(sources).not.toEqual([]);
      for (const [, { EventSourceArn }] of sources) {
        const { RedrivePolicy } = queues.get(id(EventSourceArn)) as {
          RedrivePolicy: { maxReceiveCount: number };
        };
        expect(RedrivePolicy.maxReceiveCount).toBeGreaterThanOrEqual(100);
      }
    }
  });

  it('what somebody changes is refused, or warned of', async () => {
    const rules = [
      'concurrency-above-reserved',
      'reserved-concurrency-bound',
      'max-receive-count',
      'receive-margin',
    ] as const;
    expect(await refusedBy(...rules)).toEqual(rules.map((rule) => [rule]));
  });
});
