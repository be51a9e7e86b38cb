/**
 * One fault in a declaration.
 *
 * @example
 * ```ts
 * for (const { property, found, allowed } of error.faults) console.error(property, found, allowed);
 * ```
 */
export interface DeclarationFault {
  /** Where it is, for example `subscribers.payments.timeout`. */
  readonly property: string;
  /** What was found there. */
  readonly found: string;
  /** What is allowed. */
  readonly allowed: string;
  /** What to do. */
  readonly remedy: string;
}

/** How a rule reports a fault; what was found is described by the one who is told. */
export type Report = (property: string, found: unknown, allowed: string, remedy: string) => void;

/**
 * A declaration that cannot work. Lists every fault at once.
 *
 * @example
 * ```ts
 * try {
 *   defineMessaging(declaration);
 * } catch (error) {
 *   if (error instanceof DeclarationError) console.error(error.faults);
 * }
 * ```
 */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
  readonly faults: readonly DeclarationFault[];

  constructor(messagingName: string, faults: readonly DeclarationFault[]) {
    const lines = faults.map(
      (fault) => `  - ${fault.property}: found ${fault.found}; allowed: ${fault.allowed}. ${fault.remedy}`,
    );
    const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
    super(`The declaration "${messagingName}" has ${count}:\n${lines.join('\n')}`);
    this.faults = faults;
  }
}
