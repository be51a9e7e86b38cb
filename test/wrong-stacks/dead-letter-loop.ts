import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

/** By name: CloudFormation itself refuses a loop of references. */
const orders = {
  'Fn::Join': [
    ':',
    ['arn', { Ref: 'AWS::Partition' }, 'sqs', { Ref: 'AWS::Region' }, { Ref: 'AWS::AccountId' }, 'orders'],
  ],
};

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        DeadLetters: { RedrivePolicy: { deadLetterTargetArn: orders, maxReceiveCount: 10 } },
        Queue: { QueueName: 'orders', MessageRetentionPeriod: 1_209_600 },
      }),
    mended: (stack) => plain(stack, { Queue: { QueueName: 'orders' } }),
  },
};
