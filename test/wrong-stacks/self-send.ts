import { arn, document, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        RolePolicy: {
          PolicyDocument: document({ Effect: 'Allow', Action: 'sqs:*', Resource: arn('Queue') }),
        },
      }),
    mended: (stack) => plain(stack),
  },
  hatched: (stack) =>
    stack.subscriber('payments').queue.grantSendMessages(stack.subscriber('payments').function),
};
