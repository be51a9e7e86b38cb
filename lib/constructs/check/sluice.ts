import type { IConstruct } from 'constructs';
import type { RuleId } from '../../rules/index.ts';
import { watch } from './judge.ts';
import { silence } from './silence.ts';

/**
 * Options of {@link Sluice.check}.
 *
 * @example
 * ```ts
 * Sluice.check(app, { strict: true });
 * ```
 */
export interface CheckOptions {
  /**
   * Whether what is only a warning is refused too.
   *
   * @default false
   */
  readonly strict?: boolean | undefined;
}

/**
 * Refuses stacks that AWS accepts and that lose, double, reorder or stick messages, whoever made their resources: this
 * package, plain constructs of the CDK, an escape hatch or an aspect. The rules are those of docs/rules.md.
 *
 * - `check(scope, options?)`: checks an app, a stage, a stack or a construct at each synthesis. All errors stand in the
 *   one error that the CDK throws; warnings are annotations, which the CDK's command prints. Ask for it as soon as the
 *   app is there: what the CDK drops from props, such as the second of two filters of a subscription, is only seen as
 *   it is given. A stage that is added later is checked too; for its warnings to be printed, ask again at the end.
 * - `silence(construct, rule, reason)`: one rule is not asked at a construct and in it. `Validations.of(construct)
 *   .acknowledge({ id: 'sluice:<rule>', reason })` of the CDK does the same.
 *
 * @example
 * ```ts
 * const app = new App();
 * Sluice.check(app);
 * const stack = new PaymentsStack(app, 'Payments');
 * Sluice.silence(stack.audit, 'topic-without-subscriber', 'The auditors subscribe from their own account.');
 * ```
 */
export const Sluice = {
  check(scope: IConstruct, options: CheckOptions = {}): void {
    watch(scope, options.strict ?? false);
  },
  silence(construct: IConstruct, rule: RuleId, reason: string): void {
    silence(construct, rule, reason);
  },
} as const;

/** What a stack of this package asks for itself. */
export const checkStack = (stack: IConstruct): void => watch(stack, false);
