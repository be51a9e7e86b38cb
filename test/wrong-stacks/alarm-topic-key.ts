import { arn, keyPolicy, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy() },
        AlarmTopic: { KmsMasterKeyId: arn('Key') },
      }),
    mended: (stack) =>
      plain(stack, {
        Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy('cloudwatch.amazonaws.com') },
        AlarmTopic: { KmsMasterKeyId: arn('Key') },
      }),
  },
};
