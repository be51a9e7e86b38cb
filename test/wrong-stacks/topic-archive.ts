import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Topic: { ArchivePolicy: { MessageRetentionPeriod: '366' } } }, true),
    mended: (stack) => plain(stack, { Topic: { ArchivePolicy: { MessageRetentionPeriod: '365' } } }, true),
  },
};
