import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type Condition,
  type Grammar,
  type Operand,
  type Path,
  type Step,
  SyntaxFault,
  type TokenStream,
} from '../expressions/index.ts';
import { canonicalNumber } from '../numbers.ts';
import { isKeyword } from './words.ts';

/** The grammar of paths and operands in statements. */
export interface StatementGrammar extends Grammar {
  /** The document of an INSERT, whose members may be parameters. */
  document(stream: TokenStream): Operand;
  /** How many `?` have been read. */
  parameters(): number;
}

/** Levels of lists and maps (DynamoDB developer guide, quotas). */
const maximumNesting = 32;

/** The grammar of one statement. */
export function createStatementGrammar(): StatementGrammar {
  let parameters = 0;

  const path = (stream: TokenStream): Path => {
    const steps: Step[] = [{ name: pathName(stream) }];
    for (;;) {
      if (stream.accept('.')) steps.push({ name: pathName(stream) });
      else if (stream.accept('[')) {
        const token = stream.next();
        if (token.kind === 'number' && /^\d+$/.test(token.text)) steps.push({ index: Number(token.text) });
        else if (token.kind === 'string') steps.push({ name: token.text });
        else throw stream.unexpected(token);
        stream.expect(']');
      } else return steps;
    }
  };

  const operand = (stream: TokenStream): Operand => {
    const token = stream.peek();
    switch (token.kind) {
      case 'parameter':
        stream.next();
        return { kind: 'value', slot: parameters++ };
      case 'string':
        stream.next();
        return constant({ S: token.text });
      case 'number':
        stream.next();
        return constant({ N: canonicalNumber(token.text) });
      case 'name': {
        const word = literalWords[token.text.toUpperCase()];
        if (word === undefined) return { kind: 'path', path: path(stream) };
        stream.next();
        return constant(word);
      }
      case 'quotedName':
        return { kind: 'path', path: path(stream) };
      default:
        return punctuated(stream);
    }
  };

  const punctuated = (stream: TokenStream): Operand => {
    if (stream.accept('-')) {
      const number = stream.next();
      if (number.kind !== 'number') throw stream.unexpected(number);
      return constant({ N: canonicalNumber(`-${number.text}`) });
    }
    if (stream.accept('[')) return { kind: 'list', elements: elements(stream, ']', element) };
    if (stream.accept('<<')) return { kind: 'bag', elements: elements(stream, '>>', element) };
    if (stream.accept('{')) return document(stream, inside);
    throw stream.unexpected();
  };

  // A parameter inside a literal is refused; only the members of an INSERT's own document take parameters.
  const inside = (stream: TokenStream, name: string): Operand => {
    if (stream.peek().kind === 'parameter')
      throw new SyntaxFault(
        `Unsupported data type: Parameter under key ${name}; give the whole value as a parameter`,
      );
    if (++depth > maximumNesting)
      throw new SyntaxFault(`A value cannot be nested more than ${maximumNesting} levels deep`);
    const value = operand(stream);
    depth--;
    return value;
  };

  const elements = (stream: TokenStream, close: string, item = operand): Operand[] => {
    const found: Operand[] = [];
    if (stream.accept(close)) return found;
    do found.push(item(stream));
    while (stream.accept(','));
    stream.expect(close);
    return found;
  };

  const element = (stream: TokenStream): Operand => inside(stream, 'of a list or bag');
  let depth = 0;

  const document = (stream: TokenStream, member: typeof inside): Operand => {
    const entries: [string, Operand][] = [];
    if (stream.accept('}')) return { kind: 'document', entries };
    do {
      const name = stream.next();
      if (name.kind !== 'string' && name.kind !== 'quotedName') throw stream.unexpected(name);
      stream.expect(':');
      entries.push([name.text, member(stream, name.text)]);
    } while (stream.accept(','));
    stream.expect('}');
    return { kind: 'document', entries };
  };

  return {
    path,
    operand,
    document: (stream) => {
      stream.expect('{');
      return document(stream, operand);
    },
    choices: (stream) => {
      if (stream.accept('[')) return elements(stream, ']');
      stream.expect('(');
      return elements(stream, ')');
    },
    suffix: isSuffix,
    parameters: () => parameters,
  };
}

const literalWords: Readonly<Record<string, AttributeValue>> = {
  TRUE: { BOOL: true },
  FALSE: { BOOL: false },
  NULL: { NULL: true },
};

const constant = (value: AttributeValue): Operand => ({ kind: 'constant', value });

function pathName(stream: TokenStream): string {
  const token = stream.next();
  if (token.kind === 'quotedName') return token.text;
  if (token.kind !== 'name' || isKeyword(token.text)) throw stream.unexpected(token);
  return token.text;
}

/** `x IS MISSING`, `x IS NOT NULL`. */
function isSuffix(stream: TokenStream, operand: Operand): Condition | undefined {
  if (!stream.acceptWord('IS')) return undefined;
  const negated = stream.acceptWord('NOT');
  if (operand.kind !== 'path') throw new SyntaxFault('IS needs a document path on its left');
  const wanted = stream.next();
  const word = wanted.kind === 'name' ? wanted.text.toUpperCase() : '';
  if (word !== 'MISSING' && word !== 'NULL') throw stream.unexpected(wanted);
  const condition: Condition =
    word === 'MISSING'
      ? { kind: 'missing', path: operand.path }
      : { kind: 'type', path: operand.path, type: constant({ S: 'NULL' }) };
  return negated ? { kind: 'not', condition } : condition;
}
