/**
 * The figures of SQS (SQS developer guide, quotas; SQS API reference), in the units of the API: seconds, bytes,
 * counts.
 */
export const QUOTAS = {
  /** The longest visibility timeout, and the longest time from a receive to the end of all its extensions. */
  visibility: 43_200,
  longPoll: 20,
  delay: 900,
  retention: { least: 60, most: 1_209_600 },
  /** Since August 2025; for one message and for a whole batch, bodies and attributes together. */
  messageSize: { least: 1024, most: 1_048_576 },
  batchEntries: 10,
  messageAttributes: 10,
  maxReceiveCount: 1000,
  /** How long a FIFO queue remembers a deduplication id, and a receive attempt id. */
  deduplication: 300,
  /** How long a change of attributes may take to reach all of SQS (API reference, SetQueueAttributes). */
  propagation: 60,
  /** How long the name of a deleted queue stays taken, and the least time between two purges. */
  quarantine: 60,
  /** How many messages may be in flight. */
  inFlight: 120_000,
  /** How many messages, from the oldest, a FIFO queue searches for a group that is free. */
  fifoSearch: 120_000,
  /** Messages a second that a move task moves at most. */
  moveRate: 500,
  /** A standard queue's message received this often leaves the age metric and goes behind the others. */
  receivesBeforeLastInLine: 3,
} as const;
