import type { Graph } from './graph.ts';
import { document, isObject, isReference, list, property, type Resource, text, type Value } from './value.ts';

/** What is asked of a policy. */
export interface Question {
  /** The AWS service that acts, for example `sns.amazonaws.com`; left out for policies of a role. */
  readonly service?: string;
  /** All of these must be allowed. */
  readonly actions: readonly string[];
  /** What is acted on; left out where the policy belongs to it and names it `*`. */
  readonly on?: Resource;
  /** On whose behalf the service acts: conditions on `aws:SourceArn` must fit it. */
  readonly source?: Resource;
}

/**
 * Whether policies allow something: undefined when only the deployment knows. Statements that deny are left aside, they
 * are there to narrow what the others give.
 */
export function allows(
  graph: Graph,
  owner: Resource,
  policies: readonly Value[],
  question: Question,
): boolean | undefined {
  const answers = question.actions.map((action) =>
    some(policies, (policy) =>
      some(statements(policy), (statement) => allowed(graph, owner, statement, action, question)),
    ),
  );
  return every(answers, (answer) => answer);
}

/** The statements of a policy; a list with an unknown one when it cannot be read. */
export function statements(policy: Value): readonly Value[] {
  const read = document(policy);
  if (read === null) return [];
  return list(property(read, 'Statement')) ?? [undefined];
}

function allowed(
  graph: Graph,
  owner: Resource,
  statement: Value,
  action: string,
  { service, on, source }: Question,
): boolean | undefined {
  if (!isObject(statement)) return undefined;
  const effect = text(property(statement, 'Effect'));
  if (effect === undefined) return undefined;
  if (effect !== 'Allow') return false;
  return every(
    [
      () => (service === undefined ? true : isPrincipal(property(statement, 'Principal'), service)),
      () => some(property(statement, 'Action'), (said) => matches(said, action, true)),
      () =>
        on === undefined
          ? true
          : some(property(statement, 'Resource'), (said) => names(graph, owner, said, on)),
      () => (source === undefined ? true : isFor(graph, owner, property(statement, 'Condition'), source)),
    ],
    (test) => test(),
  );
}

function isPrincipal(principal: Value, service: string): boolean | undefined {
  if (principal === '*') return true;
  return some([property(principal, 'Service'), property(principal, 'AWS')], (kind) =>
    some(kind, (said) =>
      said === undefined || isReference(said) ? undefined : said === '*' || said === service,
    ),
  );
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
  return typeof said === 'string' && !/[*?]/.test(said) && isNamed(resource) ? false : undefined;
}

/** Whether a resource has a name of its own in the template: an ARN that is not its is then somebody else's. */
const isNamed = ({ properties }: Resource): boolean =>
  ['QueueName', 'TopicName', 'FunctionName'].some((name) => typeof properties[name] === 'string');

/** Whether conditions on the source, if there are any, fit it. */
function isFor(graph: Graph, owner: Resource, condition: Value, source: Resource): boolean | undefined {
  if (condition === null) return true;
  if (!isObject(condition)) return undefined;
  const wanted = Object.values(condition).flatMap((operator) =>
    isObject(operator)
      ? Object.entries(operator).flatMap(([key, value]) =>
          key.toLowerCase() === 'aws:sourcearn' ? [value] : [],
        )
      : [undefined],
  );
  return every(wanted, (value) => some(value, (said) => names(graph, owner, said, source)));
}

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
