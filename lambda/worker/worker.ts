import {
  type Milliseconds,
  milliseconds,
  seconds,
  sleep,
  type Timer,
  toMilliseconds,
} from '../../lib/base/index.ts';
import { failuresOf } from './answer.ts';
import { hopelessness, inOneLine, WorkerError } from './errors.ts';
import { beforeFailures, createGroupLocks } from './groups.ts';
import { createInvocations } from './invocation.ts';
import type { Worker, WorkerOptions, WorkerStats } from './options.ts';
import { type Attempt, createQueue } from './queue.ts';
import type { LambdaSqsRecord } from './record.ts';
import { settingsOf } from './settings.ts';

/*
 * A lane polls, gathers a batch, has it run, and polls again. One lane listens at any time, unless all lanes are busy:
 *
 *   idle        one lane, one poll
 *   a message   its lane goes to work, another begins to listen, up to `concurrency` lanes
 *   quiet       a lane whose poll came back empty ends, if another one listens
 *
 * So lanes bound invocations and what is received ahead of them, and an idle worker pays for one poll.
 */

/** Pauses after a receive that failed: full jitter, one second doubling, at most thirty. */
const pause = { base: 1_000, most: 30_000 } as const;

/** A batch is closed when its bodies reach the payload limit of an invocation (Lambda quotas: 6 MB). */
const batchBytes = 6 * 1_048_576;

/** Messages of a group that is being worked on are given back for at most that long, in seconds. */
const longestHold = 30;

/**
 * Runs a consumer function behind a queue, as Lambda's event source would: long polls, batches, at most `concurrency`
 * invocations at once, the same judgement of what the function answers. What it answers as done is deleted; what it
 * answers as failed, and the whole batch when it throws, answers nonsense or runs out of time, comes again when its
 * visibility ends.
 *
 * Two things differ. A process cannot be killed as an environment of Lambda is: a function that overruns its time goes
 * on, unheard (`consume` does not overrun). And on a FIFO queue nothing is deleted behind a failed message of its group,
 * whatever the function answers: Lambda deletes it, and what failed then comes after what followed it.
 *
 * @throws {WorkerError} when an option is not allowed
 * @example
 * ```ts
 * const worker = startWorker({ ...shop.subscribers.payments, handler });
 * process.once('SIGTERM', () => worker.stop());
 * await worker.ended;
 * ```
 */
