import { blameCaller } from '../base/index.ts';
import type { RuleId } from '../rules/index.ts';

/**
 * One fault in a declaration.
 *
 * @example
 * ```ts
 * for (const { rule, property, found, allowed } of error.faults) console.error(rule, property, found, allowed);
 * ```
 */
export interface DeclarationFault {
  /** The rule that is broken: its part of docs/rules.md. */
  readonly rule: RuleId;
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
export type Report = (
  rule: RuleId,
  property: string,
  found: unknown,
  allowed: string,
  remedy: string,
) => void;

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
  static {
    // Not a field: a trace that is made before it is set would bear another name.
    DeclarationError.prototype.name = 'DeclarationError';
  }

  declare readonly faults: readonly DeclarationFault[];

  constructor(message: string, faults: readonly DeclarationFault[]) {
    super(message);
    // Node prints what can be enumerated after the message, which says it all already.
    Object.defineProperty(this, 'faults', { value: faults });
    blameCaller(this);
  }
}
