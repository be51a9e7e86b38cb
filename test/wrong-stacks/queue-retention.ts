import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { MessageRetentionPeriod: 59 } }),
    mended: (stack) => plain(stack, { Queue: { MessageRetentionPeriod: 60 } }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('MessageRetentionPeriod', 1_209_601),
  declared: {
    wrong: { subscriber: { retention: 1_209_601 } },
    mended: { subscriber: { retention: 1_209_600 } },
  },
};
