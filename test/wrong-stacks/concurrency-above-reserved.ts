import { functionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Function: { ReservedConcurrentExecutions: 9 } }),
    mended: (stack) => plain(stack, { Function: { ReservedConcurrentExecutions: 10 } }),
  },
  hatched: (stack) => functionOf(stack, 'payments').addPropertyOverride('ReservedConcurrentExecutions', 49),
};
