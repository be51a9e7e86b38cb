import { brokenAnswers } from './answers.ts';
import type { Break } from './break.ts';
import { brokenClaims } from './claims.ts';
import { brokenLetters } from './letters.ts';
import { brokenRecords } from './records.ts';
import { brokenWorkers } from './workers.ts';

export type { Break } from './break.ts';
export { type Hunted, hunt } from './hunt.ts';
export { mutationTable } from './table.ts';

/**
 * Runtimes with one protection switched off each, by name: what the simulation has to find out.
 *
 * @example
 * ```ts
 * for (const { name, what } of Object.values(breaks)) console.log(`${name}: ${what}`);
 * ```
 */
export const breaks: Readonly<Record<string, Break>> = Object.fromEntries(
  [...brokenClaims, ...brokenRecords, ...brokenWorkers, ...brokenAnswers, ...brokenLetters].map((each) => [
    each.name,
    each,
  ]),
);
