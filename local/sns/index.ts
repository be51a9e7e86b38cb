export type { Letter } from './mail.ts';
export { createSns, type SnsModel, type SnsOptions } from './sns.ts';
export type { QueueDelivery, QueueMessage } from './state.ts';
