import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { topics: { orders: { fifo: true }, news: {}, News: {} } },
    mended: { topics: { orders: { fifo: true }, news: {}, newest: {} } },
  },
};
