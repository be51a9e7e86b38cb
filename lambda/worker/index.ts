/**
 * The long-polling worker: a consumer function of `sluice/lambda` behind ReceiveMessage instead of an event source,
 * on a laptop or in a container service. The function, its record, its heartbeats and its dead letters are the same.
 */

export type { AwsClient, ConsumerFunction, LambdaContext, Logger, SqsEvent } from '../runtime/index.ts';
export { WorkerError } from './errors.ts';
export type { StopOptions, Worker, WorkerOptions, WorkerStats } from './options.ts';
export { startWorker } from './worker.ts';
