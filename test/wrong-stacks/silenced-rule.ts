import { Validations } from 'aws-cdk-lib';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** The CDK's own door takes any id. */
export const specimen: Specimen = {
  byHand: {
    wrong(stack) {
      plain(stack);
      Validations.of(stack).acknowledge({ id: 'sluice:queue-dealy', reason: 'Written by the test.' });
    },
    mended(stack) {
      plain(stack);
      Validations.of(stack).acknowledge({ id: 'sluice:queue-delay', reason: 'Written by the test.' });
    },
  },
};
