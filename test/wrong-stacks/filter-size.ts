import { event } from 'sluice';
import { subscriptionOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import { type Specimen, schema } from './support/specimen.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);

/** A topic that carries so many events. */
const events = (count: number) => ({
  topics: { news: {} },
  events: Object.fromEntries(many(count).map((name) => [name, event({ topic: 'news', schema })])),
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Subscription: { FilterPolicyScope: 'MessageAttributes', FilterPolicy: { a: many(16), b: many(10) } },
      }),
    mended: (stack) =>
      plain(stack, {
        Subscription: { FilterPolicyScope: 'MessageAttributes', FilterPolicy: { a: many(15), b: many(10) } },
      }),
  },
  hatched: (stack) =>
    subscriptionOf(stack, 'stock-mail').addPropertyOverride(
      'FilterPolicy',
      Object.fromEntries(many(6).map((key) => [key, ['x']])),
    ),
  declared: {
    wrong: { ...events(152), subscriber: { on: many(151) } },
    mended: { ...events(151), subscriber: { on: many(150) } },
  },
};
