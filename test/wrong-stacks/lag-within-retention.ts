import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { retention: 3600, lag: 3601 } },
    mended: { subscriber: { retention: 3600, lag: 3600 } },
  },
};
