import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  declared: {
    wrong: { name: '9lives' },
    mended: { name: 'nine-lives' },
  },
};
