import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { subscriber: { onDeadLetter: 'halt' } },
    mended: { fifo: { onDeadLetter: 'halt' } },
  },
};
