import { ServiceError } from '../../service.ts';
import { validation } from '../errors.ts';
import {
  type Change,
  type Condition,
  checkOverlaps,
  type Path,
  parseCondition,
  parseUpdateValue,
  resolveChanges,
  SyntaxFault,
  type TokenStream,
  tokenStream,
} from '../expressions/index.ts';
import { createStatementGrammar, type StatementGrammar } from './grammar.ts';
import type { Returning, Statement } from './statement.ts';

const cacheLimit = 4_096;
const maximumLength = 8_192;
const cache = new Map<string, Statement>();

/**
 * A statement as a tree; parsed once for each text.
 *
 * @throws ValidationException
 */
export function parseStatement(text: string | undefined): Statement {
  if (text === undefined || text === '')
    throw validation(
      `1 validation error detected: Value '${text ?? 'null'}' at 'statement' failed to satisfy constraint: Member must have length greater than or equal to 1`,
    );
  const found = cache.get(text);
  if (found !== undefined) return found;
  if (text.length > maximumLength)
    throw validation(
      `1 validation error detected: Value at 'statement' failed to satisfy constraint: Member must have length less than or equal to ${maximumLength}`,
    );
  const statement = parse(text);
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(text, statement);
  return statement;
}

function parse(text: string): Statement {
  try {
    const stream = tokenStream(text, 'statement');
    const grammar = createStatementGrammar();
    const statement = parseVerb(stream, grammar);
    stream.accept(';');
    if (stream.peek().kind !== 'end') throw stream.unexpected();
    return { ...statement, parameters: grammar.parameters() } as Statement;
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    throw new ServiceError(
      'ValidationException',
      `Statement wasn't well formed, can't be processed: ${fault.message}`,
      {
        cause: fault,
      },
    );
  }
}

type Verb = Statement extends infer One ? (One extends Statement ? Omit<One, 'parameters'> : never) : never;

function parseVerb(stream: TokenStream, grammar: StatementGrammar): Verb {
  if (stream.acceptWord('INSERT')) return parseInsert(stream, grammar);
  if (stream.acceptWord('UPDATE')) return parseUpdate(stream, grammar);
  if (stream.acceptWord('DELETE')) return parseDelete(stream, grammar);
  if (stream.acceptWord('SELECT')) return parseSelect(stream, grammar, 'select');
  if (stream.acceptWord('EXISTS')) {
    stream.expect('(');
    stream.expectWord('SELECT');
    const check = parseSelect(stream, grammar, 'exists');
    stream.expect(')');
    return check;
  }
  throw stream.unexpected();
}

function parseInsert(stream: TokenStream, grammar: StatementGrammar): Verb {
  stream.expectWord('INTO');
  const table = tableName(stream);
  stream.expectWord('VALUE');
  const value = stream.peek().kind === 'parameter' ? grammar.operand(stream) : grammar.document(stream);
  return { kind: 'insert', table, value };
}

function parseUpdate(stream: TokenStream, grammar: StatementGrammar): Verb {
  const table = tableName(stream);
  const changes: Change[] = [];
  for (;;) {
    if (stream.acceptWord('SET')) {
      do changes.push(setChange(stream, grammar));
      while (stream.accept(','));
    } else if (stream.acceptWord('REMOVE')) changes.push({ kind: 'remove', path: grammar.path(stream) });
    else break;
  }
  if (changes.length === 0) throw stream.unexpected();
  const resolved = resolveChanges(changes, {});
  checkOverlaps(resolved, '');
  const where = parseWhere(stream, grammar);
  return {
    kind: 'update',
    table,
    changes: resolved,
    where,
    returning: parseReturning(stream),
  };
}

function setChange(stream: TokenStream, grammar: StatementGrammar): Change {
  const path = grammar.path(stream);
  stream.expect('=');
  for (const [name, kind] of [
    ['SET_ADD', 'add'],
    ['SET_DELETE', 'delete'],
  ] as const) {
    if (!stream.acceptWord(name)) continue;
    stream.expect('(');
    grammar.path(stream);
    stream.expect(',');
    const value = grammar.operand(stream);
    stream.expect(')');
    return { kind, path, value };
  }
  return { kind: 'set', path, value: parseUpdateValue(stream, grammar) };
}

function parseDelete(stream: TokenStream, grammar: StatementGrammar): Verb {
  stream.expectWord('FROM');
  const table = tableName(stream);
  const where = parseWhere(stream, grammar);
  return { kind: 'delete', table, where, returning: parseReturning(stream) };
}

function parseSelect(stream: TokenStream, grammar: StatementGrammar, kind: 'select' | 'exists'): Verb {
  let projection: Path[] | undefined;
  if (!stream.accept('*')) {
    projection = [];
    do projection.push(grammar.path(stream));
    while (stream.accept(','));
  }
  stream.expectWord('FROM');
  const table = tableName(stream);
  const index = stream.accept('.') ? tableName(stream) : undefined;
  const where = parseWhere(stream, grammar);
  return { kind, table, index, projection, where, order: parseOrder(stream) };
}

function parseOrder(stream: TokenStream): { attribute: string; descending: boolean } | undefined {
  if (!stream.acceptWord('ORDER')) return undefined;
  stream.expectWord('BY');
  const attribute = tableName(stream);
  const descending = stream.acceptWord('DESC');
  if (!descending) stream.acceptWord('ASC');
  return { attribute, descending };
}

const parseWhere = (stream: TokenStream, grammar: StatementGrammar): Condition | undefined =>
  stream.acceptWord('WHERE') ? parseCondition(stream, grammar) : undefined;

function parseReturning(stream: TokenStream): Returning | undefined {
  if (!stream.acceptWord('RETURNING')) return undefined;
  const extent = stream.acceptWord('ALL') ? 'ALL' : stream.acceptWord('MODIFIED') ? 'MODIFIED' : undefined;
  const side = stream.acceptWord('OLD') ? 'OLD' : stream.acceptWord('NEW') ? 'NEW' : undefined;
  if (extent === undefined || side === undefined) throw stream.unexpected();
  stream.expect('*');
  return `${extent}_${side}`;
}

/** A name of a table, an index or an attribute, quoted or not. */
function tableName(stream: TokenStream): string {
  const token = stream.next();
  if (token.kind !== 'name' && token.kind !== 'quotedName') throw stream.unexpected(token);
  return token.text;
}
