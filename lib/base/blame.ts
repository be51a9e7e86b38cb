import { fileURLToPath } from 'node:url';

/** A function or a class by which users come in. */
type Entrance = ((...parameters: never[]) => unknown) | (abstract new (...parameters: never[]) => unknown);

const entrances = new Set<Entrance>();

/**
 * Names what users call: a function; or a class, with its methods and accessors. See {@link blameCaller}.
 *
 * @example
 * ```ts
 * class Shop {
 *   static {
 *     entrance(Shop);
 *   }
 * }
 * ```
 */
export function entrance(called: Entrance): void {
  entrances.add(called);
  for (const holder of [called, called.prototype as unknown]) {
    if (holder === undefined) continue;
    for (const { value, get } of Object.values(Object.getOwnPropertyDescriptors(holder)))
      for (const each of [value, get])
        if (typeof each === 'function' && each !== called) entrances.add(each as Entrance);
  }
}

/**
 * Lets the trace of an error begin at the user's line that led to it, and end where the user's lines end. Whoever makes
 * a mistake then sees that line and the message, and not how this package found out. Without such a line the trace stays
 * as it is.
 *
 * @example
 * ```ts
 * class ShopError extends Error {
 *   constructor(message: string) {
 *     super(message);
 *     blameCaller(this);
 *   }
 * }
 * ```
 */
export function blameCaller(error: Error): void {
  const usual = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const others = othersOf(import.meta.url);
  // The nearest to the error: what a user's function passes on the way is the user's too.
  const [nearest] = [...entrances]
    .map((called) => ({ called, lines: linesAbove(called) }))
    .filter(({ lines }) => lines[0] !== undefined && !others.some((other) => lines[0]?.includes(other)))
    .sort((one, other) => other.lines.length - one.lines.length);
  if (nearest !== undefined) {
    const end = nearest.lines.findIndex((line) => line.includes('node:internal'));
    Error.stackTraceLimit = Math.min(end === -1 ? nearest.lines.length : end, usual);
    Error.captureStackTrace(error, nearest.called);
  }
  Error.stackTraceLimit = usual;
}

function linesAbove(called: Entrance): string[] {
  const probe = { stack: '' };
  Error.captureStackTrace(probe, called);
  return probe.stack.split('\n').slice(1);
}

/** What is not the user's: this package's folder, as a path and as an address, other packages, and Node itself. */
function othersOf(here: string | undefined): readonly string[] {
  // In a bundle of CommonJS nothing knows where it is.
  const folder = here === undefined ? undefined : new URL('..', here);
  return [
    ...(folder === undefined ? [] : [fileURLToPath(folder), folder.href]),
    'node_modules',
    'node:internal',
  ];
}
