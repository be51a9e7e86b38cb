import { BlockList, isIP } from 'node:net';
import { invalidParameter } from '../errors.ts';
import { compileWildcard } from './wildcard.ts';

/** A value at which a condition looks. */
export type Scalar = string | number | boolean | null;

/** One condition of a filter policy, ready to be asked. */
export type Condition =
  /** Whether the property is there at all. */
  | { readonly kind: 'exists'; readonly expected: boolean }
  /** `negative` (anything-but): of several values, none may be listed. */
  | { readonly kind: 'value'; readonly negative: boolean; readonly matches: (value: Scalar) => boolean };

type TextTest = (text: string) => boolean;

// SNS developer guide, filter policy constraints: numbers from -10^9 to 10^9.
const LARGEST_NUMBER = 1_000_000_000;

const refuse = (reason: string) => invalidParameter(`FilterPolicy: ${reason}`);

/** Tests on text by operator: those that stand alone and inside `anything-but`. */
const TEXT_OPERATORS: Readonly<Record<string, (pattern: string) => TextTest>> = {
  prefix: (pattern) => (text) => text.startsWith(pattern),
  suffix: (pattern) => (text) => text.endsWith(pattern),
  wildcard: compileWildcard,
  'equals-ignore-case': (pattern) => {
    const folded = pattern.toLowerCase();
    return (text) => text.toLowerCase() === folded;
  },
};

/**
 * Compiles the conditions of one property; any of them is enough. Exact values are put into one set.
 *
 * @throws ServiceError `InvalidParameterException` for a condition that SNS does not know
 */
export function compileConditions(conditions: readonly unknown[]): readonly Condition[] {
  if (conditions.length === 0) throw refuse('Empty arrays are not allowed');
  const exact = new Set<Scalar>();
  const compiled: Condition[] = [];
  for (const condition of conditions) {
    if (isScalar(condition)) exact.add(checkedRange(condition));
    else compiled.push(compileOperator(condition));
  }
  if (exact.size > 0)
    compiled.unshift({ kind: 'value', negative: false, matches: (value) => exact.has(value) });
  return compiled;
}

function compileOperator(condition: unknown): Condition {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition))
    throw refuse('Match value must be String, number, true, false, or null');
  const entries = Object.entries(condition);
  if (entries.length !== 1) throw refuse('Only one key allowed in match expression');
  const [operator, operand] = entries[0]!;
  if (operator === 'exists') {
    if (typeof operand !== 'boolean') throw refuse('exists match pattern must be either true or false.');
    return { kind: 'exists', expected: operand };
  }
  if (operator === 'anything-but') return { kind: 'value', negative: true, matches: anythingBut(operand) };
  if (operator === 'numeric') return { kind: 'value', negative: false, matches: numeric(operand) };
  if (operator === 'cidr') return { kind: 'value', negative: false, matches: onText(cidr(operand)) };
  const compile = Object.hasOwn(TEXT_OPERATORS, operator) ? TEXT_OPERATORS[operator] : undefined;
  if (compile === undefined) throw refuse(`Unrecognized match type ${operator}`);
  return {
    kind: 'value',
    negative: false,
    matches: onText(compile(textOf(operand, `${operator} match pattern must be a string`))),
  };
}

function anythingBut(operand: unknown): (value: Scalar) => boolean {
  if (typeof operand === 'object' && operand !== null && !Array.isArray(operand)) {
    const entries = Object.entries(operand);
    if (entries.length !== 1) throw refuse('Only one key allowed in match expression');
    const [operator, patterns] = entries[0]!;
    const compile = Object.hasOwn(TEXT_OPERATORS, operator) ? TEXT_OPERATORS[operator] : undefined;
    if (compile === undefined) throw refuse(`Unsupported anything-but pattern: ${operator}`);
    const list: readonly unknown[] = Array.isArray(patterns) ? patterns : [patterns];
    if (list.length === 0) throw refuse('Empty arrays are not allowed');
    const tests = list.map((one) => compile(textOf(one, `${operator} match pattern must be a string`)));
    return (value) => typeof value === 'string' && !tests.some((test) => test(value));
  }
  const list: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) throw refuse('Empty arrays are not allowed');
  const listed = new Set<Scalar>();
  for (const one of list) {
    if (typeof one !== 'string' && typeof one !== 'number')
      throw refuse('Inside anything-but list, start|null|boolean is not supported.');
    listed.add(checkedRange(one));
  }
  return (value) => value !== null && !listed.has(value);
}

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

function numeric(operand: unknown): (value: Scalar) => boolean {
  if (!Array.isArray(operand)) throw refuse('Value of numeric must be an array.');
  if (operand.length !== 2 && operand.length !== 4)
    throw refuse('Invalid member in numeric match: one or two pairs of operator and number are allowed');
  const tests: ((value: number) => boolean)[] = [];
  const operators: string[] = [];
  for (let index = 0; index < operand.length; index += 2) {
    const operator: unknown = operand[index];
    const bound: unknown = operand[index + 1];
    if (typeof operator !== 'string' || !Object.hasOwn(COMPARISONS, operator))
      throw refuse(`Invalid member in numeric match: ${JSON.stringify(operator)}`);
    if (typeof bound !== 'number') throw refuse(`Value of ${operator} must be numeric`);
    checkedRange(bound);
    const compare = COMPARISONS[operator]!;
    operators.push(operator);
    tests.push((value) => compare(value, bound));
  }
  if (tests.length === 2) {
    if (!operators[0]!.startsWith('>') || !operators[1]!.startsWith('<'))
      throw refuse('Bad numeric range operator: a range is ">" or ">=" followed by "<" or "<="');
    if (operand[1] >= operand[3]) throw refuse('Bottom must be less than top');
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function cidr(operand: unknown): TextTest {
  const text = textOf(operand, 'cidr match pattern must be a string');
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const bits = Number(length);
  const longest = version === 6 ? 128 : 32;
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '') || bits > longest)
    throw refuse(`Malformed CIDR, one '/' required: ${text}`);
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const block = new BlockList();
  block.addSubnet(address, bits, family);
  return (candidate) => isIP(candidate) === version && block.check(candidate, family);
}

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object';

const onText = (test: TextTest) => (value: Scalar) => typeof value === 'string' && test(value);

function textOf(value: unknown, reason: string): string {
  if (typeof value !== 'string') throw refuse(reason);
  return value;
}

function checkedRange<Value extends Scalar>(value: Value): Value {
  if (typeof value === 'number' && Math.abs(value) > LARGEST_NUMBER)
    throw refuse(`Numeric values must be between -1.0E9 and 1.0E9, inclusive; found ${value}`);
  return value;
}
