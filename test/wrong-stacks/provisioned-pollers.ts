import { eventSourceOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, { EventSource: { ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 10 } } }),
    mended: (stack) =>
      plain(stack, {
        EventSource: {
          ScalingConfig: undefined,
          ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 10 },
        },
      }),
  },
  hatched: (stack) =>
    eventSourceOf(stack, 'payments').addPropertyOverride('ProvisionedPollerConfig', { MinimumPollers: 5 }),
};
