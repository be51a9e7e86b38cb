import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { DeduplicationScope: 'messageGroup' } }),
    mended: (stack) => plain(stack, { Queue: { DeduplicationScope: 'messageGroup' } }, true),
  },
  hatched: (stack) => queueOf(stack, 'analytics').addPropertyOverride('ContentBasedDeduplication', true),
};
