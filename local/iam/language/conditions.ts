import { isKnownKey } from './keys.ts';
import { anyOf, arnPattern, equal, pattern, sameLetters, type Test } from './patterns.ts';
import { isRecord, PolicyError, scalars } from './read.ts';
import { hasVariable } from './variables.ts';

/** The request's values by condition key in small letters; several for a key that has many, as dynamodb:LeadingKeys. */
export type ConditionValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Stands for a value that the model cannot tell: a condition on it is neither true nor false. */
export const untold = '\u0000untold';

/** One key of one operator. */
export interface Condition {
  /** In small letters. */
  readonly key: string;
  /** `undefined`: it cannot be told. */
  readonly holds: (values: ConditionValues) => boolean | undefined;
}

// Each operator: a test of the request's value made from one value of the policy. A negated operator holds when
// none of the policy's values matches, and when the key is absent.
const operators: Readonly<Record<string, { readonly test: (expected: string) => Test; negated?: boolean }>> =
  {
    StringEquals: { test: equal },
    StringNotEquals: { test: equal, negated: true },
    StringEqualsIgnoreCase: { test: sameLetters },
    StringNotEqualsIgnoreCase: { test: sameLetters, negated: true },
    StringLike: { test: pattern },
    StringNotLike: { test: pattern, negated: true },
    ArnEquals: { test: arnPattern },
    ArnLike: { test: arnPattern },
    ArnNotEquals: { test: arnPattern, negated: true },
    ArnNotLike: { test: arnPattern, negated: true },
    Bool: { test: sameLetters },
    NumericEquals: { test: (expected) => (value) => Number(value) === Number(expected) },
    NumericNotEquals: { test: (expected) => (value) => Number(value) === Number(expected), negated: true },
    NumericLessThan: { test: (expected) => (value) => Number(value) < Number(expected) },
    NumericLessThanEquals: { test: (expected) => (value) => Number(value) <= Number(expected) },
    NumericGreaterThan: { test: (expected) => (value) => Number(value) > Number(expected) },
    NumericGreaterThanEquals: { test: (expected) => (value) => Number(value) >= Number(expected) },
    DateEquals: { test: (expected) => (value) => moment(value) === moment(expected) },
    DateNotEquals: { test: (expected) => (value) => moment(value) === moment(expected), negated: true },
    DateLessThan: { test: (expected) => (value) => moment(value) < moment(expected) },
    DateLessThanEquals: { test: (expected) => (value) => moment(value) <= moment(expected) },
    DateGreaterThan: { test: (expected) => (value) => moment(value) > moment(expected) },
    DateGreaterThanEquals: { test: (expected) => (value) => moment(value) >= moment(expected) },
  };

/** A date as ISO 8601 text or in seconds since the epoch (IAM user guide, "Date condition operators"). */
const moment = (text: string): number => (/^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text));

/** An operator in its parts: `ForAllValues:StringEqualsIfExists`. */
interface Operator {
  readonly set: 'ForAllValues' | 'ForAnyValue' | undefined;
  readonly name: string;
  readonly ifExists: boolean;
}

function takeApart(text: string): Operator {
  const colon = text.indexOf(':');
  const set = colon < 0 ? undefined : text.slice(0, colon);
  if (set !== undefined && set !== 'ForAllValues' && set !== 'ForAnyValue')
    throw new PolicyError(`The condition operator ${text} is not supported: ${set} is no set operator.`);
  const plain = text.slice(colon + 1);
  const ifExists = plain.endsWith('IfExists');
  return { set, name: ifExists ? plain.slice(0, -'IfExists'.length) : plain, ifExists };
}

/** Whether the model has an operator of conditions. */
export function isOperator(text: string): boolean {
  const name = /^(?:ForAllValues:|ForAnyValue:)?(.*?)(?:IfExists)?$/.exec(text)?.[1] ?? '';
  return name === 'Null' || Object.hasOwn(operators, name);
}

/** Of what the model does not have nobody can say whether it holds. */
const nobodyKnows = (key: string): Condition => ({ key, holds: () => undefined });

/**
 * The conditions of a statement, all of which have to hold.
 *
 * @param isStrict - whether an operator that there is not is an error; else it is a condition that cannot be told
 * @throws PolicyError what is wrong
 */
export function readConditions(value: unknown, isStrict: boolean): readonly Condition[] {
  if (value === undefined) return [];
  if (!isRecord(value)) throw new PolicyError('Condition is not a JSON object.');
  return Object.entries(value).flatMap(([name, keys]) => {
    if (!isRecord(keys)) throw new PolicyError(`Condition ${name} is not a JSON object.`);
    return Object.entries(keys).map(([key, expected]) =>
      isStrict || isOperator(name)
        ? readCondition(name, key.toLowerCase(), scalars(expected, name))
        : nobodyKnows(key.toLowerCase()),
    );
  });
}

function readCondition(operatorText: string, key: string, expected: readonly string[]): Condition {
  // Of a key that the model does not know nobody can say that it is absent.
  const isKnown = isKnownKey(key);
  if (operatorText === 'Null') {
    const absent = expected.map((text) => text.toLowerCase()).includes('true');
    return {
      key,
      holds: (values) =>
        values[key] === undefined && !isKnown ? undefined : (values[key] === undefined) === absent,
    };
  }
  const { set, name, ifExists } = takeApart(operatorText);
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined) {
    throw new PolicyError(
      `The condition operator ${operatorText} is not supported; use ${Object.keys(operators).join(', ')} or Null.`,
    );
  }
  if (expected.some(hasVariable)) return nobodyKnows(key);
  const matches = anyOf(expected.map(operator.test));
  const negated = operator.negated === true;
  const test: Test = (value) => matches(value) !== negated;
  return {
    key,
    holds(values) {
      const found = values[key];
      if (found === untold || (found === undefined && !isKnown)) return undefined;
      // No value at all counts as a key that is absent (IAM user guide, "Multivalued context keys").
      if (found === undefined || found.length === 0)
        return ifExists || set === 'ForAllValues' || (negated && set === undefined);
      if (typeof found === 'string') return test(found);
      return set === 'ForAllValues' ? found.every(test) : found.some(test);
    },
  };
}
