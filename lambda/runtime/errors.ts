import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Seconds } from '../../lib/base/index.ts';
import type { Redact } from './redact.ts';
import { wellFormed } from './text.ts';

/**
 * Thrown by a handler for what can never succeed: the message goes to the dead-letter queue at once, with the
 * reason `permanent`, instead of being tried again.
 *
 * @example
 * ```ts
 * if (event.data.amount < 0) throw new PermanentError('The amount is negative: nothing can be charged.');
 * ```
 */
export class PermanentError extends Error {
  override readonly name: string = 'PermanentError';
}

/**
 * Thrown by a handler that knows when another try makes sense: the message comes back after `after` seconds
 * (0 to 43,200, SQS quotas) instead of after the computed backoff. The try counts as an attempt.
 *
 * @example
 * ```ts
 * if (response.status === 429) throw new RetryLater({ after: seconds(20), cause: response });
 * ```
 */
export class RetryLater extends Error {
  override readonly name: string = 'RetryLater';
  /** How long to wait, in seconds. */
  readonly after: Seconds;

  constructor(options: { readonly after: Seconds; readonly message?: string; readonly cause?: unknown }) {
    super(options.message ?? `The handler asks to be tried again in ${options.after} s.`, {
      cause: options.cause,
    });
    this.after = options.after;
  }
}

/**
 * One item of `commitWith` whose own condition did not hold.
 *
 * @example
 * ```ts
 * const soldOut = ({ found }: FailedCondition): boolean => found?.free?.N === '0';
 * if (error instanceof ConditionFailed && error.failures.some(soldOut)) await refuseOrder();
 * ```
 */
export interface FailedCondition {
  /** Its position in the list that was given to `commitWith`. */
  readonly index: number;
  /** The item as it was found; `undefined` when there is none. */
  readonly found: Record<string, AttributeValue> | undefined;
}

/**
 * `commitWith` was refused because conditions of the handler's own items do not hold. Nothing was written; the
 * event is still the handler's, which may decide, commit something else, or throw.
 *
 * @example
 * ```ts
 * try {
 *   await context.commitWith([takeFromStock]);
 * } catch (error) {
 *   if (!(error instanceof ConditionFailed)) throw error;
 *   await context.commitWith([backorder(error.failures[0]?.found)]);
 * }
 * ```
 */
export class ConditionFailed extends Error {
  override readonly name: string = 'ConditionFailed';
  readonly failures: readonly FailedCondition[];

  constructor(failures: readonly FailedCondition[], options?: ErrorOptions) {
    const places = failures.map((failure) => failure.index).join(', ');
    super(
      `Nothing was committed: the condition of item ${places} does not hold. ` +
        'Look at `failures` for what was found, then commit something else, or throw.',
      options,
    );
    this.failures = failures;
  }
}

/**
 * The right to work on the event is gone: the lease ended or another owner took over. Nothing can be committed
 * any more. It is also the reason of `signal` when that fires for this cause.
 *
 * @example
 * ```ts
 * context.signal.addEventListener('abort', () => {
 *   if (context.signal.reason instanceof LeaseLost) stop();
 * });
 * ```
 */
export class LeaseLost extends Error {
  override readonly name: string = 'LeaseLost';
}

/**
 * The function's time is nearly over: the reason of `signal` when that fires for this cause. What has not been
 * done by then goes back to the queue; a run that began in the first half of that time has used an attempt,
 * unless it has saved progress that it was not handed.
 *
 * @example
 * ```ts
 * if (context.signal.reason instanceof DeadlineReached) await saveWhatIsDone();
 * ```
 */
export class DeadlineReached extends Error {
  override readonly name: string = 'DeadlineReached';
}

/**
 * `commitWith` could not learn whether the transaction was applied, not even by reading the record. The message
 * goes back to the queue; the record decides at its next delivery.
 *
 * @example
 * ```ts
 * // Let it pass: the runtime returns the message, and a commit that was applied suppresses the repeat.
 * if (error instanceof OutcomeUnknown) throw error;
 * ```
 */
export class OutcomeUnknown extends Error {
  override readonly name: string = 'OutcomeUnknown';
}

/**
 * An event with a sequence was overtaken: while it was handled, a newer one of its key was applied. Nothing was
 * written. Whatever the handler makes of this error, the event is dropped and counted as `stale`, and never tried
 * again.
 *
 * @example
 * ```ts
 * // Let it pass, after undoing what was done elsewhere.
 * if (error instanceof StaleSequence) await releaseSeats(event.id);
 * throw error;
 * ```
 */
