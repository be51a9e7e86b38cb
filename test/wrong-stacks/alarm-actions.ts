import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** So many topics of another account. */
const elsewhere = (count: number) =>
  Array.from({ length: count }, (_, index) => `arn:aws:sns:eu-west-1:222222222222:topic${index}`);

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Alarm: { OKActions: elsewhere(6) } }),
    mended: (stack) => plain(stack, { Alarm: { OKActions: elsewhere(5) } }),
  },
};
