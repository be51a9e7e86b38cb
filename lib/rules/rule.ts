import type { Graph } from './graph.ts';
import type { Resource } from './value.ts';

/**
 * One rule: what loses, doubles, reorders or sticks messages although a declaration or a stack looks right (`error`), or
 * what costs or is advised against (`warning`). A declaration that breaks a rule is refused whatever its severity.
 *
 * @example
 * ```ts
 * const severe = catalogue().filter(({ severity }: Rule) => severity === 'error');
 * ```
 */
export interface Rule {
  /** In kebab-case; the anchor of its part of docs/rules.md, and what is silenced. */
  readonly id: string;
  readonly severity: 'error' | 'warning';
  /** What is wrong. */
  readonly condition: string;
  /** What is allowed. */
  readonly allowed: string;
  /** What to do. */
  readonly remedy: string;
  /** What comes of it: why it is an error, or a warning. */
  readonly why: string;
  /** The page of AWS, or the law of this package, that it rests on. */
  readonly source: string;
  /** What it judges: what `defineMessaging` is given, the resources of a stack, or both. */
  readonly subjects: readonly ('declaration' | 'stack')[];
}

/** What a rule found at one resource. */
export interface Finding {
  readonly at: Resource;
  readonly found: string;
  /** In place of the rule's own. */
  readonly allowed?: string;
  readonly remedy?: string;
}

/** A rule with how it judges a stack; one of declarations alone has no check. */
export interface RuleEntry extends Omit<Rule, 'id'> {
  readonly check?: (graph: Graph) => Iterable<Finding>;
}

/** Rules by id. */
export type RuleTable = Readonly<Record<string, RuleEntry>>;
