import { base64 } from './json.ts';
import type { Member, Shape } from './shape.ts';

const unsafe = /[<>&"'\r]|\p{Cc}|[\ufffe\uffff]/gu;

/** Text in XML; characters that XML 1.0 cannot hold at all (section 2.2) become U+FFFD. */
export const escapeXml = (text: string): string =>
  text.replace(unsafe, (character) => {
    if (character === '\n' || character === '\t') return character;
    const code = character.charCodeAt(0);
    const forbidden = (code < 0x20 && character !== '\r') || code >= 0xfffe;
    return forbidden ? '\ufffd' : `&#x${code.toString(16).toUpperCase()};`;
  });

/** An element around what is XML already. */
export const writeElement = (name: string, inner: string, attributes = ''): string =>
  `<${name}${attributes}>${inner}</${name}>`;

/** The members of a structure as XML elements, by the rules of the AWS Query protocol. */
export function writeStructure(shape: Shape, value: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [name, member] of shape.members) {
    const inner = value[name];
    if (inner !== undefined && inner !== null) text += writeMember(nameOf(member, name), member, inner);
  }
  return text;
}

const nameOf = (member: Member, usual: string): string =>
  typeof member.traits.xmlName === 'string' ? member.traits.xmlName : usual;

const isFlat = (member: Member): boolean =>
  member.traits.xmlFlattened !== undefined || member.shape.traits.xmlFlattened !== undefined;

function writeMember(name: string, member: Member, value: unknown): string {
  const { shape } = member;
  if (shape.kind === 'list') {
    const item = shape.item!;
    const itemName = isFlat(member) ? name : nameOf(item, 'member');
    const text = (value as readonly unknown[]).map((inner) => writeMember(itemName, item, inner)).join('');
    return isFlat(member) ? text : `<${name}>${text}</${name}>`;
  }
  if (shape.kind === 'map') {
    const [keyName, valueName] = [nameOf(shape.key!, 'key'), nameOf(shape.item!, 'value')];
    const entryName = isFlat(member) ? name : 'entry';
    const text = Object.entries(value as Readonly<Record<string, unknown>>)
      .map(
        ([key, inner]) =>
          `<${entryName}><${keyName}>${escapeXml(key)}</${keyName}>${writeMember(valueName, shape.item!, inner)}</${entryName}>`,
      )
      .join('');
    return isFlat(member) ? text : `<${name}>${text}</${name}>`;
  }
  const text =
    shape.kind === 'structure'
      ? writeStructure(shape, value as Readonly<Record<string, unknown>>)
      : value instanceof Uint8Array
        ? base64(value)
        : value instanceof Date
          ? value.toISOString()
          : escapeXml(String(value));
  return `<${name}>${text}</${name}>`;
}
