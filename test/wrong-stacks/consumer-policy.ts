import { arn, document, plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

const may = (...actions: readonly string[]) => ({
  RolePolicy: {
    PolicyDocument: document({ Effect: 'Allow', Action: actions, Resource: arn('Queue') }),
  },
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, may('sqs:ReceiveMessage', 'sqs:GetQueue*')),
    mended: (stack) => plain(stack, may('sqs:ReceiveMessage', 'sqs:GetQueue*', 'SQS:DeleteMessage')),
  },
};
