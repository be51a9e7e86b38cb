import { policiesOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { QueuePolicy: undefined }),
    mended: (stack) => plain(stack),
  },
  hatched: (stack) => {
    for (const policy of policiesOf(stack, 'payments', 'Queue'))
      policy.addPropertyOverride('PolicyDocument.Statement.1.Condition.ArnEquals', {
        'aws:SourceArn': stack.resolve(stack.topic('stock-moves').topicArn),
      });
  },
};
