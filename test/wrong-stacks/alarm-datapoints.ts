import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Alarm: { DatapointsToAlarm: 6 } }),
    mended: (stack) => plain(stack, { Alarm: { DatapointsToAlarm: 5 } }),
  },
};
