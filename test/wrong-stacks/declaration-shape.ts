import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { visibiltyTimeout: 60 } },
    mended: { subscriber: { visibilityTimeout: 60 } },
  },
};
