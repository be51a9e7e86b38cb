import { functionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Function: { MemorySize: 127 } }),
    mended: (stack) => plain(stack, { Function: { MemorySize: 128 } }),
  },
  hatched: (stack) => functionOf(stack, 'payments').addPropertyOverride('MemorySize', 10_241),
  declared: {
    wrong: { subscriber: { memorySize: 10_241 } },
    mended: { subscriber: { memorySize: 10_240 } },
  },
};
