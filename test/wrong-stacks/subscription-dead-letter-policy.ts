import { policiesOf } from './support/parts.ts';
import { document, fromTopic, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { UndeliveredPolicy: { PolicyDocument: document(fromTopic('Queue')) } }),
    mended: (stack) => plain(stack),
  },
  hatched: (stack) => {
    for (const policy of policiesOf(stack, 'payments', 'SubscriptionDeadLetterQueue'))
      policy.addPropertyOverride('PolicyDocument.Statement', []);
  },
};
