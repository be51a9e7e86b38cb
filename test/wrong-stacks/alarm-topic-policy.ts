import { document, fromCloudWatch, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        AlarmTopicPolicy: {
          PolicyDocument: document({ ...fromCloudWatch, Principal: { Service: 'events.amazonaws.com' } }),
        },
      }),
    mended: (stack) => plain(stack, { AlarmTopicPolicy: undefined }),
  },
};
