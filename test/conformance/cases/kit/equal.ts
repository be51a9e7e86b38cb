import { inspect } from 'node:util';
import { Difference } from '../../case.ts';

/**
 * Refuses a value that is not the wanted one, in one line that a reader of a table understands.
 *
 * @param what - what it means, as a sentence
 * @throws {Difference}
 */
export function equal(actual: unknown, expected: unknown, what = ''): void {
  if (Object.is(actual, expected)) return;
  throw new Difference(`${what} Found ${show(actual)} instead of ${show(expected)}.`.trimStart());
}

const show = (value: unknown): string => inspect(value, { breakLength: Number.POSITIVE_INFINITY });
