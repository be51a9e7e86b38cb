import { alarmRules } from './alarms.ts';
import { dashboardRules } from './dashboards.ts';
import { deadLetterRules } from './dead-letters.ts';
import { declarationRules } from './declarations.ts';
import { eventSourceRules } from './event-sources.ts';
import { filterRules } from './filters.ts';
import { functionRules } from './functions.ts';
import { type Graph, readGraph } from './graph.ts';
import { keyRules } from './keys.ts';
import { nameRules } from './names.ts';
import { queueRules } from './queues.ts';
import { conditionsOf } from './resolve.ts';
import type { Rule, RuleTable } from './rule.ts';
import { silenceRules } from './silences.ts';
import { subscriptionRules } from './subscriptions.ts';
import type { StackTemplate } from './template.ts';

/** The rules by what they are about, in the order of docs/rules.md. */
export const themes = {
  Queues: queueRules,
  'Dead-letter queues': deadLetterRules,
  Subscriptions: subscriptionRules,
  Filters: filterRules,
  'Event sources': eventSourceRules,
  Functions: functionRules,
  Alarms: alarmRules,
  'Keys and policies': keyRules,
  Dashboards: dashboardRules,
  Names: nameRules,
  Declarations: declarationRules,
  Silences: silenceRules,
} as const satisfies Readonly<Record<string, RuleTable>>;

type Themes = typeof themes;

/**
 * The id of a rule: what a fault names, and what is silenced.
 *
 * @example
 * ```ts
 * const id: RuleId = 'dead-letter-retention';
 * ```
 */
export type RuleId = { [Theme in keyof Themes]: keyof Themes[Theme] & string }[keyof Themes];

const entries = (): (readonly [string, RuleTable[string]])[] =>
  Object.values<RuleTable>(themes).flatMap((table) => Object.entries(table));

/**
 * Every rule, in the order of docs/rules.md.
 *
 * @example
 * ```ts
 * catalogue().filter(({ subjects }) => subjects.includes('declaration')).map(({ id }) => id);
 * ```
 */
export const catalogue = (): readonly (Rule & { readonly id: RuleId })[] =>
  entries().map(([id, { check: _, ...rule }]) => ({ id: id as RuleId, ...rule }));

/** Whether a text is the id of a rule. */
export const isRuleId = (id: string): id is RuleId => entries().some(([each]) => each === id);

/** The rule that a text is most likely meant to name: but for two letters, case, or what stands between words. */
export function ruleLike(text: string): RuleId | undefined {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return entries()
    .map(([id]) => ({ id: id as RuleId, away: distance(plain, id) }))
    .filter(({ away }) => away <= 2)
    .sort((one, other) => one.away - other.away)[0]?.id;
}

/** How many letters must be put in, taken out or changed to make one text of another. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, wanted] of [...other].entries())
      next.push(
        Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (letter === wanted ? 0 : 1)),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}

/**
 * What a rule found in a stack.
 *
 * @example
 * ```ts
 * for (const { rule, stack, logicalId, found } of findViolations(stacks)) console.error(rule, stack, logicalId, found);
 * ```
 */
export interface Violation {
  readonly rule: RuleId;
  readonly severity: Rule['severity'];
  /** The path of the stack, and the logical id of the resource in it. */
  readonly stack: string;
  readonly logicalId: string;
  readonly found: string;
  readonly allowed: string;
  readonly remedy: string;
}

/**
 * Everything that is wrong in the templates of an app's stacks. What only the deployment knows is no fault.
 *
 * @example
 * ```ts
 * findViolations([{ path: 'Shop', template }]).map(({ rule }) => rule); // ['dead-letter-retention']
 * ```
 */
export function findViolations(stacks: readonly StackTemplate[]): Violation[] {
  const found = judge(readGraph(stacks));
  // What is wrong whether a condition holds or not is wrong, although nobody knows which.
  for (const { stack, condition } of conditionsOf(stacks).slice(0, mostConditions)) {
    const [yes, no] = [true, false].map((holds) => judge(readGraph(stacks, { stack, condition, holds })));
    for (const one of yes ?? []) {
      const other = no?.find((each) => isOfOne(each, one));
      if (other === undefined || found.some((each) => isOfOne(each, one))) continue;
      const both = one.found === other.found ? one.found : `${one.found}, or ${other.found}`;
      found.push({ ...one, found: both });
    }
  }
  return found;
}

/** Each costs two more readings; the CDK’s own apps have none at all. */
const mostConditions = 10;

/** Whether two are of one rule at one resource. */
const isOfOne = (one: Violation, other: Violation): boolean =>
  one.rule === other.rule && one.stack === other.stack && one.logicalId === other.logicalId;

function judge(graph: Graph): Violation[] {
  const seen = new Set<string>();
  return entries().flatMap(([id, rule]) =>
    [...(rule.check?.(graph) ?? [])].flatMap(({ at, found, allowed, remedy }) => {
      const key = JSON.stringify([id, at.stack, at.logicalId, found]);
      if (seen.has(key)) return [];
      seen.add(key);
      return {
        rule: id as RuleId,
        severity: rule.severity,
        stack: at.stack,
        logicalId: at.logicalId,
        found,
        allowed: allowed ?? rule.allowed,
        remedy: remedy ?? rule.remedy,
      };
    }),
  );
}
