import { describe, expect, it } from 'vitest';
import { refusedBy, stacks } from './support/stacks.ts';

describe('27: a filter policy on a FIFO topic, which makes delivery at most once, is said at synthesis', () => {
  it('no stack has one by itself, although subscribers want a part of the events', () => {
    for (const { of, id } of stacks()) {
      const fifo = new Set(
        of('AWS::SNS::Topic').flatMap(([topic, { FifoTopic }]) => (FifoTopic === true ? [topic] : [])),
      );
      expect(fifo.size).toBe(1);
      for (const [, { TopicArn, FilterPolicy }] of of('AWS::SNS::Subscription'))
        if (fifo.has(id(TopicArn))) expect(FilterPolicy).toBeUndefined();
    }
  });

  it('and whoever adds one is warned', async () => {
    expect(await refusedBy('filter-on-fifo')).toEqual([['filter-on-fifo']]);
  });
});
