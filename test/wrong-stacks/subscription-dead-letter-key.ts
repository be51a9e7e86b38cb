import { queueOf } from './support/parts.ts';
import { keyPolicy, plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy() },
        Undelivered: { KmsMasterKeyId: ref('Key') },
      }),
    mended: (stack) =>
      plain(stack, {
        Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy('sns.amazonaws.com') },
        Undelivered: { KmsMasterKeyId: ref('Key') },
      }),
  },
  hatched: (stack) =>
    queueOf(stack, 'payments', 'SubscriptionDeadLetterQueue').addPropertyOverride(
      'KmsMasterKeyId',
      'alias/aws/sqs',
    ),
};
