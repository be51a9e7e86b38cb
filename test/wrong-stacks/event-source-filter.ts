import { eventSourceOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { EventSource: { FilterCriteria: { Filters: [{ Pattern: '{}' }] } } }),
    mended: (stack) => plain(stack, { EventSource: { FilterCriteria: { Filters: [] } } }),
  },
  hatched: (stack) =>
    eventSourceOf(stack, 'payments').addPropertyOverride('FilterCriteria', { Filters: [{ Pattern: '{}' }] }),
};
