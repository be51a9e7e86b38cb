import type { Alias, Document, Node, Tags } from 'yaml';
import type { Template } from './template.ts';
import { formatError, shapeOf } from './template-shape.ts';

/**
 * Reads a template from its text, JSON or YAML; the short forms of functions (`!Ref`, `!GetAtt A.B`) become the long
 * ones. YAML is read as version 1.1, as CloudFormation does, but dates stay texts: `Version: 2012-10-17`.
 *
 * @throws ServiceError ValidationError, with the line and column at which the text is not well-formed
 */
export async function parseTemplate(text: string): Promise<Template> {
  const value = text.trimStart().startsWith('{') ? parseJson(text) : await parseYaml(text);
  return shapeOf(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const position = /position (\d+)/.exec(message)?.[1];
    // Some versions of the parser tell the place, others what stands there.
    if (position === undefined) throw formatError(`JSON not well-formed. (${message})`, cause);
    const before = text.slice(0, Number(position)).split('\n');
    const column = (before.at(-1) ?? '').length + 1;
    throw formatError(`JSON not well-formed. (line ${before.length}, column ${column})`, cause);
  }
}

/** Loaded when the first YAML comes: most templates are JSON. */
async function parseYaml(text: string): Promise<unknown> {
  const yaml = await import('yaml');
  const document = parseDocument(yaml, text);
  const [error] = document.errors;
  if (error !== undefined) {
    const [{ line, col }] = error.linePos ?? [{ line: 1, col: 1 }];
    throw formatError(`YAML not well-formed. (line ${line}, column ${col})`, error);
  }
  return createReader(yaml)(document.contents);
}

function parseDocument(yaml: typeof import('yaml'), text: string): Document.Parsed {
  // What YAML 1.1 reads as a date or as a number of seconds (12:30) is a text to CloudFormation.
  const customTags = (tags: Tags): Tags =>
    tags.filter(
      (tag) => typeof tag === 'string' || !(tag.tag.endsWith(':timestamp') || formatOf(tag) === 'TIME'),
    );
  try {
    return yaml.parseDocument(text, { version: '1.1', customTags });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw formatError('it is nested too deeply to be read.', cause);
  }
}

const formatOf = (tag: object): unknown => ('format' in tag ? tag.format : undefined);

/** Values that aliases may stand for in one template, all together: a few lines of them can ask for millions. */
const mostByAlias = 100_000;

/** Reads the values of one document's nodes; each alias is what its anchor names at that place. */
function createReader(yaml: typeof import('yaml')): (node: Node | null) => unknown {
  const anchors = new Map<string, Node>();
  const meant = new Map<Node, Node>();
  const open = new Set<Node>();
  let byAlias = 0;

  function read(node: Node | null): unknown {
    if (node === null) return null;
    if (open.size > 0 && ++byAlias > mostByAlias)
      throw formatError(`its aliases stand for more than ${mostByAlias} values.`);
    if (yaml.isAlias(node)) return readAlias(node);
    if (open.size === 0 && 'anchor' in node && typeof node.anchor === 'string')
      anchors.set(node.anchor, node);
    const short =
      node.tag?.startsWith('!') === true && !node.tag.startsWith('!!') ? node.tag.slice(1) : undefined;
    const plain = readPlain(node);
    return short === undefined || short === '' ? plain : longForm(short, plain);
  }

  function readAlias(alias: Alias): unknown {
    const node = meant.get(alias) ?? anchors.get(alias.source);
    if (node === undefined) throw formatError(`the alias *${alias.source} names nothing before it.`);
    meant.set(alias, node);
    if (open.has(node)) throw formatError(`the alias *${alias.source} stands in what it names.`);
    open.add(node);
    const value = read(node);
    open.delete(node);
    return value;
  }

  function readPlain(node: Node): unknown {
    if (yaml.isSeq(node)) return node.items.map((item) => read(item as Node | null));
    if (yaml.isMap(node))
      return Object.fromEntries(
        node.items.map(({ key, value }) => [String(read(key as Node)), read(value as Node | null)]),
      );
    return yaml.isScalar(node) ? node.value : null;
  }
  return read;
}

/** `!Ref` and `!Condition` have no prefix; `!GetAtt` splits its text at the first dot. */
function longForm(name: string, argument: unknown): unknown {
  if (name === 'Ref' || name === 'Condition') return { [name]: argument };
  if (name === 'GetAtt' && typeof argument === 'string') {
    const dot = argument.indexOf('.');
    return { 'Fn::GetAtt': [argument.slice(0, dot), argument.slice(dot + 1)] };
  }
  return { [`Fn::${name}`]: argument };
}
