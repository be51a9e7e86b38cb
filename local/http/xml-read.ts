import { ServiceError } from '../service.ts';
import { coerce } from './coerce.ts';
import type { Member, Shape } from './shape.ts';

/** An element with what it holds. */
export interface Element {
  /** Without its namespace's prefix. */
  readonly name: string;
  readonly children: readonly Element[];
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** Deeper than this no request of any service is meant. */
const deepest = 50;

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
        if (name !== undefined) return named[name] ?? whole;
        const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
      })
    : text;

/**
 * Reads a document's only element. A document type, with which entities could be declared, is refused.
 *
 * @throws {ServiceError} MalformedXML
 */
export function parseXml(source: string): Element {
  const root: OpenElement = { name: '', children: [], text: '' };
  const open: OpenElement[] = [root];
  const token =
    /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/y;
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    if (match === null) throw malformed(`it cannot be read from "${source.slice(at, at + 20)}"`);
    const [, cdata, close, fullName, , empty, text] = match;
    const top = open.at(-1)!;
    if (text !== undefined) top.text += unescapeXml(text);
    else if (cdata !== undefined) top.text += cdata;
    else if (fullName !== undefined) {
      const name = fullName.slice(fullName.indexOf(':') + 1);
      if (close === '/') {
        if (open.length === 1 || top.name !== name) throw malformed(`</${name}> ends nothing`);
        open.pop();
      } else {
        const element: OpenElement = { name, children: [], text: '' };
        top.children.push(element);
        if (empty !== '/') open.push(element);
        if (open.length > deepest) throw malformed(`it is nested more than ${deepest} levels deep`);
      }
    }
  }
  const [element] = root.children;
  if (open.length > 1) throw malformed(`<${open.at(-1)!.name}> has no end`);
  if (element === undefined || root.children.length > 1 || root.text.trim() !== '')
    throw malformed('it is not one element');
  return element;
}

const malformed = (why: string) =>
  new ServiceError(
    'MalformedXML',
    `The XML you provided was not well-formed or did not validate against our published schema: ${why}.`,
  );

/** What an element holds, as the SDK's input types say. @throws {ServiceError} MalformedXML for a wrong type */
export function readElement(shape: Shape, element: Element): unknown {
  switch (shape.kind) {
    case 'structure': {
      const result: Record<string, unknown> = {};
      for (const [name, member] of shape.members) {
        const value = readMember(name, member, element);
        if (value !== undefined) result[name] = value;
      }
      return result;
    }
    case 'list':
      return element.children.map((child) => readElement(shape.item!.shape, child));
    case 'number': {
      const number = element.text.trim() === '' ? Number.NaN : Number(element.text);
      if (Number.isNaN(number)) throw malformed(`<${element.name}> has to be a number`);
      return number;
    }
    case 'boolean':
      if (!/^\s*(true|false)\s*$/i.test(element.text)) throw malformed(`<${element.name}> is true or false`);
      return element.text.trim().toLowerCase() === 'true';
    case 'blob':
    case 'timestamp':
      return coerce(shape, element.text.trim(), element.name);
    default:
      return element.text;
  }
}

function readMember(name: string, member: Member, parent: Element): unknown {
  const xmlName = typeof member.traits.xmlName === 'string' ? member.traits.xmlName : name;
  const found = parent.children.filter((child) => child.name === xmlName);
  if (found.length === 0) return undefined;
  const isFlat = member.traits.xmlFlattened !== undefined || member.shape.traits.xmlFlattened !== undefined;
  if (member.shape.kind === 'list' && isFlat)
    return found.map((child) => readElement(member.shape.item!.shape, child));
  return readElement(member.shape, found[0]!);
}
