import { queueOf } from './support/parts.ts';
import { arn, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Queue: { RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 3 } },
      }),
    mended: (stack) =>
      plain(stack, {
        Queue: { RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 5 } },
      }),
  },
  hatched: (stack) => queueOf(stack, 'analytics').addPropertyOverride('RedrivePolicy.maxReceiveCount', 4),
  declared: {
    wrong: { subscriber: { attempts: 7, maxReceiveCount: 7 } },
    mended: { subscriber: { attempts: 7, maxReceiveCount: 8 } },
  },
};
