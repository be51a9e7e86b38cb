import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { isRuleId, type RuleId } from '../../rules/index.ts';

/** How a rule is named to the CDK, whose `Validations.of(construct).acknowledge` silences it as well. */
export const acknowledgedId = (rule: RuleId): string => `sluice:${rule}`;

/** A rule that a construct, and all in it, is not judged by. */
export interface Silence {
  readonly id: string;
  readonly reason: unknown;
}

/**
 * Writes a silence down where the CDK keeps acknowledgments.
 *
 * @throws Error when there is no such rule, or no reason
 */
export function silence(construct: IConstruct, rule: RuleId, reason: string): void {
  const wrong = faultOf({ id: rule, reason });
  if (wrong !== undefined) throw new Error(`[${construct.node.path}] silence-reason: ${wrong}`);
  Validations.of(construct).acknowledge({ id: acknowledgedId(rule), reason });
}

/** What is wrong with a silence. */
export function faultOf({ id, reason }: Silence): string | undefined {
  if (!isRuleId(id)) return `found the rule "${id}"; allowed: an id of docs/rules.md. Correct it.`;
  if (typeof reason === 'string' && reason.trim() !== '') return undefined;
  return `found no reason for silencing "${id}"; allowed: a reason. Say why, and until when.`;
}

/** The silences that stand at a construct itself. */
export const silencesAt = (construct: IConstruct): Silence[] =>
  construct.node.metadata
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
    .flatMap(({ data }) => Object.entries((data ?? {}) as Readonly<Record<string, unknown>>))
    .flatMap(([key, reason]) => {
      // The CDK puts a kind before an id that has none: "Annotation::sluice:dead-letter-kind".
      const id = /^(?:[^:]+::)?sluice::?(.+)$/.exec(key)?.[1];
      return id === undefined ? [] : [{ id, reason }];
    });

/** Whether a rule is silenced at a construct or at one around it. */
export function isSilenced(construct: IConstruct, rule: RuleId): boolean {
  return construct.node.scopes.some((scope) =>
    silencesAt(scope).some((each) => each.id === rule && faultOf(each) === undefined),
  );
}

/** Other warnings of this package may be acknowledged too, by ids that are none of a rule. */
export const isOfARule = ({ id }: Silence): boolean => isRuleId(id);
