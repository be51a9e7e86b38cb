export {
  createSqs,
  type DeliveredMessage,
  type SqsModel,
  type SqsOperations,
  type SqsOptions,
} from './model.ts';
export type { Totals } from './queue.ts';
export type { MessageView, QueueView } from './view.ts';
