/**
 * When a composite alarm is in alarm: while the alarm of that key is, while any of several is, while all of them are.
 *
 * @example
 * ```ts
 * const rule: CompositeRule = { any: ['payments-A-lag', { all: ['payments-H-stalled', 'payments-B-growth'] }] };
 * ```
 */
export type CompositeRule =
  | string
  | { readonly any: readonly CompositeRule[] }
  | { readonly all: readonly CompositeRule[] };

/**
 * The keys of the alarms that a rule names, each once.
 *
 * @example
 * ```ts
 * membersOf({ any: ['payments-A-lag', 'payments-H-stalled'] }); // ['payments-A-lag', 'payments-H-stalled']
 * ```
 */
export function membersOf(rule: CompositeRule): string[] {
  if (typeof rule === 'string') return [rule];
  return [...new Set(('any' in rule ? rule.any : rule.all).flatMap(membersOf))];
}

/**
 * A rule in CloudWatch's own words.
 *
 * @param referTo - the name or ARN of the alarm of a key
 * @example
 * ```ts
 * ruleText({ any: ['payments-A-lag', 'payments-H-stalled'] }, (key) => `Shop-${key}`);
 * // (ALARM("Shop-payments-A-lag") OR ALARM("Shop-payments-H-stalled"))
 * ```
 */
export function ruleText(rule: CompositeRule, referTo: (key: string) => string): string {
  if (typeof rule === 'string') return `ALARM("${referTo(rule)}")`;
  const [word, parts] = 'any' in rule ? ['OR', rule.any] : ['AND', rule.all];
  return `(${parts.map((part) => ruleText(part, referTo)).join(` ${word} `)})`;
}
