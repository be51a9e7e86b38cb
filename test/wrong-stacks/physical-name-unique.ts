import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { QueueName: 'orders' }, Undelivered: { QueueName: 'orders' } }),
    mended: (stack) =>
      plain(stack, {
        Queue: { QueueName: 'orders' },
        Undelivered: { QueueName: 'orders-undelivered' },
        Function: { FunctionName: 'orders' },
      }),
  },
  declared: {
    wrong: { subscriber: { queueName: 'x', deadLetterQueueName: 'x' } },
    mended: { subscriber: { queueName: 'x', deadLetterQueueName: 'y', functionName: 'x' } },
  },
};
