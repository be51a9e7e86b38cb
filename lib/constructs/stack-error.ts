import { ConstructError } from './construct-error.ts';

/**
 * One fault in the props of a stack.
 *
 * @example
 * ```ts
 * for (const { property, found, allowed } of error.faults) console.error(property, found, allowed);
 * ```
 */
export interface StackFault {
  /** Where it is, for example `subscribers.payments.queue`. */
  readonly property: string;
  /** What was found there. */
  readonly found: string;
  /** What is allowed. */
  readonly allowed: string;
  /** What to do. */
  readonly remedy: string;
}

/**
 * Props that do not fit the declaration, or each other. Lists every fault at once.
 *
 * @example
 * ```ts
 * try {
 *   new MessagingStack(app, 'Shop', props);
 * } catch (error) {
 *   if (error instanceof StackError) console.error(error.faults);
 * }
 * ```
 */
export class StackError extends ConstructError {
  static {
    StackError.prototype.name = 'StackError';
  }

  declare readonly faults: readonly StackFault[];

  constructor(stackId: string, faults: readonly StackFault[]) {
    const lines = faults.map(
      ({ property, found, allowed, remedy }) =>
        `  - ${property}: found ${found}; allowed: ${allowed}. ${remedy}`,
    );
    const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
    super(`The props of the stack "${stackId}" have ${count}:\n${lines.join('\n')}`);
    // Node prints what can be enumerated after the message, which says it all already.
    Object.defineProperty(this, 'faults', { value: faults });
  }
}
