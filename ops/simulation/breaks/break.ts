import { assemble, type RuntimeParts, standardParts } from '../../../lambda/runtime/assembly.ts';
import type { Kind } from '../judge/index.ts';
import type { BuildConsumer, BuildOrder } from '../types.ts';

/**
 * A runtime with one protection switched off: what it does wrong, it does by itself.
 *
 * @example
 * ```ts
 * const { what, build } = breaks.noFence;
 * const { violations } = await play(7, { build });
 * ```
 */
export interface Break {
  readonly name: string;
  /** What is switched off, in one sentence. */
  readonly what: string;
  /** Numbers of the hazards that the protection holds. */
  readonly hazards: readonly number[];
  /** The kinds of violation that it leads to; one of them is enough to be found out. */
  readonly expected: readonly Kind[];
  /** Within how many seeds, from the first on, the simulation finds it out. */
  readonly within: number;
  readonly build: BuildConsumer;
}

/** The standard parts but for those that are given, for one environment of a function. */
export const broken =
  (parts: (order: BuildOrder) => Partial<RuntimeParts>): BuildConsumer =>
  (order) =>
    runtimeOf({ ...standardParts, ...parts(order) })(order);

const runtimeOf =
  (parts: RuntimeParts): BuildConsumer =>
  ({ messaging, subscriber, handler, tools }) =>
    assemble(parts)(messaging, subscriber, handler as never, tools);
