import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { retention: 3600, deadLetterRetention: 7200, recordLife: 10_799 } },
    mended: { subscriber: { retention: 3600, deadLetterRetention: 7200, recordLife: 10_800 } },
  },
};
