import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { replayMargin: -1 } },
    mended: { subscriber: { replayMargin: 0 } },
  },
};
