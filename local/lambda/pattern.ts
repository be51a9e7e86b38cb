/** A filter pattern: an object of fields whose leaves are lists of rules, as EventBridge has them. */
export type Pattern = { readonly [field: string]: Pattern | readonly unknown[] };

/** Rules by their name; each tells whether one value satisfies it (Lambda developer guide, "Filter rule syntax"). */
const rules: Readonly<Record<string, (value: unknown, argument: unknown) => boolean>> = {
  prefix: (value, argument) => typeof value === 'string' && value.startsWith(String(argument)),
  suffix: (value, argument) => typeof value === 'string' && value.endsWith(String(argument)),
  'equals-ignore-case': (value, argument) =>
    typeof value === 'string' && value.toLowerCase() === String(argument).toLowerCase(),
  'anything-but': (value, argument) => value !== undefined && !anyOf(value, [argument].flat()),
  numeric: (value, argument) => typeof value === 'number' && inRange(value, argument),
};

/**
 * Whether a value of JSON matches a pattern: every field of the pattern, by one of its rules. An array matches
 * when one of its elements does.
 */
export function matches(pattern: Pattern, value: unknown): boolean {
  return Object.entries(pattern).every(([field, expected]) => {
    if (field === '$or' && Array.isArray(expected)) {
      return expected.some((alternative) => matches(alternative as Pattern, value));
    }
    const found = isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    if (!Array.isArray(expected)) return matches(expected as Pattern, found);
    const candidates = Array.isArray(found) ? found : [found];
    return expected.some((rule) => candidates.some((candidate) => satisfies(candidate, rule)));
  });
}

/** Why a pattern cannot be used; `undefined` when it can. */
export function faultOf(pattern: unknown): string | undefined {
  if (!isObject(pattern)) return 'Invalid filter pattern definition.';
  for (const [field, expected] of Object.entries(pattern)) {
    if (field === '$or') {
      if (!Array.isArray(expected) || expected.length < 2)
        return '$or has to be a list of at least two patterns.';
      for (const alternative of expected) {
        const fault = faultOf(alternative);
        if (fault !== undefined) return fault;
      }
      continue;
    }
    if (isObject(expected)) {
      const fault = faultOf(expected);
      if (fault !== undefined) return fault;
      continue;
    }
    if (!Array.isArray(expected) || expected.length === 0) {
      return `Invalid filter pattern definition: "${field}" has to be an object or a list of rules.`;
    }
    for (const rule of expected) {
      if (!isObject(rule)) continue;
      const [name] = Object.keys(rule);
      if (name === undefined || (name !== 'exists' && !Object.hasOwn(rules, name))) {
        return `Unrecognized match type ${name} of "${field}"; known are exists, ${Object.keys(rules).join(', ')}.`;
      }
    }
  }
  return undefined;
}

function satisfies(value: unknown, rule: unknown): boolean {
  if (!isObject(rule)) return value === rule;
  const [entry] = Object.entries(rule);
  if (entry === undefined) return false;
  const [name, argument] = entry;
  if (name === 'exists') return (value !== undefined) === argument;
  return Object.hasOwn(rules, name) && rules[name]?.(value, argument) === true;
}

const anyOf = (value: unknown, expected: readonly unknown[]) =>
  expected.some((rule) => satisfies(value, rule));

const comparisons: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** `['>', 0, '<=', 100]` */
function inRange(value: number, argument: unknown): boolean {
  if (!Array.isArray(argument)) return false;
  for (let index = 0; index < argument.length; index += 2) {
    if (!comparisons[String(argument[index])]?.(value, Number(argument[index + 1]))) return false;
  }
  return argument.length > 0;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
