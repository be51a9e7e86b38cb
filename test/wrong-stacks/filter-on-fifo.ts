import { subscriptionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(
        stack,
        { Subscription: { FilterPolicyScope: 'MessageAttributes', FilterPolicy: { type: ['placed'] } } },
        true,
      ),
    mended: (stack) =>
      plain(stack, {
        Subscription: { FilterPolicyScope: 'MessageAttributes', FilterPolicy: { type: ['placed'] } },
      }),
  },
  hatched: (stack) =>
    subscriptionOf(stack, 'payments').addPropertyOverride('FilterPolicy', { type: ['order.placed'] }),
};
