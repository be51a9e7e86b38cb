import type { Principal } from './service.ts';

/** A resource policy that has been read; made by {@link parsePolicy}. */
export interface Policy {
  readonly statements: readonly Statement[];
}

interface Statement {
  readonly allow: boolean;
  readonly principal: (principal: Principal) => boolean;
  readonly action: (action: string) => boolean;
  readonly resource: (resource: string) => boolean;
  readonly conditions: readonly ((values: Readonly<Record<string, string>>) => boolean)[];
}

/** What somebody wants to do, for {@link evaluatePolicy}. */
export interface PolicyRequest {
  readonly principal: Principal;
  /** `sqs:SendMessage`. */
  readonly action: string;
  /** The ARN of what the action is done to. */
  readonly resource: string;
  /**
   * Further condition keys, for example `aws:SecureTransport`; the principal's own keys are added.
   *
   * @default - `aws:SecureTransport` is `true`
   */
  readonly conditions?: Readonly<Record<string, string>>;
}

/** `none`: no statement speaks of it, so that only an identity's own policy could allow it. */
export type PolicyVerdict = 'allow' | 'deny' | 'none';

/** The policy's text is not a policy, or uses a part of the language that the model does not have. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

/**
 * Reads a resource policy (IAM user guide, JSON policy elements): Effect, Principal, Action, Resource with their
 * negations, and the condition operators for strings, ARNs, numbers, Bool and Null, each with `IfExists`.
 *
 * @throws PolicyError what is wrong, or which part is not supported: a policy is never followed in part
 * @example
 * ```ts
 * const policy = parsePolicy(attributes.Policy);
 * ```
 */
export function parsePolicy(text: string): Policy {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw new PolicyError('The policy is not valid JSON.', { cause });
  }
  if (!isRecord(document)) throw new PolicyError('The policy is not a JSON object.');
  const statements = list(document.Statement).map((statement) => {
    if (!isRecord(statement)) throw new PolicyError('A statement of the policy is not a JSON object.');
    return readStatement(statement);
  });
  return { statements };
}

/**
 * What a resource policy says to a request: a statement that denies wins over one that allows.
 *
 * @example
 * ```ts
 * evaluatePolicy(policy, {
 *   principal: { service: 'sns.amazonaws.com', sourceArn: topicArn },
 *   action: 'sqs:SendMessage',
 *   resource: queueArn,
 * });
 * ```
 */
export function evaluatePolicy(policy: Policy | undefined, request: PolicyRequest): PolicyVerdict {
  if (policy === undefined) return 'none';
  const values = conditionValues(request);
  let verdict: PolicyVerdict = 'none';
  for (const statement of policy.statements) {
    if (!statement.action(request.action) || !statement.resource(request.resource)) continue;
    if (!statement.principal(request.principal)) continue;
    if (!statement.conditions.every((condition) => condition(values))) continue;
    if (!statement.allow) return 'deny';
    verdict = 'allow';
  }
  return verdict;
}

// Condition keys are compared without regard to case (IAM user guide, Condition).
function conditionValues(request: PolicyRequest): Readonly<Record<string, string>> {
  const { principal } = request;
  const values: Record<string, string> = { 'aws:securetransport': 'true' };
  if (principal.sourceArn !== undefined) values['aws:sourcearn'] = principal.sourceArn;
  if (principal.sourceAccount !== undefined) values['aws:sourceaccount'] = principal.sourceAccount;
  if (principal.role !== undefined) values['aws:principalarn'] = principal.role;
  if (principal.service !== undefined) values['aws:principalservicename'] = principal.service;
  values['aws:principalisawsservice'] = String(principal.service !== undefined);
  for (const [key, value] of Object.entries(request.conditions ?? {})) values[key.toLowerCase()] = value;
  return values;
}

function readStatement(statement: Record<string, unknown>): Statement {
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') {
    throw new PolicyError(`Effect is ${JSON.stringify(statement.Effect)}; it must be "Allow" or "Deny".`);
  }
  return {
    allow: statement.Effect === 'Allow',
    principal: readElement(statement, 'Principal', readPrincipal),
    action: readElement(statement, 'Action', (value) => anyOf(texts(value, 'Action').map(ignoringCase))),
    resource: readElement(statement, 'Resource', (value) => anyOf(texts(value, 'Resource').map(pattern))),
    conditions: readConditions(statement.Condition),
  };
}

// An element or its negation (NotPrincipal, NotAction, NotResource); one of the two must be there.
function readElement<T>(
  statement: Record<string, unknown>,
  name: 'Principal' | 'Action' | 'Resource',
  read: (value: unknown) => (subject: T) => boolean,
): (subject: T) => boolean {
  if (statement[name] !== undefined) return read(statement[name]);
  const negated = statement[`Not${name}`];
  if (negated === undefined) throw new PolicyError(`A statement has neither ${name} nor Not${name}.`);
  const matches = read(negated);
  return (subject) => !matches(subject);
}

