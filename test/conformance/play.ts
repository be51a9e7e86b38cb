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

/** The longest that a case may take on the machine's clock, in milliseconds. */
const patience = 60_000;

/** Plays one case and judges how it ended. */
export async function playCase(
  { name }: CaseGroup,
  one: ConformanceCase,
  within: (play: (world: World) => Promise<void>) => Promise<void>,
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

/** The first line that says something, short enough for a table. */
function noteOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error instanceof Difference || error instanceof AssertionError;
  const text = own ? error.message : `${error.name}: ${error.message}`;
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .join(' ')
    .replace(/\s+/g, ' ');
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}
