import { deadLettersOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { DeadLetters: { MessageRetentionPeriod: undefined } }),
    mended: (stack) => plain(stack, { DeadLetters: { MessageRetentionPeriod: 345_601 } }),
  },
  hatched: (stack) =>
    deadLettersOf(stack, 'analytics').addPropertyOverride('MessageRetentionPeriod', 345_600),
  declared: {
    wrong: { subscriber: { retention: 691_200, deadLetterRetention: 691_200 } },
    mended: { subscriber: { retention: 691_200, deadLetterRetention: 691_201 } },
  },
};
