import { Validations } from 'aws-cdk-lib';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** The CDK's own door asks for no reason. */
export const specimen: Specimen = {
  byHand: {
    wrong(stack) {
      plain(stack);
      Validations.of(stack).acknowledge({ id: 'sluice:queue-delay', reason: ' ' });
    },
    mended(stack) {
      plain(stack, { Queue: { DelaySeconds: 901 } });
      Validations.of(stack).acknowledge({ id: 'sluice:queue-delay', reason: 'Written by the test.' });
    },
  },
};
