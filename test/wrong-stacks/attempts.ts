import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { effects: 'atMostOnce', attempts: 2 } },
    mended: { subscriber: { effects: 'atMostOnce', attempts: 1 } },
  },
};
