import { deadLettersOf } from './support/parts.ts';
import { arn, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        DeadLetters: {
          RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns: [arn('Undelivered')] },
        },
      }),
    mended: (stack) =>
      plain(stack, {
        DeadLetters: {
          RedriveAllowPolicy: {
            redrivePermission: 'byQueue',
            sourceQueueArns: ['arn:aws:sqs:eu-west-1:111111111111:orders'],
          },
        },
      }),
  },
  hatched: (stack) =>
    deadLettersOf(stack, 'payments').addPropertyOverride('RedriveAllowPolicy', {
      redrivePermission: 'denyAll',
    }),
};
