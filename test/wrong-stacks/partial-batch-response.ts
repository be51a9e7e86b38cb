import { eventSourceOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { EventSource: { FunctionResponseTypes: undefined } }),
    mended: (stack) => plain(stack, { EventSource: { FunctionResponseTypes: undefined, BatchSize: 1 } }),
  },
  hatched: (stack) => eventSourceOf(stack, 'payments').addPropertyDeletionOverride('FunctionResponseTypes'),
};
