import { ServiceError } from '../service.ts';
import type { Shape } from './shape.ts';

/** DynamoDB allows 32 levels (developer guide, quotas); deeper than this no request of any service is meant. */
const deepest = 100;

/** Numbers that JSON cannot write, as texts (Smithy, "JSON protocols": float and double). */
const notFinite: ReadonlySet<unknown> = new Set(['NaN', 'Infinity', '-Infinity']);

/**
 * Checks a parsed body against the shape of the action's input and turns it, in place, into what the SDK's
 * input types say: bytes for base64, dates for timestamps. Members that the shape does not know are left alone,
 * as AWS does; `null` counts as absent.
 *
 * @throws {ServiceError} SerializationException for a value of the wrong type
 */
export function coerce(shape: Shape, value: unknown, path = '', depth = 0): unknown {
  switch (shape.kind) {
    case 'string':
      return typeof value === 'string' ? value : wrong(path, value, 'a string');
    case 'number':
      if (typeof value === 'number') return value;
      return notFinite.has(value) ? Number(value) : wrong(path, value, 'a number');
    case 'boolean':
      return typeof value === 'boolean' ? value : wrong(path, value, 'true or false');
    case 'blob':
      if (value instanceof Uint8Array) return value;
      return typeof value === 'string' && isBase64(value)
        ? bytes(value)
        : wrong(path, value, 'bytes in base64');
    case 'timestamp':
      return timestamp(value) ?? wrong(path, value, 'a moment in seconds since 1970');
    case 'structure': {
      const record = asRecord(value, path, depth);
      for (const name in record) {
        const member = shape.members.get(name);
        if (member === undefined) continue;
        const inner = record[name];
        if (inner === null) delete record[name];
        else if (member.shape.kind !== 'string') record[name] = coerce(member.shape, inner, name, depth + 1);
        else if (typeof inner !== 'string') wrong(name, inner, 'a string');
      }
      return record;
    }
    case 'map': {
      const record = asRecord(value, path, depth);
      const item = shape.item!.shape;
      for (const name in record) {
        const inner = record[name];
        if (inner === null) delete record[name];
        else {
          const read = coerce(item, inner, path, depth + 1);
          if (read !== inner) record[name] = read;
        }
      }
      return record;
    }
    case 'list': {
      if (!Array.isArray(value)) return wrong(path, value, 'a list');
      if (depth > deepest) return tooDeep();
      const item = shape.item!.shape;
      for (let index = 0; index < value.length; index++)
        value[index] = coerce(item, value[index], path, depth + 1);
      return value;
    }
    default:
      return value;
  }
}

function asRecord(value: unknown, path: string, depth: number): Record<string, unknown> {
  if (depth > deepest) return tooDeep();
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return wrong(path, value, 'an object');
  return value as Record<string, unknown>;
}

function timestamp(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  const date =
    typeof value === 'number'
      ? new Date(value * 1000)
      : typeof value === 'string'
        ? new Date(/^-?[\d.]+$/.test(value) ? Number(value) * 1000 : value)
        : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** A plain Uint8Array of its own: a Buffer would be a view into a pool, and compare unequal to what was sent. */
export const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

function tooDeep(): never {
  throw new ServiceError('SerializationException', `The request is nested more than ${deepest} levels deep.`);
}

function wrong(path: string, value: unknown, wanted: string): never {
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
  const where = path === '' ? 'The request' : `"${path}"`;
  throw new ServiceError('SerializationException', `${where} must be ${wanted}; found ${found}.`);
}
