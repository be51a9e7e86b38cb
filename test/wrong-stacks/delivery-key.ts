import { queueOf } from './support/parts.ts';
import { arn, decrypts, keyPolicy, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy('events.amazonaws.com') },
        Queue: { KmsMasterKeyId: arn('Key') },
        ...decrypts,
      }),
    mended: (stack) =>
      plain(stack, {
        Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy('sns.amazonaws.com') },
        Queue: { KmsMasterKeyId: arn('Key') },
        ...decrypts,
      }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('KmsMasterKeyId', 'alias/aws/sqs'),
};
