import { arn, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        DeadLetters: {
          RedrivePolicy: { deadLetterTargetArn: arn('Queue'), maxReceiveCount: 10 },
          MessageRetentionPeriod: 1_209_600,
        },
        Queue: { MessageRetentionPeriod: 1_209_600 },
      }),
    mended: (stack) => plain(stack),
  },
};
