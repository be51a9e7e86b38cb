import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        EventSource: {
          BatchSize: 121,
          MaximumBatchingWindowInSeconds: 1,
          ScalingConfig: { MaximumConcurrency: 1000 },
        },
        Queue: { VisibilityTimeout: 181 },
      }),
    mended: (stack) =>
      plain(stack, {
        EventSource: {
          BatchSize: 120,
          MaximumBatchingWindowInSeconds: 1,
          ScalingConfig: { MaximumConcurrency: 1000 },
        },
        Queue: { VisibilityTimeout: 181 },
      }),
  },
  declared: {
    wrong: { subscriber: { batchSize: 121, concurrency: 1000 } },
    mended: { subscriber: { batchSize: 120, concurrency: 1000 } },
  },
};