export function startWorker(options: WorkerOptions): Worker {
  const settings = settingsOf(options);
  const { batchSize, batchWindow, concurrency, fifo, clock, random, logger, queueUrl } = settings;
  const queue = createQueue(settings);
  const invocations = createInvocations(settings);
  const locks = createGroupLocks();
  const counts = {
    ...{ received: 0, done: 0, failed: 0, givenBack: 0, undeleted: 0 },
    ...{ invocations: 0, overrun: 0, running: 0, receiveErrors: 0 },
  };
  /** No further poll. */
  const stopping = new AbortController();
  /** Nothing is waited for any more. */
  const over = new AbortController();
  let endsAt = Number.POSITIVE_INFINITY;
  let graceTimer: Timer | undefined;
  let lanes = 0;
  let listening = 0;
  let failedInARow = 0;
  let fatal: WorkerError | undefined;
  let described: Promise<void> | undefined;
  let finish: () => void;
  const ended = new Promise<void>((resolve, reject) => {
    finish = () => {
      graceTimer?.cancel();
      if (fatal === undefined) resolve();
      else reject(fatal);
    };
  });

  function giveUp(error: WorkerError) {
    fatal ??= error;
    stopping.abort();
    // Polls of a queue that cannot be received from bring nothing.
    over.abort();
  }

  /** The first lane asks for all. */
  const describe = () => {
    described ??= queue.describe(stopping.signal).catch((error: unknown) => {
      described = undefined;
      throw error;
    });
    return described;
  };

  /** One batch: a poll for the first messages, then more within the window. */
  async function gather(attempt: Attempt): Promise<LambdaSqsRecord[]> {
    const receive = async (wait: number) => {
      const records = await queue.receive(attempt, batchSize - batch.length, seconds(wait), over.signal);
      counts.received += records.length;
      bytes += records.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
      batch.push(...records);
      return records.length;
    };
    const batch: LambdaSqsRecord[] = [];
    let bytes = 0;
    if ((await receive(settings.poll)) === 0) return batch;
    stopListening();
    const closesAt = clock.now() + toMilliseconds(batchWindow);
    try {
      while (batch.length < batchSize && bytes < batchBytes && !stopping.signal.aborted) {
        // In whole seconds, and never broken off: what a poll brings after that would be nobody's.
        const wait = Math.min(settings.poll, Math.ceil((closesAt - clock.now()) / 1_000));
        if (wait <= 0) break;
        await receive(wait);
      }
    } catch (error) {
      // What was gathered is worked on at once: it would wait for its visibility to end.
      setback(error);
    }
    return batch;
  }

  /** This lane hears of messages no more: another one does, if one more may run. */
  function stopListening() {
    listening--;
    if (listening === 0 && lanes < concurrency && !stopping.signal.aborted) void lane();
  }

  /** After a poll that failed; gives how long to pause. */
  function setback(error: unknown): Milliseconds {
    const none = milliseconds(0);
    if (stopping.signal.aborted) return none;
    counts.receiveErrors++;
    const why = error instanceof WorkerError ? error.message : hopelessness(error);
    if (why !== undefined) {
      const text = `Nothing can be received from ${queueUrl}: ${why} (${inOneLine(error)}).`;
      giveUp(error instanceof WorkerError ? error : new WorkerError(text, { cause: error }));
      return none;
    }
    const bound = Math.min(pause.most, pause.base * 2 ** Math.min(failedInARow, 10));
    failedInARow++;
    const length = milliseconds(Math.ceil(random.next() * bound));
    logger.warn('Nothing could be received; the worker tries again', {
      queueUrl,
      why: inOneLine(error),
      afterMilliseconds: length,
    });
    return length;
  }

  /** Messages that no invocation will see. */
  async function giveBack(records: readonly LambdaSqsRecord[], afterSeconds: number) {
    if (records.length === 0) return;
    counts.givenBack += records.length;
    await queue.giveBack(records, seconds(afterSeconds));
  }

  async function work(batch: readonly LambdaSqsRecord[]) {
    const { taken, rest: busy } = fifo ? locks.take(batch) : { taken: batch, rest: [] };
    await giveBack(busy, Math.min(longestHold, Math.ceil(settings.timeout)));
    if (taken.length === 0) return;
    counts.invocations++;
    counts.running++;
    const ending = await invocations.run(taken);
    counts.running--;
    const failed = failuresIn(ending, taken);
    const done = fifo ? beforeFailures(taken, failed) : taken.filter((record) => !failed(record));
    const undeleted = await queue.remove(done, over.signal);
    counts.undeleted += undeleted;
    counts.done += done.length - undeleted;
    counts.failed += taken.length - done.length;
    // Only now: what follows in a group comes after what was before it has gone.
    if (fifo) locks.release(taken);
  }

  function failuresIn(
    ending: Awaited<ReturnType<typeof invocations.run>>,
    batch: readonly LambdaSqsRecord[],
  ): (record: LambdaSqsRecord) => boolean {
    const all = (why: string, fields: object = {}) => {
      logger.warn(`${why}: its messages come again`, { messages: batch.length, ...fields });
      return () => true;
    };
    if (ending.kind === 'overran') {
      counts.overrun++;
      return all('An invocation ran out of time');
    }
    if (ending.kind === 'threw') return all('An invocation failed', { why: inOneLine(ending.error) });
    const failures = failuresOf(ending.answer, new Set(batch.map(({ messageId }) => messageId)));
    if (failures === 'all') return all('An invocation answered what is no batch response');
    return ({ messageId }) => failures.has(messageId);
  }

  async function lane() {
    lanes++;
    listening++;
    const attempt: Attempt = { id: undefined };
    let isListening = true;
    while (!stopping.signal.aborted) {
      if (!isListening) listening++;
      isListening = true;
      let batch: LambdaSqsRecord[] = [];
      try {
        await describe();
        batch = await gather(attempt);
        failedInARow = 0;
      } catch (error) {
        await sleep(clock, setback(error), stopping.signal);
        continue;
      }
      isListening = batch.length === 0;
      if (stopping.signal.aborted) await giveBack(batch, 0);
      else if (batch.length > 0) await work(batch);
      else {
        if (counts.running === 0) tell();
        if (listening > 1) break;
      }
    }
    if (isListening) listening--;
    lanes--;
    if (lanes === 0) finish();
  }

  function tell() {
    try {
      settings.onIdle();
    } catch (error) {
      logger.error('onIdle failed', { why: inOneLine(error) });
    }
  }

  void lane();
  return {
    stop({ grace = seconds(25) } = {}) {
      const moment: Milliseconds = milliseconds(clock.now() + toMilliseconds(grace));
      if (moment < endsAt) {
        endsAt = moment;
        graceTimer?.cancel();
        graceTimer = clock.after(toMilliseconds(grace), () => over.abort());
        invocations.endBy(moment);
      }
      stopping.abort();
      return ended.catch(() => undefined);
    },
    ended,
    stats: (): WorkerStats => ({ ...counts }),
  };
}
