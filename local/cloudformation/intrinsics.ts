import { isObject } from './template.ts';

/**
 * What the intrinsic functions ask. Each call throws an error that says what is missing.
 *
 * @example
 * ```ts
 * const scope: Scope = { ...others, ref: (name) => physicalIds[name] };
 * ```
 */
export interface Scope {
  /** Value of a parameter or pseudo parameter, or a resource's physical id. */
  ref(name: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  condition(name: string): boolean;
  mapping(map: string, first: string, second: string): unknown;
  importValue(name: string): unknown;
  readonly region: string;
}

/**
 * The value of `AWS::NoValue`: what has it is left out.
 *
 * @example
 * ```ts
 * const ref = (name: string) => (name === 'AWS::NoValue' ? noValue : physicalIds[name]);
 * ```
 */
export const noValue = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: Scope) => unknown;

const list = (value: unknown, scope: Scope, name: string): readonly unknown[] => {
  const resolved = resolve(value, scope);
  if (Array.isArray(resolved)) return resolved;
  throw new Error(`${name} needs a list, found ${JSON.stringify(resolved)}`);
};
const text = (value: unknown, scope: Scope, name: string): string => {
  const resolved = resolve(value, scope);
  if (['string', 'number', 'boolean'].includes(typeof resolved)) return String(resolved);
  throw new Error(`${name} needs a text, found ${JSON.stringify(resolved)}`);
};
/** Whether a condition holds: a function, or the name of another one as `{ Condition: name }`. */
export const truth = (value: unknown, scope: Scope): boolean => {
  const name = isObject(value) && Object.keys(value).length === 1 ? value.Condition : undefined;
  if (typeof name === 'string') return scope.condition(name);
  const resolved = resolve(value, scope);
  return resolved === true || resolved === 'true';
};
const parts = (argument: unknown, count: number, name: string): readonly unknown[] => {
  if (Array.isArray(argument) && argument.length >= count) return argument;
  throw new Error(`${name} needs a list of ${count}, found ${JSON.stringify(argument)}`);
};

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => scope.ref(String(argument)),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId, attribute] = attributeOf(argument);
    return scope.attribute(logicalId, attribute);
  },
  'Fn::Sub': (argument, scope) => {
    const [template, own] = Array.isArray(argument) ? argument : [argument, {}];
    return substitute(String(template), (name) => {
      if (isObject(own) && Object.hasOwn(own, name)) return text(own[name], scope, 'Fn::Sub');
      const dot = name.indexOf('.');
      if (dot > 0) return String(scope.attribute(name.slice(0, dot), name.slice(dot + 1)));
      return String(scope.ref(name));
    });
  },
  'Fn::Join': (argument, scope) => {
    const [separator, values] = parts(argument, 2, 'Fn::Join');
    return list(values, scope, 'Fn::Join').join(String(separator));
  },
  'Fn::Select': (argument, scope) => {
    const [index, values] = parts(argument, 2, 'Fn::Select');
    const all = list(values, scope, 'Fn::Select');
    const position = Number(text(index, scope, 'Fn::Select'));
    if (all[position] !== undefined) return all[position];
    throw new Error(`Fn::Select asks for element ${position} of a list of ${all.length}`);
  },
  'Fn::Split': (argument, scope) => {
    const [separator, value] = parts(argument, 2, 'Fn::Split');
    return text(value, scope, 'Fn::Split').split(String(separator));
  },
  'Fn::If': (argument, scope) => {
    const [condition, then, otherwise] = parts(argument, 3, 'Fn::If');
    return resolve(scope.condition(String(condition)) ? then : otherwise, scope);
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = parts(argument, 2, 'Fn::Equals').map((value) => resolve(value, scope));
    return JSON.stringify(left) === JSON.stringify(right) || String(left) === String(right);
  },
  'Fn::And': (argument, scope) => parts(argument, 1, 'Fn::And').every((value) => truth(value, scope)),
  'Fn::Or': (argument, scope) => parts(argument, 1, 'Fn::Or').some((value) => truth(value, scope)),
  'Fn::Not': (argument, scope) => !truth(parts(argument, 1, 'Fn::Not')[0], scope),
  'Fn::ImportValue': (argument, scope) => scope.importValue(text(argument, scope, 'Fn::ImportValue')),
  'Fn::FindInMap': (argument, scope) => {
    const [map, first, second] = parts(argument, 3, 'Fn::FindInMap').map((value) =>
      text(value, scope, 'Fn::FindInMap'),
    );
    return scope.mapping(String(map), String(first), String(second));
  },
  'Fn::Base64': (argument, scope) => Buffer.from(text(argument, scope, 'Fn::Base64')).toString('base64'),
  'Fn::GetAZs': (argument, scope) => {
    const region = text(argument, scope, 'Fn::GetAZs') || scope.region;
    return ['a', 'b', 'c'].map((zone) => region + zone);
  },
};

