import type { Document, Node } from 'yaml';
import { ServiceError } from '../service.ts';
import { isObject, type Template } from './template.ts';

/**
 * Reads a template from its text, JSON or YAML; the short forms of functions (`!Ref`, `!GetAtt A.B`) become the long
 * ones. YAML is read as version 1.1, as CloudFormation does, but dates stay texts: `Version: 2012-10-17`.
 *
 * @throws ServiceError ValidationError, with the line and column at which the text is not well-formed
 */
export async function parseTemplate(text: string): Promise<Template> {
  const value = text.trimStart().startsWith('{') ? parseJson(text) : await parseYaml(text);
  if (!isObject(value)) throw formatError('unsupported structure.');
  if (!isObject(value.Resources) || Object.keys(value.Resources).length === 0)
    throw formatError('At least one Resources member must be defined.');
  for (const [logicalId, resource] of Object.entries(value.Resources)) {
    if (!isObject(resource) || typeof resource.Type !== 'string')
      throw formatError(`[/Resources/${logicalId}] Every Resources object must contain a Type member.`);
  }
  return value as Template;
}

/** A text that is no template. */
export const formatError = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('ValidationError', `Template format error: ${message}`, { cause });

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
  const document = yaml.parseDocument(text, {
    version: '1.1',
    // What YAML 1.1 reads as a date or as a number of seconds (12:30) is a text to CloudFormation.
    customTags: (tags) =>
      tags.filter(
        (tag) => typeof tag === 'string' || !(tag.tag.endsWith(':timestamp') || formatOf(tag) === 'TIME'),
      ),
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const [{ line, col }] = error.linePos ?? [{ line: 1, col: 1 }];
    throw formatError(`YAML not well-formed. (line ${line}, column ${col})`, error);
  }
  return readValue(document.contents, document, yaml);
}

const formatOf = (tag: object): unknown => ('format' in tag ? tag.format : undefined);

function readValue(node: Node | null, document: Document.Parsed, yaml: typeof import('yaml')): unknown {
  if (node === null) return null;
  if (yaml.isAlias(node)) return readValue(node.resolve(document) ?? null, document, yaml);
  const short =
    node.tag?.startsWith('!') === true && !node.tag.startsWith('!!') ? node.tag.slice(1) : undefined;
  const plain = plainOf(node, document, yaml);
  return short === undefined || short === '' ? plain : longForm(short, plain);
}

function plainOf(node: Node, document: Document.Parsed, yaml: typeof import('yaml')): unknown {
  if (yaml.isSeq(node)) return node.items.map((item) => readValue(item as Node | null, document, yaml));
  if (yaml.isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }) => [
        String(readValue(key as Node, document, yaml)),
        readValue(value as Node | null, document, yaml),
      ]),
    );
  }
  return yaml.isScalar(node) ? node.value : null;
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
