/**
 * Why a stack could not be started on this machine, in words for whoever started it: what was found and what to do.
 *
 * @example
 * ```ts
 * try {
 *   await startLocal({ port: 4566 });
 * } catch (error) {
 *   if (error instanceof LocalStackError) console.error(error.message);
 *   else throw error;
 * }
 * ```
 */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
}
