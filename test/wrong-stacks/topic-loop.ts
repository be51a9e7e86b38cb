import { subscriptionOf } from './support/parts.ts';
import { arn, document, plain, ref } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

const publishes = (topic: unknown) => ({
  PolicyDocument: document(
    {
      Effect: 'Allow',
      Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
      Resource: arn('Queue'),
    },
    { Effect: 'Allow', Action: 'sns:Publish', Resource: topic },
  ),
});

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { RolePolicy: publishes(ref('Topic')) }),
    mended: (stack) => plain(stack, { RolePolicy: publishes(ref('AlarmTopic')) }),
  },
  hatched(stack) {
    stack.topic('stock-moves').grantPublish(stack.subscriber('stock-mail').function);
    subscriptionOf(stack, 'stock-mail').addPropertyDeletionOverride('FilterPolicy');
  },
};
