/** A token of an expression or a statement. */
export interface Token {
  readonly kind:
    | 'name'
    | 'quotedName'
    | 'namePlaceholder'
    | 'valuePlaceholder'
    | 'parameter'
    | 'number'
    | 'string'
    | 'punctuation'
    | 'end'
    | 'unknown';
  /** The token without its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** `expression` has `#name` and `:value`; `statement` (PartiQL) has `?`, 'text', "name" and numbers. */
export type Dialect = 'expression' | 'statement';

const patterns: Record<Dialect, RegExp> = {
  expression:
    /\s*(?:(?<name>[A-Za-z][A-Za-z0-9_]*)|#(?<placeholder>[A-Za-z0-9_]+)|:(?<value>[A-Za-z0-9_]+)|(?<number>\d+)|(?<punctuation><>|<=|>=|[=<>+\-.,()[\]])|(?<unknown>\S))/y,
  statement:
    /\s*(?:(?<name>[A-Za-z_][A-Za-z0-9_]*)|"(?<quoted>(?:[^"]|"")*)"|'(?<string>(?:[^']|'')*)'|(?<parameter>\?)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<punctuation><<|>>|<>|!=|<=|>=|[=<>+\-.,()[\]{}:*;])|(?<unknown>\S))/y,
};

/** Splits a text into tokens; the last one is `end`. What no rule knows becomes a token `unknown`. */
export function tokenize(text: string, dialect: Dialect): Token[] {
  const pattern = patterns[dialect];
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const end = pattern.lastIndex;
    const [kind, found] = classify(match.groups ?? {});
    const start = end - match[0].trimStart().length;
    tokens.push({ kind, text: found, start, end });
  }
  tokens.push({ kind: 'end', text: '<EOF>', start: text.length, end: text.length });
  return tokens;
}

function classify(groups: Record<string, string | undefined>): [Token['kind'], string] {
  const { name, placeholder, value, number, punctuation, quoted, string, parameter, unknown } = groups;
  if (name !== undefined) return ['name', name];
  if (punctuation !== undefined) return ['punctuation', punctuation];
  if (value !== undefined) return ['valuePlaceholder', `:${value}`];
  if (placeholder !== undefined) return ['namePlaceholder', `#${placeholder}`];
  if (parameter !== undefined) return ['parameter', '?'];
  if (string !== undefined) return ['string', string.replaceAll("''", "'")];
  if (quoted !== undefined) return ['quotedName', quoted.replaceAll('""', '"')];
  if (number !== undefined) return ['number', number];
  return ['unknown', unknown ?? ''];
}

/** A syntax fault, in words that follow `Invalid ConditionExpression: `. */
export class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault';
}

/** Reads tokens one after another. */
export interface TokenStream {
  peek(ahead?: number): Token;
  next(): Token;
  /** Takes the next token when it is this punctuation. */
  accept(punctuation: string): boolean;
  expect(punctuation: string): void;
  /** Takes the next token when it is this word, in any case. */
  acceptWord(word: string): boolean;
  expectWord(word: string): void;
  isWord(word: string): boolean;
  /** The fault of a token that cannot stand here: the next one unless another is given. */
  unexpected(token?: Token): SyntaxFault;
}

/** Opens a text for reading. */
export function tokenStream(text: string, dialect: Dialect): TokenStream {
  const tokens = tokenize(text, dialect);
  const last = tokens[tokens.length - 1]!;
  let position = 0;
  const peek = (ahead = 0) => tokens[position + ahead] ?? last;
  const stream: TokenStream = {
    peek,
    next() {
      const token = peek();
      position++;
      return token;
    },
    accept(punctuation) {
      const token = peek();
      if (token.kind !== 'punctuation' || token.text !== punctuation) return false;
      position++;
      return true;
    },
    expect(punctuation) {
      if (!stream.accept(punctuation)) throw stream.unexpected();
    },
    isWord(word) {
      const token = peek();
      return token.kind === 'name' && token.text.length === word.length && token.text.toUpperCase() === word;
    },
    acceptWord(word) {
      if (!stream.isWord(word)) return false;
      position++;
      return true;
    },
    expectWord(word) {
      if (!stream.acceptWord(word)) throw stream.unexpected();
    },
    unexpected(token = peek()) {
      const index = tokens.indexOf(token);
      const before = tokens[index - 1] ?? token;
      const after = tokens[index + 1] ?? token;
      const source = token.kind === 'end' ? '<EOF>' : text.slice(token.start, token.end);
      return new SyntaxFault(
        `Syntax error; token: "${source}", near: "${text.slice(before.start, after.end)}"`,
      );
    },
  };
  return stream;
}
