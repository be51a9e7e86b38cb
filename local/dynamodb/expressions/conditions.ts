import type { Comparator, Condition, Operand, Path } from './syntax.ts';
import { SyntaxFault, type TokenStream } from './tokens.ts';

/** What differs between expressions and statements. */
export interface Grammar {
  /** Whether a path, and not a function, a value or a keyword, begins here. */
  readonly path: (stream: TokenStream) => Path;
  /** A path, or a value. */
  readonly operand: (stream: TokenStream) => Operand;
  /** The list after IN. */
  readonly choices: (stream: TokenStream) => Operand[];
  /** Further conditions after an operand: IS MISSING. */
  readonly suffix?: (stream: TokenStream, operand: Operand) => Condition | undefined;
}

type Node = Condition | Operand;

// A bound of the parser's own: whoever nests deeper by a program gets an answer and not a full stack.
const maximumDepth = 200;

const comparators: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', '!=']);

/** Functions that are conditions by themselves, with their number of arguments. */
const functions: Readonly<Record<string, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
};

const operandKinds: ReadonlySet<string> = new Set<Operand['kind']>([
  'path',
  'value',
  'constant',
  'size',
  'document',
  'list',
  'bag',
]);

const isOperand = (node: Node): node is Operand => operandKinds.has(node.kind);

/**
 * Parses a condition: OR binds weakest, then AND, NOT, and the comparisons.
 *
 * @throws SyntaxFault
 */
export function parseCondition(stream: TokenStream, grammar: Grammar): Condition {
  const enclosed = new WeakSet<Node>();
  let depth = 0;
  const either = (): Node => {
    let left = both();
    while (stream.isWord('OR')) {
      stream.next();
      left = { kind: 'or', left: condition(left), right: condition(both()) };
    }
    return left;
  };
  const both = (): Node => {
    let left = negation();
    while (stream.isWord('AND')) {
      stream.next();
      left = { kind: 'and', left: condition(left), right: condition(negation()) };
    }
    return left;
  };
  const negation = (): Node => {
    let negations = 0;
    while (stream.acceptWord('NOT')) negations++;
    let node = comparison();
    for (; negations > 0; negations--) node = { kind: 'not', condition: condition(node) };
    return node;
  };
  const comparison = (): Node => {
    const left = primary();
    if (!isOperand(left)) return left;
    const token = stream.peek();
    if (token.kind === 'punctuation' && comparators.has(token.text)) {
      stream.next();
      const operator = (token.text === '!=' ? '<>' : token.text) as Comparator;
      return { kind: 'compare', operator, left, right: operand(primary()) };
    }
    if (stream.acceptWord('BETWEEN')) {
      const low = operand(primary());
      stream.expectWord('AND');
      return { kind: 'between', operand: left, low, high: operand(primary()) };
    }
    if (stream.acceptWord('IN')) return { kind: 'in', operand: left, choices: grammar.choices(stream) };
    return grammar.suffix?.(stream, left) ?? left;
  };
  const primary = (): Node => {
    if (stream.accept('(')) {
      if (++depth > maximumDepth)
        throw new SyntaxFault(`The expression is nested more than ${maximumDepth} levels deep`);
      const inner = either();
      depth--;
      stream.expect(')');
      if (enclosed.has(inner)) throw new SyntaxFault('The expression has redundant parentheses;');
      enclosed.add(inner);
      return inner;
    }
    const token = stream.peek();
    const open = stream.peek(1);
    if (token.kind === 'name' && open.kind === 'punctuation' && open.text === '(') return call();
    return grammar.operand(stream);
  };
  const call = (): Node => {
    const name = stream.next().text;
    stream.expect('(');
    if (name === 'size') {
      const measured = grammar.operand(stream);
      if (measured.kind !== 'path')
        throw new SyntaxFault('Incorrect operand type for operator or function; operator or function: size');
      stream.expect(')');
      return { kind: 'size', path: measured.path };
    }
    const arity = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (arity === undefined) throw new SyntaxFault(`Invalid function name; function: ${name}`);
    const operands: Operand[] = [];
    do operands.push(operand(primary()));
    while (stream.accept(','));
    stream.expect(')');
    if (operands.length !== arity)
      throw new SyntaxFault(
        `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
      );
    return conditionOf(name, operands[0]!, operands[1]);
  };
  const condition = (node: Node): Condition => {
    if (isOperand(node)) throw stream.unexpected();
    return node;
  };
  const operand = (node: Node): Operand => {
    if (!isOperand(node)) throw stream.unexpected();
    return node;
  };
  return condition(either());
}

function conditionOf(name: string, first: Operand, second: Operand | undefined): Condition {
  if (name === 'begins_with') return { kind: 'beginsWith', operand: first, prefix: second! };
  if (name === 'contains') return { kind: 'contains', operand: first, element: second! };
  if (first.kind !== 'path')
    throw new SyntaxFault(`Operator or function requires a document path; operator or function: ${name}`);
  if (name === 'attribute_type') return { kind: 'type', path: first.path, type: second! };
  return { kind: name === 'attribute_exists' ? 'exists' : 'missing', path: first.path };
}
