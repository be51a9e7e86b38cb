import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Alarm: { Period: 60, EvaluationPeriods: 1441 } }),
    mended: (stack) => plain(stack, { Alarm: { Period: 60, EvaluationPeriods: 1440 } }),
  },
};
