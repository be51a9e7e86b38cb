import type { CloudEvent } from '../../lib/topology/index.ts';
import type { DeadLetter } from '../harness/index.ts';

/**
 * A message in a dead-letter queue, read.
 *
 * @example
 * ```ts
 * const [letter] = await simulation.deadLetters('payments');
 * expect(letter).toMatchObject({ reason: 'permanent', attempts: 1, event: { data: { orderId: 'o-1' } } });
 * ```
 */
export interface ReadLetter<Event extends CloudEvent = CloudEvent> extends DeadLetter {
  /** The event, without a check by its schema; `undefined` when the body is none. */
  readonly event: Event | undefined;
  /** Why it lies there; `undefined` when SQS moved it by itself, after too many receives. */
  readonly reason: string | undefined;
  /** Attempts that were made. */
  readonly attempts: number | undefined;
  /** Class and message of the last error. */
  readonly error: string | undefined;
  /** When the letter was sent, RFC 3339. */
  readonly failedAt: string | undefined;
}

/** Reads what the runtime writes beside the body: attributes, or one that holds them all where there is no room. */
export function readLetter(letter: DeadLetter): ReadLetter {
  const { attributes } = letter;
  const packed = object(attributes['sluice-failure']);
  const fact = (attribute: string, name: string): string | undefined => {
    const value = attributes[attribute] ?? packed?.[name];
    return value === undefined ? undefined : String(value);
  };
  const attempts = fact('sluice-attempts', 'attempts');
  const event = object(letter.body);
  return {
    ...letter,
    event:
      typeof event?.id === 'string' && typeof event.type === 'string'
        ? (event as unknown as CloudEvent)
        : undefined,
    reason: fact('sluice-reason', 'reason'),
    attempts: attempts === undefined ? undefined : Number(attempts),
    error: fact('sluice-error', 'error'),
    failedAt: fact('sluice-failed-at', 'failedAt'),
  };
}

/** The object that a text is in JSON; `undefined` when it is none. */
function object(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
