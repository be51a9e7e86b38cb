import { subscriptionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Subscription: { RedrivePolicy: undefined } }),
    mended: (stack) => plain(stack),
  },
  hatched: (stack) => subscriptionOf(stack, 'payments').addPropertyDeletionOverride('RedrivePolicy'),
};
