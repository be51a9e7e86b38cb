import type { Claim } from './claim.ts';
import { asError, LeaseLost, TableUnavailable } from './errors.ts';
import { type RecordView, readRecord } from './record.ts';
import type { Statements } from './statements.ts';
import type { RecordStore } from './store.ts';

/**
 * How far the work on an event has come: a small checkpoint, kept in the event's record.
 *
 * @example
 * ```ts
 * const importRows = async (file: Import, { progress, signal }: HandlerContext): Promise<void> => {
 *   const { next = 0 } = (progress.saved ?? {}) as { next?: number };
 *   for (let row = next; row < file.rows; row += 1_000) {
 *     signal.throwIfAborted();
 *     await importPart(file, row);
 *     await progress.save({ next: row + 1_000 });
 *   }
 * };
 * ```
 */
export interface Progress {
  /**
   * What this attempt saved last, else what an earlier one did; `undefined` when nothing was saved. A value of its
   * own at each reading.
   */
  readonly saved: unknown;
  /**
   * Saves a value for this attempt and the next, in place of what was saved before. It is dropped when the event is
   * done, and when a dead letter is sent again.
   *
   * @param value - JSON, up to 32,768 bytes
   * @throws {TypeError} the value is no JSON
   * @throws {RangeError} it is too large
   * @throws {LeaseLost} another owner has the event, or it is done: nothing was saved, stop
   * @throws {TableUnavailable} not known to be saved, after all tries
   * @example
   * ```ts
   * await context.progress.save({ cursor: page.next, done: 400 });
   * ```
   */
  save(value: unknown): Promise<void>;
}

/** A handler's progress, as the runtime sees it. */
export interface Saving extends Progress {
  /** Whether what is saved differs from what the attempt was handed. */
  readonly moved: boolean;
  /** Resolves when no save is under way. Never rejects. */
  settled(): Promise<void>;
}

/** An item has up to 400 KB (DynamoDB quotas); a small part of it keeps the writes of a record cheap. */
const mostBytes = 32_768;

/**
 * Saves are written one after another, under owner and fence. They leave the lease as it is: the heartbeat extends
 * it together with the visibility, which a lease of its own would outlast.
 */
export function createProgress(
  context: { readonly store: RecordStore; readonly statements: Pick<Statements, 'save'> },
  claim: Claim,
): Saving {
  const { store, statements } = context;
  const handed = claim.progress;
  let running: Promise<void> | undefined;

  async function save(text: string) {
    if (claim.phase !== 'held') throw lost();
    const [result] = await store.write([statements.save(claim, text)]);
    if (result?.kind !== 'done') {
      const record =
        result?.kind === 'refused' && result.found !== undefined ? result.found : await look(result);
      if (!isOwn(claim, record)) {
        if (claim.phase === 'held') {
          claim.phase = 'taken';
          claim.abort(lost());
        }
        throw lost();
      }
      // Completed or given back in the meantime, by ourselves.
      if (record.state !== claim.holds) throw lost();
      if (record.progress !== text) throw unavailable(causeOf(result));
    }
    claim.progress = text;
  }

  /** The service did not tell how the write ended: the record does. */
  async function look(result: Awaited<ReturnType<RecordStore['write']>>[number] | undefined) {
    try {
      return readRecord((await store.items([claim.key])).get(claim.key));
    } catch (thrown) {
      throw unavailable(causeOf(result) ?? asError(thrown));
    }
  }

  return {
    get saved() {
      return claim.progress === undefined ? undefined : JSON.parse(claim.progress);
    },
    save(value) {
      const saving = (running ?? Promise.resolve()).catch(() => undefined).then(() => save(textOf(value)));
      running = saving;
      // A handler that does not wait for it must not end the process with it.
      saving.catch(() => undefined);
      return saving;
    },
    get moved() {
      return claim.progress !== undefined && claim.progress !== handed;
    },
    settled: async () => {
      await running?.catch(() => undefined);
    },
  };
}

function textOf(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (thrown) {
    cause = asError(thrown);
  }
  if (text === undefined)
    throw new TypeError(
      `The progress is no JSON: found ${cause === undefined ? typeof value : 'a cycle, a bigint, or what throws'}. ` +
        'Save plain objects, arrays, text, numbers, booleans or null.',
      { cause },
    );
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes)
    throw new RangeError(
      `The progress has ${bytes} bytes of JSON; allowed are ${mostBytes}. Save where the work stands, not its results.`,
    );
  return text;
}

const isOwn = (claim: Claim, record: RecordView | undefined): record is RecordView =>
  record !== undefined && record.owner === claim.owner && record.fence === claim.fence;

const causeOf = (result: { readonly kind: string; readonly error?: Error } | undefined) => result?.error;

const lost = () => new LeaseLost('Nothing was saved: the event is not this attempt’s any more.');

const unavailable = (cause: Error | undefined) =>
  new TableUnavailable('The progress is not known to be saved: the table of records did not take it.', {
    cause,
  });