/** Functions of the assertions in a template's Rules section. */
const ruleFunctions: Readonly<Record<string, Intrinsic>> = {
  'Fn::Contains': (argument, scope) => {
    const [values, value] = parts(argument, 2, 'Fn::Contains');
    return list(values, scope, 'Fn::Contains')
      .map(String)
      .includes(text(value, scope, 'Fn::Contains'));
  },
  'Fn::EachMemberEquals': (argument, scope) => {
    const [values, value] = parts(argument, 2, 'Fn::EachMemberEquals');
    const wanted = text(value, scope, 'Fn::EachMemberEquals');
    return list(values, scope, 'Fn::EachMemberEquals').every((entry) => String(entry) === wanted);
  },
  'Fn::EachMemberIn': (argument, scope) => {
    const [values, allowed] = parts(argument, 2, 'Fn::EachMemberIn');
    const known = list(allowed, scope, 'Fn::EachMemberIn').map(String);
    return list(values, scope, 'Fn::EachMemberIn').every((entry) => known.includes(String(entry)));
  },
};

/** The name of the intrinsic function that a value is, known or not; `undefined` when it is a plain value. */
export function intrinsicOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const [name] = keys;
  if (keys.length !== 1 || name === undefined) return undefined;
  return name === 'Ref' || name.startsWith('Fn::') ? name : undefined;
}

/** Whether the model knows an intrinsic function. */
export const isKnownIntrinsic = (name: string): boolean => Object.hasOwn(intrinsics, name);

/**
 * A value with its intrinsic functions replaced by what they give; what is `AWS::NoValue` is left out.
 *
 * @throws Error saying what the scope does not have, or which function is not known
 * @example
 * ```ts
 * evaluate({ 'Fn::Join': ['-', ['a', { Ref: 'Name' }]] }, scope); // 'a-b'
 * ```
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => resolve(entry, scope)).filter((entry) => entry !== noValue);
  }
  if (!isObject(value)) return value;
  const name = intrinsicOf(value);
  if (name !== undefined) {
    const intrinsic = intrinsics[name] ?? ruleFunctions[name];
    if (intrinsic === undefined) throw new Error(`${name} is not an intrinsic function that the model knows`);
    return intrinsic(value[name], scope);
  }
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, resolve(entry, scope)] as const)
      .filter(([, entry]) => entry !== noValue),
  );
}

/** `['Queue', 'Arn']` of either form of Fn::GetAtt. */
export function attributeOf(argument: unknown): readonly [logicalId: string, attribute: string] {
  if (Array.isArray(argument)) return [String(argument[0]), argument.slice(1).join('.')];
  const whole = String(argument);
  const dot = whole.indexOf('.');
  return [whole.slice(0, dot), whole.slice(dot + 1)];
}

/** Replaces `${Name}`; `${!Name}` stands for the text `${Name}`. */
export function substitute(template: string, replacement: (name: string) => string): string {
  return template.replace(/\$\{([^}]+)\}/g, (_whole, name: string) =>
    name.startsWith('!') ? `\${${name.slice(1)}}` : replacement(name.trim()),
  );
}
