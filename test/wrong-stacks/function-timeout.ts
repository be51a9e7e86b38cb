import { functionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Function: { Timeout: 901 }, Queue: { VisibilityTimeout: 43_200 } }),
    mended: (stack) => plain(stack, { Function: { Timeout: 900 }, Queue: { VisibilityTimeout: 5400 } }),
  },
  hatched: (stack) => functionOf(stack, 'payments').addPropertyOverride('Timeout', 0),
  declared: {
    wrong: { subscriber: { timeout: 901 } },
    mended: { subscriber: { timeout: 900 } },
  },
};
