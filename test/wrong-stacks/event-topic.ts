import { event } from 'sluice';
import { type Specimen, schema } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { topics: { orders: {}, nwes: {} }, events: { told: event({ topic: 'news', schema }) } },
    mended: { topics: { orders: {}, news: {} }, events: { told: event({ topic: 'news', schema }) } },
  },
};
