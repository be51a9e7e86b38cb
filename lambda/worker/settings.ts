import {
  type Clock,
  type Random,
  type Seconds,
  seconds,
  systemClock,
  systemRandom,
} from '../../lib/base/index.ts';
import { environment as names } from '../../lib/topology/index.ts';
import type { AwsClient, ConsumerFunction, Logger } from '../runtime/index.ts';
import { createPollingClient } from './client.ts';
import { WorkerError } from './errors.ts';
import { lineLogger, tolerant } from './line-logger.ts';
import type { WorkerOptions } from './options.ts';

/** The options of a worker, complete and checked. */
export interface WorkerSettings {
  readonly handler: ConsumerFunction;
  readonly queueUrl: string;
  readonly sqs: AwsClient;
  readonly batchSize: number;
  readonly batchWindow: Seconds;
  readonly concurrency: number;
  readonly timeout: Seconds;
  readonly fifo: boolean;
  readonly poll: Seconds;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onIdle: () => void;
}

/**
 * @throws {WorkerError} naming every option that is not allowed
 */
export function settingsOf(options: WorkerOptions): WorkerSettings {
  const { environment = process.env, clock = systemClock, random = systemRandom } = options;
  const queueUrl = options.queueUrl ?? environment[names.queueUrl] ?? '';
  const fifo = options.fifo ?? queueUrl.endsWith('.fifo');
  const { batchSize = 10, batchWindow = seconds(0), concurrency = 1, timeout, poll = seconds(20) } = options;
  const faults: string[] = [];
  const demand = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const whole = (value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most;
  demand(typeof options.handler === 'function', 'handler must be the function that consume made');
  demand(queueUrl !== '', `queueUrl is missing, and so is the variable ${names.queueUrl}`);
  // As Lambda has it (API reference, CreateEventSourceMapping).
  const most = fifo || batchWindow === 0 ? 10 : 10_000;
  demand(
    whole(batchSize, 1, most),
    `batchSize is ${batchSize}; allowed: 1 to ${most}${fifo ? ' on a FIFO queue' : most === 10 ? ' without a batchWindow' : ''}`,
  );
  demand(
    whole(batchWindow, 0, fifo ? 0 : 300),
    `batchWindow is ${batchWindow} s; allowed: ${fifo ? 'none on a FIFO queue' : 'whole seconds, 0 to 300'}`,
  );
  demand(whole(concurrency, 1, 1_000), `concurrency is ${concurrency}; allowed: 1 to 1000`);
  demand(timeout > 0 && timeout <= 43_200, `timeout is ${timeout} s; allowed: more than 0, at most 43200`);
  demand(whole(poll, 1, 20), `poll is ${poll} s; allowed: whole seconds, 1 to 20`);
  if (faults.length > 0) throw new WorkerError(`The worker cannot start: ${faults.join('; ')}.`);
  return {
    handler: options.handler,
    queueUrl,
    sqs: options.sqs ?? createPollingClient(),
    batchSize,
    batchWindow,
    concurrency,
    timeout,
    fifo,
    poll,
    clock,
    random,
    logger: options.logger === undefined ? lineLogger(clock) : tolerant(options.logger),
    onIdle: options.onIdle ?? (() => {}),
  };
}
