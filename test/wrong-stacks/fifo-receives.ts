import { queueOf } from './support/parts.ts';
import { arn, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(
        stack,
        { Queue: { RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 49 } } },
        true,
      ),
    mended: (stack) =>
      plain(
        stack,
        { Queue: { RedrivePolicy: { deadLetterTargetArn: arn('DeadLetters'), maxReceiveCount: 50 } } },
        true,
      ),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('RedrivePolicy.maxReceiveCount', 10),
  declared: {
    wrong: { fifo: { attempts: 5, batchSize: 10, maxReceiveCount: 49 } },
    mended: { fifo: { attempts: 5, batchSize: 10, maxReceiveCount: 50 } },
  },
};