function readPrincipal(value: unknown): (principal: Principal) => boolean {
  if (value === '*') return () => true;
  if (!isRecord(value)) throw new PolicyError(`Principal is ${JSON.stringify(value)}; use "*" or an object.`);
  const tests: ((principal: Principal) => boolean)[] = [];
  for (const [kind, members] of Object.entries(value)) {
    for (const member of texts(members, `Principal.${kind}`)) {
      if (member === '*' && kind === 'AWS') tests.push(() => true);
      else if (kind === 'Service') tests.push((principal) => principal.service === member);
      else if (kind === 'AWS') tests.push((principal) => isPrincipalArn(principal.role, member));
      else if (kind !== 'Federated' && kind !== 'CanonicalUser') {
        throw new PolicyError(`Principal has the unknown kind ${kind}; use AWS or Service.`);
      }
    }
  }
  return anyOf(tests);
}

// An account (twelve digits, or its root's ARN) stands for all its roles.
function isPrincipalArn(role: string | undefined, member: string): boolean {
  if (role === undefined) return false;
  if (role === member) return true;
  const account = /^\d{12}$/.test(member) ? member : /^arn:[^:]+:iam::(\d{12}):root$/.exec(member)?.[1];
  return account !== undefined && role.split(':')[4] === account;
}

type Test = (value: string) => boolean;

// Each operator: a test of the request's value made from one value of the policy. A negated operator holds when
// none of the policy's values matches, and when the key is absent.
const OPERATORS: Readonly<Record<string, { readonly test: (expected: string) => Test; negated?: boolean }>> =
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
  };

function readConditions(value: unknown): Statement['conditions'] {
  if (value === undefined) return [];
  if (!isRecord(value)) throw new PolicyError('Condition is not a JSON object.');
  return Object.entries(value).flatMap(([name, keys]) => {
    if (!isRecord(keys)) throw new PolicyError(`Condition ${name} is not a JSON object.`);
    return Object.entries(keys).map(([key, expected]) =>
      readCondition(name, key.toLowerCase(), scalars(expected, name)),
    );
  });
}

function readCondition(
  name: string,
  key: string,
  expected: readonly string[],
): (values: Readonly<Record<string, string>>) => boolean {
  if (name === 'Null') {
    const absent = expected.map((text) => text.toLowerCase()).includes('true');
    return (values) => (values[key] === undefined) === absent;
  }
  const ifExists = name.endsWith('IfExists');
  const operator = OPERATORS[ifExists ? name.slice(0, -'IfExists'.length) : name];
  if (operator === undefined) {
    throw new PolicyError(
      `The condition operator ${name} is not supported; use ${Object.keys(OPERATORS).join(', ')} or Null.`,
    );
  }
  const matches = anyOf(expected.map(operator.test));
  return (values) => {
    const found = values[key];
    if (found === undefined) return ifExists || operator.negated === true;
    return matches(found) !== (operator.negated === true);
  };
}

function anyOf<T>(tests: readonly ((subject: T) => boolean)[]): (subject: T) => boolean {
  return (subject) => tests.some((test) => test(subject));
}

function equal(expected: string): Test {
  return (value) => value === expected;
}

function sameLetters(expected: string): Test {
  const lower = expected.toLowerCase();
  return (value) => value.toLowerCase() === lower;
}

function pattern(expected: string): Test {
  if (expected === '*') return () => true;
  if (!/[*?]/.test(expected)) return equal(expected);
  const expression = new RegExp(
    `^${expected
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]')}$`,
  );
  return (value) => expression.test(value);
}

function ignoringCase(expected: string): Test {
  const test = pattern(expected.toLowerCase());
  return (value) => test(value.toLowerCase());
}

// The six parts of an ARN are matched one by one, so that a star does not reach over a colon; the last may
// hold colons itself.
function arnPattern(expected: string): Test {
  if (expected === '*') return () => true;
  if (!/[*?]/.test(expected)) return equal(expected);
  const tests = arnParts(expected).map(pattern);
  return (value) => {
    const parts = arnParts(value);
    return parts.length === tests.length && parts.every((part, index) => tests[index]!(part));
  };
}

function arnParts(arn: string): readonly string[] {
  const parts = arn.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const list = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function texts(value: unknown, where: string): readonly string[] {
  return list(value).map((item) => {
    if (typeof item !== 'string')
      throw new PolicyError(`${where} holds ${JSON.stringify(item)}, not a text.`);
    return item;
  });
}

function scalars(value: unknown, where: string): readonly string[] {
  return list(value).map((item) => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
      return String(item);
    throw new PolicyError(
      `Condition ${where} holds ${JSON.stringify(item)}, which is no text, number or boolean.`,
    );
  });
}
