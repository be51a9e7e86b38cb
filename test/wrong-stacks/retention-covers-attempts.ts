import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { attempts: 3, timeout: 60, lag: 60, retention: 182 } },
    mended: { subscriber: { attempts: 3, timeout: 60, lag: 60, retention: 183 } },
  },
};
