import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { on: ['told', 'placed'] } },
    mended: { subscriber: { on: ['told', 'asked'] } },
  },
};
