import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { traffic: -1 } },
    mended: { subscriber: { traffic: 0 } },
  },
};
