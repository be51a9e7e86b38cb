import { ServiceError } from '../service.ts';
import { coerce } from './coerce.ts';
import type { Member, Shape } from './shape.ts';

/** Names and values of a form, as a tree along the dots of the names. */
export interface Form {
  readonly value: string | undefined;
  readonly parts: ReadonlyMap<string, Form>;
}

interface MutableForm {
  value: string | undefined;
  parts: Map<string, MutableForm>;
}

const none: Map<string, MutableForm> = new Map();
const deepest = 40;

/**
 * Reads `Action=Publish&TopicArn=...&MessageAttributes.entry.1.Name=...`.
 *
 * @throws {ServiceError} MalformedQueryString
 */
export function parseForm(text: string): Form {
  const root: MutableForm = { value: undefined, parts: new Map() };
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('&', start);
    if (end < 0) end = text.length;
    const equals = text.indexOf('=', start);
    const split = equals < 0 || equals > end ? end : equals;
    if (split > start)
      place(root, decode(text.slice(start, split)), decode(text.slice(Math.min(split + 1, end), end)));
    start = end + 1;
  }
  return root;
}

function place(root: MutableForm, name: string, value: string) {
  let node = root;
  const steps = name.split('.');
  if (steps.length > deepest)
    throw new ServiceError('MalformedQueryString', `A parameter's name has more than ${deepest} parts.`);
  for (const step of steps) {
    if (node.parts === none) node.parts = new Map();
    let next = node.parts.get(step);
    if (next === undefined) {
      next = { value: undefined, parts: none };
      node.parts.set(step, next);
    }
    node = next;
  }
  node.value = value;
}

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new ServiceError(
      'MalformedQueryString',
      'The query string has a percent sign that no code follows.',
      {
        cause,
      },
    );
  }
}

/**
 * The input of an action from a form, by the rules of the AWS Query protocol (Smithy, "AWS Query protocol").
 *
 * @throws {ServiceError} MalformedInput for a value of the wrong type
 */
export function readForm(shape: Shape, form: Form): Record<string, unknown> {
  return readStructure(shape, form);
}

function readStructure(shape: Shape, form: Form): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, member] of shape.members) {
    const node = findMember(name, member, form);
    if (node === undefined) continue;
    const value = readValue(member, node, name);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

/** Flattened members go by the name of their items; clients of old SDKs use either, so both are looked for. */
function findMember(name: string, member: Member, form: Form): Form | undefined {
  const xmlName = member.traits.xmlName;
  return (typeof xmlName === 'string' ? form.parts.get(xmlName) : undefined) ?? form.parts.get(name);
}

function readValue(member: Member, form: Form, path: string): unknown {
  const { shape } = member;
  switch (shape.kind) {
    case 'structure':
      return readStructure(shape, form);
    case 'list':
      return items(member, form, 'member').map((item) => readValue(shape.item!, item, path));
    case 'map': {
      const keyName = nameOf(shape.key!, 'key');
      const valueName = nameOf(shape.item!, 'value');
      const entries: [string, unknown][] = [];
      for (const entry of items(member, form, 'entry')) {
        const key = entry.parts.get(keyName)?.value;
        const value = entry.parts.get(valueName);
        if (key !== undefined && value !== undefined)
          entries.push([key, readValue(shape.item!, value, path)]);
      }
      return Object.fromEntries(entries);
    }
    case 'string':
      return form.value;
    case 'number': {
      const number = form.value === undefined || form.value.trim() === '' ? Number.NaN : Number(form.value);
      return Number.isNaN(number) ? malformed(path, form.value, 'a number') : number;
    }
    case 'boolean':
      if (form.value === 'true' || form.value === 'false') return form.value === 'true';
      return malformed(path, form.value, 'true or false');
    case 'blob':
    case 'timestamp':
      return coerce(shape, form.value, path);
    default:
      return form.value;
  }
}

/** `Name.member.1`, or `Name.1` when the list is flattened; in the order of their numbers. */
function items(member: Member, form: Form, container: 'member' | 'entry'): Form[] {
  const itemName = container === 'member' ? nameOf(member.shape.item!, 'member') : 'entry';
  const holder = form.parts.get(itemName) ?? form;
  const numbered: [number, Form][] = [];
  for (const [step, item] of holder.parts) if (/^\d+$/.test(step)) numbered.push([Number(step), item]);
  return numbered.sort((a, b) => a[0] - b[0]).map(([, item]) => item);
}

const nameOf = (member: Member, usual: string): string =>
  typeof member.traits.xmlName === 'string' ? member.traits.xmlName : usual;

function malformed(path: string, value: string | undefined, wanted: string): never {
  throw new ServiceError('MalformedInput', `"${path}" must be ${wanted}; found "${value ?? ''}".`);
}
