import { Difference } from '../../case.ts';

/** Spellings of one error: with the JSON protocol's ending, with the query protocol's beginning, or renamed there. */
export const plain = (code = ''): string => {
  const short = code.replace(/^AWS\.SimpleQueueService\./, '').replace(/Exception$/, '');
  return renamed[short] ?? short;
};

const renamed: Readonly<Record<string, string>> = {
  NonExistentQueue: 'QueueDoesNotExist',
  QueueAlreadyExists: 'QueueNameExists',
  MissingRequiredParameter: 'MissingParameter',
};

/** Answers of servers that do not have the action at all: no judgement on how they would have refused. */
const absent = /^(InvalidAction|Unknown(Operation|Service)|NotImplemented|InternalFailure|InternalError)$/;

/**
 * Waits for a call to be refused with one of these errors.
 *
 * @param what - what was asked for, to go on with after "was": `accepted`, `refused as X`
 * @throws {Difference} when it is taken, or refused for another reason
 */
export async function refusedOver(
  what: string,
  codes: string | readonly string[],
  call: Promise<unknown>,
): Promise<Error> {
  const wanted = typeof codes === 'string' ? [codes] : codes;
  let error: unknown;
  try {
    await call;
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) throw new Difference(`${what} was accepted.`);
  if (!(error instanceof Error)) throw error;
  const code = plain(error.name);
  if (wanted.map(plain).includes(code)) return error;
  if (absent.test(code)) throw error;
  throw new Difference(`${what} was refused as ${error.name} (${error.message}), not as ${wanted[0]}.`);
}
