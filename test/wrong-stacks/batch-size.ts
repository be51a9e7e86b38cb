import { eventSourceOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { EventSource: { BatchSize: 11 } }, true),
    mended: (stack) => plain(stack, { EventSource: { BatchSize: 10 } }, true),
  },
  hatched: (stack) => eventSourceOf(stack, 'payments').addPropertyOverride('BatchSize', 0),
  declared: {
    wrong: { subscriber: { batchSize: 10_001, concurrency: 2 } },
    mended: { subscriber: { batchSize: 10_000, concurrency: 2 } },
  },
};
