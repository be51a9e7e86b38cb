import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { timeout: 10, handlerTime: 11 } },
    mended: { subscriber: { timeout: 10, handlerTime: 10 } },
  },
};
