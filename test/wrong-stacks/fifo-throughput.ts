import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { FifoThroughputLimit: 'perMessageGroupId' } }, true),
    mended: (stack) =>
      plain(
        stack,
        { Queue: { FifoThroughputLimit: 'perMessageGroupId', DeduplicationScope: 'messageGroup' } },
        true,
      ),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('DeduplicationScope', 'queue'),
};