export class StaleSequence extends Error {
  override readonly name: string = 'StaleSequence';
  /** The event's own sequence; decimal integers are padded to 38 digits. */
  readonly sequence: string;
  /** The newest event of the key that was applied. */
  readonly applied: { readonly sequence: string; readonly id: string };

  constructor(
    sequence: string,
    applied: { readonly sequence: string; readonly id: string },
    options?: ErrorOptions,
  ) {
    const plain = (text: string) => text.replace(/^0+(?=\d+$)/, '').slice(0, 100);
    super(
      `Nothing was committed: the event has sequence ${plain(sequence)}, and ${plain(applied.sequence)} of its key was ` +
        'applied meanwhile. Undo what was done elsewhere: the event is dropped.',
      options,
    );
    this.sequence = sequence;
    this.applied = applied;
  }
}

/**
 * An event that cannot be published as it is: its data break the schema, or it is too large.
 *
 * @example
 * ```ts
 * if (error instanceof PublishRefused) return { statusCode: 400, body: error.message };
 * ```
 */
export class PublishRefused extends Error {
  override readonly name: string = 'PublishRefused';
}

/**
 * The function's surroundings are not what the stack sets up: an environment variable is missing, or the
 * invocation is not a batch of SQS messages. The whole batch stays in the queue. Or an option has no meaning.
 *
 * @example
 * ```ts
 * // SLUICE_RECORDS_TABLE was not set
 * if (error instanceof ConfigurationError) console.error(error.message);
 * ```
 */
export class ConfigurationError extends Error {
  override readonly name: string = 'ConfigurationError';
}

/**
 * The table of records, or a table of `commitWith`, did not answer, or refused by throttling beyond the bounds of
 * retrying. Nothing was written; the message goes back and has used no attempt.
 *
 * @example
 * ```ts
 * // Let it pass: the runtime returns the message.
 * if (error instanceof TableUnavailable) throw error;
 * ```
 */
export class TableUnavailable extends Error {
  override readonly name: string = 'TableUnavailable';
}

/** What a message carries that can never be handled. */
export class Undeliverable extends Error {
  override readonly name: string = 'Undeliverable';
  readonly reason: 'undecodable' | 'schema';

  constructor(reason: 'undecodable' | 'schema', message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The handler ignored its signal and was still running when the function's time was over. */
export class HandlerTimeout extends Error {
  override readonly name: string = 'HandlerTimeout';
}

/** What was thrown, as an error, whatever it was: the traps of a proxy may throw in their turn. */
export function asError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error) return thrown;
    const text = typeof thrown === 'object' || typeof thrown === 'function' ? '' : ` ${String(thrown)}`;
    return new Error(`Something that is no error was thrown: ${typeof thrown}${text}`, { cause: thrown });
  } catch {
    return new Error(unreadable);
  }
}

/** UTF-16 units of an error, in a log line. */
export const mostLogLength = 300;

/**
 * Class and message of an error, cleaned of payload, on one line, cut to `most` UTF-16 units, well-formed. Getters of an
 * error may throw, and a message must not be lost over the question why it failed.
 */
export function describeError(error: Error, most: number, redact: Redact = (text) => text): string {
  let text: string;
  try {
    text = `${classOf(error, redact)}: ${redact(`${error.message}`)}`;
  } catch {
    text = unreadable;
  }
  // Cut before the white space is looked at: a message may be as long as memory allows.
  const line = text.slice(0, most * 4).replace(/\s+/g, ' ');
  return wellFormed(line.length <= most ? line : `${line.slice(0, most - 1)}…`);
}

/** Where an error comes from: its stack without class and message, cleaned of payload, cut to `most` UTF-16 units. */
export function describeStack(error: Error, most: number, redact: Redact): string | undefined {
  try {
    const { stack } = error as { stack?: unknown };
    if (typeof stack !== 'string') return undefined;
    const head = `${error.name}: ${error.message}`;
    // The class may have got its name after the stack was written.
    const frames = stack.startsWith(head) ? stack.slice(head.length) : stack.slice(firstFrame(stack));
    const text = redact(frames.trim());
    return text === '' ? undefined : wellFormed(text.slice(0, most));
  } catch {
    return undefined;
  }
}

const firstFrame = (stack: string): number => {
  const found = stack.search(/\n\s+at /);
  return found < 0 ? stack.length : found;
};

/** A class is a name that a program gave, so no payload; what looks otherwise is cleaned as any text is. */
const classOf = (error: Error, redact: Redact): string => {
  const name = `${error.name}`;
  return /^[A-Za-z_$][\w$.]{0,63}$/.test(name) ? name : redact(name);
};

const unreadable = 'An error was thrown that throws when it is looked at.';
