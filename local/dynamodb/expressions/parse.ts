import { ServiceError } from '../../service.ts';
import { validation } from '../errors.ts';
import { type Grammar, parseCondition } from './conditions.ts';
import { isReserved } from './reserved.ts';
import type { Change, Condition, ExpressionKind, Operand, Parsed, Path, Step } from './syntax.ts';
import { SyntaxFault, type TokenStream, tokenStream } from './tokens.ts';
import { parseChanges } from './updates.ts';

// Texts are few and come back again and again; a caller who writes values into them must not fill the memory.
const cacheLimit = 4_096;
const maximumLength = 4_096;

/** Collects placeholders while a text is parsed. */
interface Collector {
  readonly names: Set<string>;
  readonly values: Set<string>;
}

const conditionCache = new Map<string, Parsed<Condition>>();
const updateCache = new Map<string, Parsed<readonly Change[]>>();
const projectionCache = new Map<string, Parsed<readonly Path[]>>();

/** A condition, filter or key condition as a tree; parsed once for each text. */
export const parseConditionExpression = (text: string, kind: ExpressionKind): Parsed<Condition> =>
  cached(conditionCache, text, kind, (stream, grammar) => parseCondition(stream, grammar));

/** An update expression as its changes; parsed once for each text. */
export const parseUpdateExpression = (text: string): Parsed<readonly Change[]> =>
  cached(updateCache, text, 'UpdateExpression', (stream, grammar) => parseChanges(stream, grammar));

/** A projection as its paths; parsed once for each text. */
export const parseProjectionExpression = (text: string): Parsed<readonly Path[]> =>
  cached(projectionCache, text, 'ProjectionExpression', (stream, grammar) => {
    const paths: Path[] = [];
    do paths.push(grammar.path(stream));
    while (stream.accept(','));
    return paths;
  });

function cached<Tree>(
  cache: Map<string, Parsed<Tree>>,
  text: string,
  kind: ExpressionKind,
  parse: (stream: TokenStream, grammar: Grammar) => Tree,
): Parsed<Tree> {
  const found = cache.get(text);
  if (found !== undefined) return found;
  if (text.trim() === '') throw validation(`Invalid ${kind}: The expression can not be empty;`);
  if (Buffer.byteLength(text) > maximumLength)
    throw validation(
      `Invalid ${kind}: Expression size has exceeded the maximum allowed size; expression size: ${Buffer.byteLength(text)}`,
    );
  const parsed = naming(kind, () => {
    const collector: Collector = { names: new Set(), values: new Set() };
    const stream = tokenStream(text, 'expression');
    const tree = parse(stream, expressionGrammar(collector));
    if (stream.peek().kind !== 'end') throw stream.unexpected();
    return { tree, ...collector };
  });
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(text, parsed);
  return parsed;
}

/** Runs a parser; its faults become the service's error for that kind of expression. */
function naming<Result>(kind: ExpressionKind, run: () => Result): Result {
  try {
    return run();
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    throw new ServiceError('ValidationException', `Invalid ${kind}: ${fault.message}`, { cause: fault });
  }
}

function expressionGrammar({ names, values }: Collector): Grammar {
  const name = (stream: TokenStream): Step => {
    const token = stream.peek();
    if (token.kind === 'namePlaceholder') {
      stream.next();
      names.add(token.text);
      return { placeholder: token.text };
    }
    if (token.kind !== 'name') throw stream.unexpected();
    stream.next();
    if (isReserved(token.text))
      throw new SyntaxFault(`Attribute name is a reserved keyword; reserved keyword: ${token.text}`);
    return { name: token.text };
  };
  const path = (stream: TokenStream): Path => {
    const steps: Step[] = [name(stream)];
    for (;;) {
      if (stream.accept('.')) steps.push(name(stream));
      else if (stream.accept('[')) {
        const index = stream.peek();
        if (index.kind !== 'number') throw stream.unexpected();
        stream.next();
        stream.expect(']');
        steps.push({ index: Number(index.text) });
      } else return steps;
    }
  };
  const operand = (stream: TokenStream): Operand => {
    const token = stream.peek();
    if (token.kind !== 'valuePlaceholder') return { kind: 'path', path: path(stream) };
    stream.next();
    values.add(token.text);
    return { kind: 'value', slot: token.text };
  };
  const choices = (stream: TokenStream): Operand[] => {
    stream.expect('(');
    const found: Operand[] = [];
    do found.push(operand(stream));
    while (stream.accept(','));
    stream.expect(')');
    if (found.length > 100)
      throw new SyntaxFault(
        `The IN operator is provided with too many operands; number of operands: ${found.length}`,
      );
    return found;
  };
  return { path, operand, choices };
}
