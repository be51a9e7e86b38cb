import { setMaxListeners } from 'node:events';
import type { DeleteMessageBatchRequestEntry, Message } from '@aws-sdk/client-sqs';
import { milliseconds, type Seconds, sleep, toMilliseconds, uuid } from '../../lib/base/index.ts';
import { LostReply } from '../faults.ts';
import { type Call, type ModelContext, ServiceError } from '../service.ts';
import { failuresOf } from './batch-response.ts';
import type { LogSink } from './executor.ts';
import type { FunctionState } from './functions.ts';
import type { Invoker } from './invoke.ts';
import { matches, type Pattern } from './pattern.ts';
import type { QueueActions } from './queue.ts';
import { callOf, type ExecutionRoles } from './roles.ts';
import { type SqsRecord, toRecord } from './sqs-event.ts';

/**
 * How pollers grow (Lambda developer guide, "Configuring scaling behavior for SQS event source mappings"): five
 * at first, then up to 300 more a minute while all are busy, taken here as five more each second; what an idle
 * queue keeps are the first five.
 */
const scaling = { first: 5, step: 5, every: milliseconds(1_000), most: 1_250 } as const;

/** The longest poll that SQS allows (SQS quotas). */
const longPoll = 20;

/** The most that one receive returns (SQS quotas). */
const receiveLimit = 10;

/** A batch is closed before its event grows over the payload limit of an invocation (Lambda quotas: 6 MB). */
const eventLimit = 6 * 1_048_576;

/** How long a poller rests after SQS refused it, or Lambda throttled its batch. */
const rest = { refused: milliseconds(5_000), throttled: milliseconds(1_000) } as const;

/**
 * A fault plan for event sources.
 *
 * @example
 * ```ts
 * let first = true;
 * const lostOnce: EventSourceFaults = {
 *   beforeAcknowledge: () => {
 *     const loses = first;
 *     first = false;
 *     return loses ? 'lose' : 'deliver';
 *   },
 * };
 * ```
 */
export interface EventSourceFaults {
  /** Called before the finished messages of a batch are deleted; `lose` = the delete is never sent. */
  beforeAcknowledge?(
    mappingId: string,
    entries: readonly DeleteMessageBatchRequestEntry[],
  ): 'deliver' | 'lose';
}

/** The settings of one event source, checked. */
export interface EventSourceSettings {
  readonly id: string;
  readonly queueArn: string;
  readonly queueUrl: string;
  readonly batchSize: number;
  readonly window: Seconds;
  readonly filters: readonly Pattern[];
  readonly maximumConcurrency: number | undefined;
  readonly reportBatchItemFailures: boolean;
}

/** What {@link startEventSource} stands on. */
export interface EventSourceParts {
  readonly context: ModelContext;
  readonly queue: QueueActions;
  /** Say what the function's role lets a poller do. */
  readonly roles: ExecutionRoles;
  readonly invoker: Invoker;
  readonly environmentsPerFunction: number;
  /** The bound of a source that has none of its own. */
  readonly batchesAtOnce: number;
  readonly faults: EventSourceFaults | undefined;
  /** Told how each batch ended, in the words of LastProcessingResult. */
  readonly report: (result: string) => void;
  /** Takes what no service answers: errors of the model itself, or of a fault plan. */
  readonly log: LogSink;
}

/** A running event source. */
export interface EventSource {
  pollers(): number;
  busy(): number;
  /** No further receive; running invocations end, and are acknowledged. */
  stop(): void;
}

/**
 * Polls a queue and invokes a function with batches of its messages. Each poller takes one batch at a time, so
 * that the number of pollers is the bound on concurrent invocations.
 *
 * On a FIFO queue nothing here holds a group back: the queue does, as long as messages of the group are in
 * flight. A visibility that ends during an invocation therefore frees the group, as it does on AWS.
 */
