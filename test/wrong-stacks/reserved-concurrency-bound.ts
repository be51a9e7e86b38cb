import { eventSourceOf, functionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Function: { ReservedConcurrentExecutions: 10 },
        EventSource: { ScalingConfig: undefined },
      }),
    mended: (stack) => plain(stack, { Function: { ReservedConcurrentExecutions: 10 } }),
  },
  hatched: (stack) => {
    functionOf(stack, 'payments').addPropertyOverride('ReservedConcurrentExecutions', 50);
    eventSourceOf(stack, 'payments').addPropertyDeletionOverride('ScalingConfig');
  },
};
