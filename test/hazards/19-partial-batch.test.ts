import { describe, expect, it } from 'vitest';
import { refusedBy, stacks } from './support/stacks.ts';

describe('19: every event source takes the messages that failed from the function’s answer', () => {
  it('in every stack', () => {
    for (const { of } of stacks()) {
      const sources = of('AWS::Lambda::EventSourceMapping');
      expect(sources).not.toEqual([]);
      for (const [, { FunctionResponseTypes }] of sources)
        expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    }
  });

  it('and one that does not is refused', async () => {
    expect(await refusedBy('partial-batch-response')).toEqual([['partial-batch-response']]);
  });
});
