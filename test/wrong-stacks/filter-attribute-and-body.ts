import { subscriptionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Subscription: {
          FilterPolicyScope: 'MessageAttributes',
          FilterPolicy: { type: ['placed'], order: { country: ['CH'] } },
        },
      }),
    mended: (stack) =>
      plain(stack, {
        Subscription: {
          FilterPolicyScope: 'MessageBody',
          FilterPolicy: { type: ['placed'], order: { country: ['CH'] } },
        },
      }),
  },
  hatched: (stack) =>
    subscriptionOf(stack, 'stock-mail').addPropertyOverride('FilterPolicy', { order: { country: ['CH'] } }),
};
