import type { Judged } from './goal.ts';

/** How much is measured. */
export interface Effort {
  /** Fewer rounds of fewer messages: shows that everything works, its digits are rough. */
  readonly quick: boolean;
  /** Gets a line at each step. */
  readonly say: (line: string) => void;
}

/** A table of figures. */
export interface Table {
  readonly title: string;
  /** What was compared, and how: a line or two below the title. */
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** The goals of its figures. */
  readonly goals?: readonly Judged[];
}

/** A part of the benchmark, with its name on the command line. */
export interface Part {
  readonly name: string;
  readonly description: string;
  measure(effort: Effort): Promise<readonly Table[]>;
}
