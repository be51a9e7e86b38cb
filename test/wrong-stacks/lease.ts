import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { visibilityTimeout: 60, lease: 61 } },
    mended: { subscriber: { visibilityTimeout: 60, lease: 60 } },
  },
};
