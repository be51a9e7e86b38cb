/** An expression of metric math, as it is written. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'negative'; readonly operand: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    };

/** An expression that metric math does not understand, with the place in its text. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

interface Token {
  readonly kind: 'number' | 'text' | 'word' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

const TOKEN =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_]\w*)|"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<sign>\|\||&&|[<>=!]=|[-+*/^<>(),[\]]))/y;

/** How tightly operators bind: CloudWatch user guide, "Using metric math", and the usual order of arithmetic. */
const STRENGTH: Readonly<Record<string, number>> = {
  OR: 1,
  '||': 1,
  AND: 2,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '^': 8,
};
const NEGATION = 7;

/**
 * Parses an expression of metric math.
 *
 * @throws ExpressionError with the position of what was not understood
 * @example
 * ```ts
 * parseExpression('IF(vis > 0, IF(FILL(del, 0) == 0, 1, 0), 0)');
 * ```
 */
export function parseExpression(text: string): Expression {
  const tokens = tokenize(text);
  let position = 0;
  const peek = () => tokens[position]!;
  const take = () => tokens[position++]!;
  const refuse = (token: Token, expected: string): never => {
    throw new ExpressionError(
      `Error in expression '${text}' at position ${token.at}: found ${token.kind === 'end' ? 'its end' : `'${token.text}'`}, expected ${expected}`,
    );
  };
  const expect = (sign: string) => {
    const token = take();
    if (token.kind !== 'sign' || token.text !== sign) refuse(token, `'${sign}'`);
  };

  const list = (close: string): Expression[] => {
    const items: Expression[] = [];
    if (peek().text === close) {
      take();
      return items;
    }
    for (;;) {
      items.push(binary(0));
      const token = take();
      if (token.kind === 'sign' && token.text === close) return items;
      if (token.kind !== 'sign' || token.text !== ',') refuse(token, `',' or '${close}'`);
    }
  };

  const primary = (): Expression => {
    const token = take();
    if (token.kind === 'number') return { kind: 'number', value: Number(token.text) };
    if (token.kind === 'text') return { kind: 'text', value: token.text };
    if (token.kind === 'word' && !Object.hasOwn(STRENGTH, token.text)) {
      if (peek().kind !== 'sign' || peek().text !== '(') return { kind: 'name', name: token.text };
      take();
      return { kind: 'call', name: token.text, arguments: list(')') };
    }
    if (token.kind === 'sign' && token.text === '-') return { kind: 'negative', operand: binary(NEGATION) };
    if (token.kind === 'sign' && token.text === '[') return { kind: 'list', items: list(']') };
    if (token.kind === 'sign' && token.text === '(') {
      const inner = binary(0);
      expect(')');
      return inner;
    }
    return refuse(token, 'a number, an id, a function or a bracket');
  };

  const binary = (weakest: number): Expression => {
    let left = primary();
    for (;;) {
      const { text: operator, kind } = peek();
      const strength =
        (kind === 'sign' || kind === 'word') && Object.hasOwn(STRENGTH, operator)
          ? STRENGTH[operator]
          : undefined;
      if (strength === undefined || strength < weakest) return left;
      take();
      // Operators of one strength group from the left.
      left = { kind: 'binary', operator, left, right: binary(strength + 1) };
    }
  };

  const expression = binary(0);
  if (peek().kind !== 'end') refuse(peek(), 'an operator or the end');
  return expression;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const start = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined)
      throw new ExpressionError(
        `Error in expression '${text}' at position ${start}: '${text.slice(start).trimStart()[0]}' is not understood`,
      );
    const at = start;
    if (groups.number !== undefined) tokens.push({ kind: 'number', text: groups.number, at });
    else if (groups.word !== undefined) tokens.push({ kind: 'word', text: groups.word, at });
    else if (groups.sign !== undefined) tokens.push({ kind: 'sign', text: groups.sign, at });
    else tokens.push({ kind: 'text', text: groups.double ?? groups.single ?? '', at });
  }
  tokens.push({ kind: 'end', text: '', at: text.length });
  return tokens;
}
