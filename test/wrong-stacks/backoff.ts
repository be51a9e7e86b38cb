import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { backoff: { base: 10, cap: 9 } } },
    mended: { subscriber: { backoff: { base: 9, cap: 9 } } },
  },
};