export function startEventSource(
  settings: EventSourceSettings,
  state: FunctionState,
  parts: EventSourceParts,
): EventSource {
  const { context, queue, invoker, report, log } = parts;
  const { clock, random } = context;
  const stopping = new AbortController();
  // Every poller listens to it.
  setMaxListeners(0, stopping.signal);
  const openWindows = new Set<AbortController>();
  const limit = Math.min(
    settings.maximumConcurrency ?? parts.batchesAtOnce,
    parts.environmentsPerFunction,
    scaling.most,
  );
  const lowest = Math.min(scaling.first, limit);
  let pollers = 0;
  let busy = 0;
  let growing = false;

  const logged = new Set<string>();
  /** Reports what stood in the way. What no service answers is a fault of the model: it is logged, once. */
  const setback = (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    report(`PROBLEM: ${text}`);
    if (error instanceof ServiceError || error instanceof LostReply || logged.has(text)) return;
    logged.add(text);
    const trace = error instanceof Error ? (error.stack ?? text) : text;
    log(
      state.configuration.functionName,
      '',
      `The event source of ${settings.queueArn} met an error that is none of AWS's, and goes on: ${trace}`,
    );
  };

  const call = (signal?: AbortSignal): Call => callOf(state.configuration, signal);
  const receive = async (most: number, wait: number, signal: AbortSignal): Promise<readonly Message[]> => {
    const { Messages = [] } = await queue.receive(
      {
        QueueUrl: settings.queueUrl,
        MaxNumberOfMessages: Math.min(receiveLimit, most),
        WaitTimeSeconds: wait,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      call(signal),
    );
    return Messages;
  };
  /** Deletes messages; those whose delete fails come back. Gives back whether no call failed. */
  const acknowledge = async (entries: readonly Pick<SqsRecord, 'receiptHandle'>[]): Promise<boolean> => {
    let answered = true;
    for (let start = 0; start < entries.length; start += receiveLimit) {
      const Entries = entries
        .slice(start, start + receiveLimit)
        .map(({ receiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle: receiptHandle }));
      if (parts.faults?.beforeAcknowledge?.(settings.id, Entries) === 'lose') continue;
      try {
        // Entries that SQS refuses (an expired handle on a FIFO queue) come back by themselves, as on AWS.
        await queue.remove({ QueueUrl: settings.queueUrl, Entries }, call());
      } catch (error) {
        setback(error);
        answered = false;
      }
    }
    return answered;
  };
  const wanted = (record: SqsRecord): boolean =>
    settings.filters.length === 0 || settings.filters.some((pattern) => matchesRecord(pattern, record));
  /** Adds to the batch what the filters let through, deletes the rest; gives back the bytes that were added. */
  const admit = async (messages: readonly Message[], batch: Entry[]): Promise<number> => {
    const unwanted: SqsRecord[] = [];
    let bytes = 0;
    for (const message of messages) {
      const record = toRecord(message, settings.queueArn, context.region);
      if (!wanted(record)) {
        unwanted.push(record);
        continue;
      }
      const entry = toEntry(record);
      batch.push(entry);
      bytes += entry.bytes;
    }
    if (unwanted.length > 0) await acknowledge(unwanted);
    return bytes;
  };

  /** One batch: the first receive waits for messages, further ones gather until the batch is full or its window ends. */
  const gather = async (): Promise<{ received: boolean; batch: Entry[] }> => {
    const batch: Entry[] = [];
    const first = await receive(settings.batchSize, longPoll, stopping.signal);
    let bytes = await admit(first, batch);
    if (first.length === 0 || settings.window === 0) return { received: first.length > 0, batch };
    const windowEnd = new AbortController();
    const closesAt = clock.now() + toMilliseconds(settings.window);
    const timer = clock.after(toMilliseconds(settings.window), () => windowEnd.abort());
    openWindows.add(windowEnd);
    const { signal } = windowEnd;
    try {
      while (batch.length < settings.batchSize && bytes < eventLimit && !signal.aborted) {
        const wait = Math.min(longPoll, Math.ceil((closesAt - clock.now()) / 1_000));
        if (wait <= 0) break;
        bytes += await admit(await receive(settings.batchSize - batch.length, wait, signal), batch);
      }
    } catch (error) {
      // What was gathered is in flight: it is handed over, or it would wait for its visibility to end.
      if (batch.length === 0) throw error;
      setback(error);
    } finally {
      timer.cancel();
      openWindows.delete(windowEnd);
    }
    return { received: true, batch };
  };

  const process = async (batch: readonly Entry[]) => {
    const event = `{"Records":[${batch.map(({ text }) => text).join(',')}]}`;
    const result = await invoker.run(state, event, uuid(random));
    if (!result.ok) return report('PROBLEM: Function call failed');
    const failures = settings.reportBatchItemFailures
      ? failuresOf(result.payload, new Set(batch.map(({ messageId }) => messageId)))
      : new Set<string>();
    if (failures === 'all') return report('PROBLEM: Function returned an invalid batch response');
    const done = batch.filter(({ messageId }) => !failures.has(messageId));
    if (done.length === 0 || (await acknowledge(done))) report('OK');
  };

  const grow = () => {
    if (growing || busy < pollers || pollers >= limit) return;
    growing = true;
    const timer = clock.after(scaling.every, () => {
      stopping.signal.removeEventListener('abort', timer.cancel);
      growing = false;
      if (busy < pollers) return;
      const more = Math.min(scaling.step, limit - pollers);
      for (let count = 0; count < more; count++) void poll();
      grow();
    });
    stopping.signal.addEventListener('abort', timer.cancel, { once: true });
  };
  const takeBatch = async (): Promise<'received' | 'nothing'> => {
    const { received, batch } = await gather();
    if (batch.length === 0) return received ? 'received' : 'nothing';
    busy++;
    grow();
    try {
      for (const part of withinLimit(batch)) await process(part);
    } finally {
      busy--;
    }
    return 'received';
  };
  const poll = async () => {
    pollers++;
    while (!stopping.signal.aborted) {
      try {
        if ((await takeBatch()) === 'nothing' && pollers > lowest) break;
      } catch (error) {
        setback(error);
        const isThrottle = error instanceof ServiceError && error.name === 'TooManyRequestsException';
        await sleep(clock, isThrottle ? rest.throttled : rest.refused, stopping.signal);
      }
    }
    pollers--;
  };
  for (let count = 0; count < lowest; count++) void poll();

  return {
    pollers: () => pollers,
    busy: () => busy,
    stop() {
      stopping.abort();
      for (const window of openWindows) window.abort();
    },
  };
}

/** A message of a batch: its record as JSON text, made once, and what is needed afterwards. */
interface Entry {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly text: string;
  /** With the comma behind it. */
  readonly bytes: number;
}

function toEntry(record: SqsRecord): Entry {
  const text = JSON.stringify(record);
  const { messageId, receiptHandle } = record;
  return { messageId, receiptHandle, text, bytes: Buffer.byteLength(text) + 1 };
}

/** A batch in parts, each an event within the payload limit: almost always one. */
function* withinLimit(batch: readonly Entry[]): Generator<readonly Entry[]> {
  const frame = '{"Records":[]}'.length;
  let bytes = frame;
  let start = 0;
  for (const [index, entry] of batch.entries()) {
    if (index > start && bytes + entry.bytes > eventLimit) {
      yield batch.slice(start, index);
      start = index;
      bytes = frame;
    }
    bytes += entry.bytes;
  }
  yield start === 0 ? batch : batch.slice(start);
}

/**
 * A pattern for fields of the body needs a body of JSON, one for the body as a whole takes it as text (Lambda
 * developer guide, "Properly filtering Amazon SQS messages").
 */
function matchesRecord(pattern: Pattern, record: SqsRecord): boolean {
  if (pattern.body === undefined || Array.isArray(pattern.body)) return matches(pattern, record);
  try {
    return matches(pattern, { ...record, body: JSON.parse(record.body) });
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
