import type { Grammar } from './conditions.ts';
import type { Change, UpdateValue } from './syntax.ts';
import { SyntaxFault, type TokenStream } from './tokens.ts';

const sections = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

/** Parses the sections of an update expression, each at most once, in any order. */
export function parseChanges(stream: TokenStream, grammar: Grammar): Change[] {
  const changes: Change[] = [];
  const seen = new Set<string>();
  do {
    const section = sections.find((word) => stream.acceptWord(word));
    if (section === undefined) throw stream.unexpected();
    if (seen.has(section))
      throw new SyntaxFault(`The "${section}" section can only be used once in an update expression;`);
    seen.add(section);
    do changes.push(change(section, stream, grammar));
    while (stream.accept(','));
  } while (stream.peek().kind !== 'end');
  return changes;
}

function change(section: (typeof sections)[number], stream: TokenStream, grammar: Grammar): Change {
  const path = grammar.path(stream);
  if (section === 'REMOVE') return { kind: 'remove', path };
  if (section === 'SET') {
    stream.expect('=');
    return { kind: 'set', path, value: parseUpdateValue(stream, grammar) };
  }
  if (stream.peek().kind !== 'valuePlaceholder') throw stream.unexpected();
  const value = grammar.operand(stream);
  if (value.kind !== 'value') throw stream.unexpected();
  return { kind: section === 'ADD' ? 'add' : 'delete', path, value };
}

/** Parses the right side of a SET: an operand, a function, or a sum or difference of two. */
export function parseUpdateValue(stream: TokenStream, grammar: Grammar): UpdateValue {
  const left = term(stream, grammar);
  for (const operator of ['+', '-'] as const) {
    if (stream.accept(operator)) return { kind: 'arithmetic', operator, left, right: term(stream, grammar) };
  }
  return left;
}

function term(stream: TokenStream, grammar: Grammar): UpdateValue {
  if (stream.accept('(')) {
    const inner = parseUpdateValue(stream, grammar);
    stream.expect(')');
    return inner;
  }
  const token = stream.peek();
  const open = stream.peek(1);
  if (token.kind !== 'name' || open.kind !== 'punctuation' || open.text !== '(')
    return grammar.operand(stream);
  if (token.text === 'size')
    throw new SyntaxFault('The function is not allowed in an update expression; function: size');
  if (token.text !== 'list_append' && token.text !== 'if_not_exists')
    throw new SyntaxFault(`Invalid function name; function: ${token.text}`);
  stream.next();
  stream.expect('(');
  const first = parseUpdateValue(stream, grammar);
  stream.expect(',');
  const second = parseUpdateValue(stream, grammar);
  stream.expect(')');
  if (token.text === 'list_append') return { kind: 'append', left: first, right: second };
  if (token.text !== 'if_not_exists') throw new SyntaxFault(`Invalid function name; function: ${token.text}`);
  if (first.kind !== 'path')
    throw new SyntaxFault(
      'Operator or function requires a document path; operator or function: if_not_exists',
    );
  return { kind: 'ifNotExists', path: first.path, otherwise: second };
}
