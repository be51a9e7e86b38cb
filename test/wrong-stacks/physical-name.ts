import { queueOf } from './support/parts.ts';
import { plain } from './support/plain.ts';
import type { Specimen } from './support/specimen.ts';

export const specimen: Specimen = {
  byHand: {
    wrong: (stack) => plain(stack, { Queue: { QueueName: 'my queue' } }),
    mended: (stack) => plain(stack, { Queue: { QueueName: 'a'.repeat(80) } }),
  },
  hatched: (stack) => queueOf(stack, 'payments').addPropertyOverride('QueueName', `${'a'.repeat(76)}.fifo`),
  declared: {
    wrong: { fifo: { queueName: 'mine' } },
    mended: { fifo: { queueName: 'mine.fifo' } },
  },
};
