/**
 * A mistake in how a command was called: an unknown verb or flag, a value that is not allowed. The message is one
 * line that names what was found and what is allowed; the command ends with code 2.
 *
 * @example
 * ```ts
 * throw new UsageError('--speed is "warp"; it must be a number from 1 to 10.');
 * ```
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Something outside stands in the way: a port that is taken, a file that cannot be read. The message is one line
 * that says what was found and what to do; the command ends with code 1.
 *
 * @example
 * ```ts
 * throw new Failure(`${path} cannot be read: ${cause.message}`, { cause });
 * ```
 */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Errors of other rooms that are meant for the user as they are, by name: the rooms are not loaded for it. */
const meantForUsers = new Set(['Failure', 'LocalStackError', 'DeploymentError', 'DeclarationError']);

/** How an error ends a command: what is printed, and the exit code. Anything unforeseen keeps its stack trace. */
export function verdictOn(error: unknown): { readonly message: string; readonly exitCode: number } {
  if (!(error instanceof Error)) return { message: `sluice: ${String(error)}`, exitCode: 1 };
  if (error.name === 'UsageError') return { message: `sluice: ${error.message}`, exitCode: 2 };
  if (meantForUsers.has(error.name)) return { message: `sluice: ${error.message}`, exitCode: 1 };
  return {
    message: `sluice: this is a fault of sluice itself.\n${error.stack ?? error.message}`,
    exitCode: 1,
  };
}
