export { createSns, type SnsModel } from './sns.ts';
export type { QueueDelivery, QueueMessage } from './state.ts';
