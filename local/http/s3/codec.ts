import { ServiceError } from '../../service.ts';
import { type Answer, namespace } from '../answer.ts';
import { coerce } from '../coerce.ts';
import type { Member, OperationShape, Shape } from '../shape.ts';
import { writeElement, writeStructure } from '../xml.ts';
import { parseXml, readElement } from '../xml-read.ts';
import type { Address } from './address.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The input of a REST XML operation: address, query, headers and body (Smithy, "AWS restXml protocol"). */
export function readInput(
  operation: OperationShape,
  { bucket, key }: Address,
  query: URLSearchParams,
  headers: Headers,
  body: Buffer,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, member] of operation.input.members) {
    const value = readMember(name, member, query, headers, body);
    if (value !== undefined) input[name] = value;
  }
  if (bucket !== undefined) input.Bucket = bucket;
  if (key !== undefined) input.Key = key;
  return input;
}

function readMember(
  name: string,
  { shape, traits }: Member,
  query: URLSearchParams,
  headers: Headers,
  body: Buffer,
): unknown {
  if (typeof traits.httpQuery === 'string') {
    const value = query.get(traits.httpQuery);
    return value === null ? undefined : fromText(shape, value, name);
  }
  if (typeof traits.httpHeader === 'string') {
    const value = headers[traits.httpHeader.toLowerCase()];
    return value === undefined ? undefined : fromText(shape, String(value), name);
  }
  if (typeof traits.httpPrefixHeaders === 'string') {
    const prefix = traits.httpPrefixHeaders.toLowerCase();
    const found = Object.entries(headers).filter(([header]) => header.startsWith(prefix));
    return found.length === 0
      ? undefined
      : Object.fromEntries(found.map(([header, value]) => [header.slice(prefix.length), String(value)]));
  }
  if (traits.httpPayload === undefined || body.length === 0) return undefined;
  // The bytes as they came: S3 keeps them, and copies them itself.
  if (shape.kind === 'blob') return body;
  if (shape.kind === 'string') return body.toString('utf8');
  return readElement(shape, parseXml(body.toString('utf8')));
}

function fromText(shape: Shape, text: string, name: string): unknown {
  try {
    switch (shape.kind) {
      case 'list':
        return text.split(',').map((item) => item.trim());
      case 'number':
        return coerce(shape, text.trim() === '' ? text : Number(text), name);
      case 'boolean':
        return coerce(shape, /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text);
      default:
        return coerce(shape, text, name);
    }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new ServiceError('InvalidArgument', message, { cause });
  }
}

/** The answer of a REST XML operation. */
export function writeOutput(
  operation: OperationShape,
  output: Readonly<Record<string, unknown>>,
  isHead: boolean,
): Answer {
  const headers: string[] = [];
  let type = '';
  let length: number | undefined;
  let body: string | Uint8Array = '';
  const inBody: Record<string, unknown> = {};
  let hasPayload = false;
  for (const [name, { shape, traits }] of operation.output.members) {
    const value = output[name];
    if (traits.httpPayload !== undefined) hasPayload = true;
    if (value === undefined || value === null) continue;
    if (traits.httpHeader === 'Content-Type') type = String(value);
    else if (traits.httpHeader === 'Content-Length') length = Number(value);
    else if (typeof traits.httpHeader === 'string')
      headers.push(traits.httpHeader, value instanceof Date ? value.toUTCString() : String(value));
    else if (typeof traits.httpPrefixHeaders === 'string')
      for (const [key, text] of Object.entries(value as object))
        headers.push(traits.httpPrefixHeaders + key, String(text));
    else if (traits.httpPayload === undefined) inBody[name] = value;
    else if (shape.kind === 'blob') body = value as Uint8Array;
    else if (shape.kind === 'string') [body, type] = [String(value), 'application/json'];
    else
      [body, type] = [
        document(
          nameOf(traits, shape, name),
          writeStructure(shape, value as Readonly<Record<string, unknown>>),
        ),
        'application/xml',
      ];
  }
  let status = operation.http?.[2] ?? 200;
  if (output.ContentRange !== undefined) status = 206;
  if (operation.name === 'GetBucketLocation')
    [body, type] = [location(output.LocationConstraint), 'application/xml'];
  else if (!hasPayload && status !== 204 && hasBodyMembers(operation))
    [body, type] = [
      document(nameOf({}, operation.output, operation.output.name), writeStructure(operation.output, inBody)),
      'application/xml',
    ];
  return {
    status,
    type,
    body: isHead ? '' : body,
    headers,
    ...(isHead && length !== undefined ? { length } : {}),
  };
}

/** Whether the answer has a document at all: PutObject, for one, answers headers only. */
const hasBodyMembers = (operation: OperationShape): boolean =>
  [...operation.output.members.values()].some(
    ({ traits }) =>
      traits.httpHeader === undefined &&
      traits.httpPrefixHeaders === undefined &&
      traits.httpPayload === undefined,
  );

const nameOf = (traits: Member['traits'], shape: Shape, usual: string): string =>
  [traits.xmlName, shape.traits.xmlName, shape.name].find(
    (name): name is string => typeof name === 'string' && name !== '',
  ) ?? usual;

const document = (name: string, inner: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(name, inner, namespace('s3'))}`;

/** The one answer whose root is the value itself (S3 API reference, GetBucketLocation). */
const location = (constraint: unknown): string =>
  document('LocationConstraint', constraint === undefined ? '' : String(constraint));
