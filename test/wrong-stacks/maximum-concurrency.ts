import { eventSourceOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { EventSource: { ScalingConfig: { MaximumConcurrency: 1 } } }),
    mended: (stack) => plain(stack, { EventSource: { ScalingConfig: { MaximumConcurrency: 2 } } }),
  },
  hatched: (stack) =>
    eventSourceOf(stack, 'payments').addPropertyOverride('ScalingConfig.MaximumConcurrency', 1001),
  declared: {
    wrong: { subscriber: { concurrency: 1 } },
    mended: { subscriber: { concurrency: 2 } },
  },
};
