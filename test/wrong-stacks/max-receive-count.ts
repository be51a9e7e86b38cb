import { queueOf } from './support/parts.ts';
import { arn, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Queue: { RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 1 } },
      }),
    mended: (stack) =>
      plain(stack, {
        Queue: { RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 1000 } },
      }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('RedrivePolicy.maxReceiveCount', 1001),
  declared: {
    wrong: { subscriber: { maxReceiveCount: 1 } },
    mended: { subscriber: { maxReceiveCount: 1000 } },
  },
};
