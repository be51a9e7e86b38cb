import { AssertionError } from 'node:assert';
import { setTimeout as pause } from 'node:timers/promises';
import { type CaseGroup, type ConformanceCase, Difference } from './case.ts';
import type { World } from './world.ts';

/** How one case went on one server. */
export interface CaseResult {
  /** `sqs-fifo/earlier-message-in-flight-locks-the-group` */
  readonly id: string;
  readonly group: string;
  readonly status: 'pass' | 'differs' | 'unsupported';
  /** One line: what differs, or why it is not supported; empty for a pass. */
  readonly note: string;
}

/**
 * Plays one case and judges how it ended.
 *
 * @param patience - the longest that it may take on the machine's clock, in milliseconds
 */
export async function playCase(
  { name }: CaseGroup,
  one: ConformanceCase,
  within: (play: (world: World) => Promise<void>) => Promise<void>,
  patience = 60_000,
): Promise<CaseResult> {
  const base = { id: `${name}/${one.name}`, group: name } as const;
  const ending = new AbortController();
  try {
    const tooLong = pause(patience, undefined, { signal: ending.signal }).then(() => {
      throw new Difference(`It did not end within ${patience / 1000} s.`);
    });
    tooLong.catch(() => {});
    await within((world) => Promise.race([one.run(world), tooLong]));
    return { ...base, status: 'pass', note: '' };
  } catch (error) {
    const status = isUnsupported(error) ? 'unsupported' : 'differs';
    return { ...base, status, note: noteOf(error) };
  } finally {
    ending.abort();
  }
}

/** Error codes by which servers say that they do not have an action at all. */
const absent =
  /^(InvalidAction|UnknownOperationException|UnknownOperation|UnknownServiceException|NotImplemented(Error|Exception)?|InternalFailure\.NotImplemented|UnsupportedOperation)$/;

function isUnsupported(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Difference || error instanceof AssertionError)
    return false;
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return absent.test(error.name) || status === 501 || /not (yet )?implemented/i.test(error.message);
}

/** One line that says what was found, short enough for a table. */
function noteOf(error: unknown): string {
  const line = told(error).replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}

function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AssertionError) {
    if (error.generatedMessage)
      return `Found ${JSON.stringify(error.actual)} instead of ${JSON.stringify(error.expected)}.`;
    // What follows is the difference again, as a picture.
    return error.message.split('\n')[0] ?? '';
  }
  return error instanceof Difference ? error.message : `${error.name}: ${error.message}`;
}
