import type { AlarmState } from './alarm-state.ts';
import { invalid } from './errors.ts';

/** The rule of a composite alarm. */
export interface CompositeRule {
  /** Names of the alarms that it refers to, each once, in the order of the rule. */
  readonly children: readonly string[];
  /** Whether it holds, given the state of each of its children. */
  holds(stateOf: (name: string) => AlarmState): boolean;
}

type Node = (stateOf: (name: string) => AlarmState) => boolean;

// CloudWatch API reference, PutCompositeAlarm: 10,240 characters, 100 children, 500 elements (children, TRUE, FALSE,
// parentheses).
const LONGEST = 10_240;
const MOST_CHILDREN = 100;
const MOST_ELEMENTS = 500;

const STATES: readonly string[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

/** A quoted name, a parenthesis or a comma, or anything else up to one of those or a space. */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|([(),])|([^\s(),"]+))/y;

interface Token {
  readonly text: string;
  readonly kind: 'name' | 'sign' | 'word' | 'end';
}

/**
 * Parses a rule: `ALARM(a) AND NOT (OK("b") OR INSUFFICIENT_DATA(arn:...))`, `TRUE`, `FALSE`, and
 * `AT_LEAST(2, ALARM, (a, b, c))` with a count or a share (`50%`). NOT binds closer than AND, and AND closer than OR.
 *
 * @throws ServiceError `ValidationException` that says what was found
 */
export function parseRule(text: string): CompositeRule {
  if (text.length > LONGEST) throw invalid(`AlarmRule takes ${LONGEST} characters; found ${text.length}`);
  const tokens = tokensOf(text);
  const children = new Set<string>();
  let at = 0;
  let elements = 0;
  const peek = (): Token => tokens[at] ?? { text: 'the end', kind: 'end' };
  const fault = (wanted: string) =>
    invalid(`AlarmRule is not valid: expected ${wanted}, found '${peek().text}' in '${text}'`);
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const isWord = (word: string) => peek().kind === 'word' && peek().text === word;
  const sign = (wanted: string) => {
    if (peek().kind !== 'sign' || peek().text !== wanted) throw fault(wanted);
    next();
  };
  const element = () => {
    elements += 1;
    if (elements > MOST_ELEMENTS) throw invalid(`AlarmRule takes ${MOST_ELEMENTS} elements; there are more`);
  };
  const child = (): string => {
    const { kind, text: found } = peek();
    if ((kind !== 'name' && kind !== 'word') || found === '') throw fault('the name or ARN of an alarm');
    next();
    element();
    const name = nameOf(found);
    children.add(name);
    if (children.size > MOST_CHILDREN)
      throw invalid(`AlarmRule takes ${MOST_CHILDREN} alarms; there are more`);
    return name;
  };
  const state = (): AlarmState => {
    if (!STATES.includes(peek().text)) throw fault('ALARM, OK or INSUFFICIENT_DATA');
    return next().text as AlarmState;
  };
  const atLeast = (): Node => {
    sign('(');
    const amount = /^(\d+)(%?)$/.exec(peek().text);
    if (amount === null) throw fault('a number or a percentage');
    next();
    sign(',');
    const negated = isWord('NOT');
    if (negated) next();
    const wanted = state();
    sign(',');
    sign('(');
    const names = [child()];
    while (peek().text === ',') {
      next();
      names.push(child());
    }
    sign(')');
    sign(')');
    const count = Number(amount[1]);
    const needed = amount[2] === '%' ? Math.ceil((count / 100) * names.length) : count;
    if (needed < 1 || needed > names.length)
      throw invalid(`AT_LEAST asks for ${amount[0]} of ${names.length} alarms`);
    return (stateOf) => names.filter((name) => (stateOf(name) === wanted) !== negated).length >= needed;
  };
  const operand = (): Node => {
    if (peek().text === '(' && peek().kind === 'sign') {
      next();
      element();
      const inner = either();
      sign(')');
      return inner;
    }
    if (isWord('NOT')) {
      next();
      const negated = operand();
      return (stateOf) => !negated(stateOf);
    }
    if (isWord('TRUE') || isWord('FALSE')) {
      element();
      const value = next().text === 'TRUE';
      return () => value;
    }
    if (isWord('AT_LEAST')) {
      next();
      return atLeast();
    }
    if (peek().kind !== 'word' || !STATES.includes(peek().text))
      throw fault('ALARM(...), OK(...), INSUFFICIENT_DATA(...), AT_LEAST(...), NOT, TRUE, FALSE or (');
    const wanted = state();
    sign('(');
    const name = child();
    sign(')');
    return (stateOf) => stateOf(name) === wanted;
  };
  const chain = (word: string, part: () => Node, join: (nodes: readonly Node[]) => Node): Node => {
    const nodes = [part()];
    while (isWord(word)) {
      next();
      nodes.push(part());
    }
    return nodes.length === 1 ? nodes[0]! : join(nodes);
  };
  const both = () => chain('AND', operand, (nodes) => (stateOf) => nodes.every((node) => node(stateOf)));
  const either = (): Node => chain('OR', both, (nodes) => (stateOf) => nodes.some((node) => node(stateOf)));

  const root = either();
  if (peek().kind !== 'end') throw fault('AND, OR or the end');
  return { children: [...children], holds: root };
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const length = text.trimEnd().length;
  while (TOKEN.lastIndex < length) {
    const start = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null)
      throw invalid(`AlarmRule is not valid: a quotation mark is not closed at '${text.slice(start)}'`);
    const [, name, mark, word = ''] = match;
    if (name !== undefined) tokens.push({ text: name.replace(/\\(.)/g, '$1'), kind: 'name' });
    else if (mark !== undefined) tokens.push({ text: mark, kind: 'sign' });
    else tokens.push({ text: word, kind: 'word' });
  }
  return tokens;
}

/** The name of an alarm that is given by name or ARN. */
export const nameOf = (reference: string): string =>
  /^arn:[^:]+:cloudwatch:[^:]*:[^:]*:alarm:(.+)$/.exec(reference)?.[1] ?? reference;
