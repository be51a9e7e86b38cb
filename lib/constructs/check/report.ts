import type { IConstruct } from 'constructs';
import type { RuleId, Violation } from '../../rules/index.ts';

/** Something that a rule found, at the construct that it is said of. */
export interface Fault {
  readonly at: IConstruct;
  readonly rule: RuleId;
  readonly severity: Violation['severity'];
  readonly found: string;
  readonly allowed: string;
  readonly remedy: string;
}

/** One line on one fault; the CDK puts the construct's path before it. */
export const lineOf = ({ rule, found, allowed, remedy }: Fault): string =>
  `${rule}: found ${found}; allowed: ${allowed}. ${remedy} See docs/rules.md#${rule}`;

/** How many constructs of a stack may be warned about by one rule one by one. */
const mostWarnings = 3;

/** Warnings that a stack has many of are said once: forty alarms without an action are one thing to do. */
export function gather<Each extends Fault & { readonly strict: boolean }>(
  faults: readonly Each[],
  stackOf: (construct: IConstruct) => IConstruct,
): readonly Each[] {
  const groups = new Map<string, Each[]>();
  for (const fault of faults) {
    const key = `${fault.rule} ${fault.strict} ${stackOf(fault.at).node.path}`;
    groups.set(key, [...(groups.get(key) ?? []), fault]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || first.severity === 'error' || group.length <= mostWarnings) return group;
    const stack = stackOf(first.at);
    const names = group.slice(0, 2).map(({ at }) => at.node.path);
    return {
      ...first,
      at: stack,
      found: `${first.found} at ${group.length} places, such as ${names.join(' and ')}`,
    };
  });
}
