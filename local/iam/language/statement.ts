import type { Principal } from '../../service.ts';
import { type Condition, type ConditionValues, readConditions } from './conditions.ts';
import { anyOf, ignoringCase, pattern, type Test } from './patterns.ts';
import { type Naming, readPrincipal } from './principal.ts';
import { isRecord, list, PolicyError, texts } from './read.ts';
import { hasVariable, leftOpen } from './variables.ts';

/** Whose policy it is: of a resource, with principals; of a role, without; or of a role as what others may be, without a resource. */
export type PolicyKind = 'resource' | 'identity' | 'trust';

/** One statement of a policy, read. */
export interface Statement {
  readonly allow: boolean;
  /** How the statement names a principal; that of a role's policy stands for the role itself. */
  readonly principal: (principal: Principal) => Naming;
  readonly action: Test;
  readonly resource: Test;
  readonly conditions: readonly Condition[];
  /** Whether it tells sessions of one role apart. */
  readonly bySession: boolean;
  /** Whether a variable in it leaves open which resources it is about: it allows nothing then. */
  readonly isOpen: boolean;
}

/** The statements of a policy's document. @throws PolicyError what is wrong with it */
export function readStatements(document: unknown, kind: PolicyKind): readonly Statement[] {
  if (!isRecord(document)) throw new PolicyError('The policy is not a JSON object.');
  return list(document.Statement).map((statement) => {
    if (!isRecord(statement)) throw new PolicyError('A statement of the policy is not a JSON object.');
    return readStatement(statement, kind);
  });
}

function readStatement(statement: Record<string, unknown>, kind: PolicyKind): Statement {
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') {
    throw new PolicyError(`Effect is ${JSON.stringify(statement.Effect)}; it must be "Allow" or "Deny".`);
  }
  return {
    allow: statement.Effect === 'Allow',
    principal: kind === 'identity' ? itself(statement) : principalOf(statement),
    action: readElement(statement, 'Action', ignoringCase),
    resource:
      kind === 'trust' ? () => true : readElement(statement, 'Resource', (text) => pattern(leftOpen(text))),
    // A role's policy is kept as it is on AWS; a queue's is refused by whoever sets it.
    conditions: readConditions(statement.Condition, kind === 'resource'),
    bySession: /:assumed-role\//.test(JSON.stringify(statement.Principal ?? statement.NotPrincipal ?? '')),
    isOpen: kind !== 'trust' && hasVariable(JSON.stringify(statement.Resource ?? statement.NotResource)),
  };
}

function itself(statement: Record<string, unknown>): Statement['principal'] {
  if (statement.Principal !== undefined || statement.NotPrincipal !== undefined)
    throw new PolicyError('Policy document should not specify a principal.');
  return () => 'direct';
}

function principalOf(statement: Record<string, unknown>): Statement['principal'] {
  if (statement.Principal !== undefined) return readPrincipal(statement.Principal);
  if (statement.NotPrincipal === undefined)
    throw new PolicyError('A statement has neither Principal nor NotPrincipal.');
  const named = readPrincipal(statement.NotPrincipal);
  return (principal) => (named(principal) === 'not' ? 'direct' : 'not');
}

// An element or its negation (NotAction, NotResource); one of the two must be there. What a role trusts is the role.
function readElement(
  statement: Record<string, unknown>,
  name: 'Action' | 'Resource',
  read: (text: string) => Test,
): Test {
  if (statement[name] !== undefined) return anyOf(texts(statement[name], name).map(read));
  const negated = statement[`Not${name}`];
  if (negated === undefined) throw new PolicyError(`A statement has neither ${name} nor Not${name}.`);
  // What a variable leaves open may be any other resource than the one that is asked for.
  if (name === 'Resource' && texts(negated, 'NotResource').some(hasVariable)) return () => true;
  const matches = anyOf(texts(negated, `Not${name}`).map(read));
  return (subject) => !matches(subject);
}

/** Whether a statement that is about the action and the resource applies to this request. */
export function applies(statement: Statement, values: ConditionValues): boolean {
  if (statement.allow && statement.isOpen) return false;
  return statement.conditions.every(({ holds }) => holds(values) ?? !statement.allow);
}
