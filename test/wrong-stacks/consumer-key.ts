import { decrypts, keyPolicy, plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

const encrypted = {
  Key: { Type: 'AWS::KMS::Key', KeyPolicy: keyPolicy('sns.amazonaws.com') },
  Queue: { KmsMasterKeyId: ref('Key') },
};

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, encrypted),
    mended: (stack) => plain(stack, { ...encrypted, ...decrypts }),
  },
};
