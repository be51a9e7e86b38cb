import { arnOf, mayBe } from './find.ts';
import type { Graph } from './graph.ts';
import { document, isObject, isReference, list, property, type Resource, text, type Value } from './value.ts';

/** What is asked of a policy. */
export interface Question {
  /** The AWS service that acts, for example `sns.amazonaws.com`; left out for policies of a role. */
  readonly service?: string;
  /** The role that acts, for policies of a queue, topic or key. */
  readonly role?: Resource;
  /** All of these must be allowed. */
  readonly actions: readonly string[];
  /** What is acted on; left out where the policy belongs to it and names it `*`. */
  readonly on?: Resource;
  /** On whose behalf the service acts: conditions on `aws:SourceArn` must fit it. */
  readonly source?: Resource;
}

/**
 * Whether policies allow something: undefined when only the deployment knows. Statements that deny under a condition are
 * left aside, they are there to narrow what the others give.
 */
export function allows(
  graph: Graph,
  owner: Resource,
  policies: readonly Value[],
  question: Question,
): boolean | undefined {
  const answer = (action: string, effect: 'Allow' | 'Deny') =>
    some(policies, (policy) =>
      some(statements(policy), (statement) => fits(graph, owner, statement, action, effect, question)),
    );
  return every(question.actions, (action) =>
    answer(action, 'Deny') === true ? false : answer(action, 'Allow'),
  );
}

/** The statements of a policy; a list with an unknown one when it cannot be read. */
export function statements(policy: Value): readonly Value[] {
  const read = document(policy);
  if (read === null) return [];
  return list(property(read, 'Statement')) ?? [undefined];
}

/** Whether a statement has an effect on what is asked. One that denies counts only where it does so without a condition. */
function fits(
  graph: Graph,
  owner: Resource,
  statement: Value,
  action: string,
  effect: 'Allow' | 'Deny',
  { service, role, on, source }: Question,
): boolean | undefined {
  if (!isObject(statement)) return undefined;
  const said = text(property(statement, 'Effect'));
  if (said === undefined) return undefined;
  if (said !== effect) return false;
  const condition = property(statement, 'Condition');
  if (effect === 'Deny' && condition !== null) return condition === undefined ? undefined : false;
  return every(
    [
      () =>
        service === undefined && role === undefined
          ? true
          : property(statement, 'NotPrincipal') !== null
            ? undefined
            : service === undefined
              ? isRole(graph, owner, property(statement, 'Principal'), role)
              : isPrincipal(property(statement, 'Principal'), service),
      () => isAbout(statement, action),
      () =>
        on === undefined
          ? true
          : property(statement, 'NotResource') !== null
            ? undefined
            : some(property(statement, 'Resource'), (each) => names(graph, owner, each, on)),
      () => (source === undefined ? true : isFor(graph, owner, condition, source)),
    ],
    (test) => test(),
  );
}

/** Whether a statement is about an action: one of those it names, or none of those that it leaves out. */
export function isAbout(statement: Value, action: string): boolean | undefined {
  const others = property(statement, 'NotAction');
  if (others === null) return some(property(statement, 'Action'), (said) => matches(said, action, true));
  const left = some(others, (said) => matches(said, action, true));
  return left === undefined ? undefined : !left;
}

function isPrincipal(principal: Value, service: string): boolean | undefined {
  if (principal === '*') return true;
  return some([property(principal, 'Service'), property(principal, 'AWS')], (kind) =>
    some(kind, (said) =>
      said === undefined || isReference(said) ? undefined : said === '*' || said === service,
    ),
  );
}

/** Whether a principal is a role by itself; its account is not: that leaves it to the role's own policies. */
function isRole(
  graph: Graph,
  owner: Resource,
  principal: Value,
  role: Resource | undefined,
): boolean | undefined {
  if (principal === '*') return true;
  return some(property(principal, 'AWS'), (said) => {
    if (said === '*') return true;
    if (typeof said === 'string' && (/^\d{12}$/.test(said) || said.endsWith(':root'))) return false;
    const link = graph.link(owner, said);
    if (link?.resource !== undefined) return link.resource === role;
    return undefined;
  });
}

/** Whether a pattern with `*` and `?` fits a text. */
export function matches(pattern: Value, value: string, ignoreCase = false): boolean | undefined {
  if (typeof pattern !== 'string') return undefined;
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, ignoreCase ? 'i' : '').test(value);
}

/** Whether what a policy names is a certain resource. */
export function names(graph: Graph, owner: Resource, said: Value, resource: Resource): boolean | undefined {
  if (said === '*') return true;
  const link = graph.link(owner, said);
  if (link === undefined || link === null) return undefined;
  if (link.resource !== undefined) return link.resource === resource;
  if (typeof said !== 'string' || /[*?]/.test(said)) return undefined;
  // Of a resource with a name of its own, an ARN that cannot be its is somebody else's.
  const arn = arnOf(said);
  return arn !== undefined && !mayBe(graph, resource, arn) ? false : undefined;
}

/** Whether conditions on the source, if there are any, fit it. */
function isFor(graph: Graph, owner: Resource, condition: Value, source: Resource): boolean | undefined {
  if (condition === null) return true;
  if (!isObject(condition)) return undefined;
  const wanted = Object.entries(condition).flatMap(([operator, keys]) =>
    isObject(keys)
      ? Object.entries(keys).flatMap(([key, value]) =>
          key.toLowerCase() === 'aws:sourcearn' ? [isPositive.test(operator) ? value : undefined] : [],
        )
      : [undefined],
  );
  return every(wanted, (value) => some(value, (said) => names(graph, owner, said, source)));
}

/** Operators that ask for one of the values. What others ask, such as all but these, is not judged. */
const isPositive = /^(ForAnyValue:)?(Arn|String)(Equals|Like|EqualsIgnoreCase)(IfExists)?$/i;

/** Whether it holds for one of them: undefined when it holds for none that is known. */
export function some(
  values: Value | readonly Value[],
  test: (value: Value) => boolean | undefined,
): boolean | undefined {
  const each = list(values as Value);
  if (each === undefined) return undefined;
  let answer: boolean | undefined = false;
  for (const value of each) {
    const one = test(value);
    if (one === true) return true;
    if (one === undefined) answer = undefined;
  }
  return answer;
}

/** Whether it holds for all of them: undefined when it fails for none that is known. */
export function every<Item>(
  values: readonly Item[],
  test: (value: Item) => boolean | undefined,
): boolean | undefined {
  let answer: boolean | undefined = true;
  for (const value of values) {
    const one = test(value);
    if (one === false) return false;
    if (one === undefined) answer = undefined;
  }
  return answer;
}
