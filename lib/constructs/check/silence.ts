import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { isRuleId, type RuleId, ruleLike } from '../../rules/index.ts';
import type { Fault } from './report.ts';

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

/**
 * What is wrong with a silence that was written with the CDK's own words. Other warnings of this package are acknowledged
 * by ids that are none of a rule; only what is nearly one is taken for misspelt.
 */
export function wrongSilence({ id, reason }: Silence): Omit<Fault, 'at'>[] {
  const severity = 'error' as const;
  if (!isRuleId(id)) {
    const meant = ruleLike(id);
    return meant === undefined
      ? []
      : [
          {
            rule: 'silenced-rule',
            severity,
            found: `"${id}", which silences nothing`,
            allowed: `an id of docs/rules.md, such as "${meant}"`,
            remedy: 'Correct it, or take it away.',
          },
        ];
  }
  return faultOf({ id, reason }) === undefined
    ? []
    : [
        {
          rule: 'silence-reason',
          severity,
          found: `no reason for silencing "${id}"`,
          allowed: 'a reason',
          remedy: 'Say why, and until when.',
        },
      ];
}
