import { ServiceError } from '../service.ts';
import { coerce } from './coerce.ts';
import { toJson } from './json.ts';
import type { OperationShape, ServiceShapes, Shape } from './shape.ts';

/** An operation with the labels that its path holds. */
export interface RestMatch {
  readonly operation: OperationShape;
  readonly labels: Readonly<Record<string, string>>;
}

/** Finds the operation of a REST request by its method and path; the longest path that fits wins. */
export function matchRest(shapes: ServiceShapes, method: string, path: string): RestMatch | undefined {
  let best: (RestMatch & { readonly length: number }) | undefined;
  for (const operation of shapes.operations.values()) {
    if (operation.http === undefined || operation.http[0] !== method) continue;
    const [template = ''] = operation.http[1].split('?');
    const labels = matchPath(template, path);
    if (labels === undefined || (best !== undefined && best.length >= template.length)) continue;
    best = { operation, labels, length: template.length };
  }
  return best;
}

/** A label is one segment; `{Name+}` would be several, which no action of Lambda that the model has uses. */
function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.replace(/\/$/, '').split('/');
  const found = path.replace(/\/$/, '').split('/');
  if (wanted.length !== found.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [index, step] of wanted.entries()) {
    const label = /^\{(\w+)\+?\}$/.exec(step)?.[1];
    if (label !== undefined) labels[label] = decodeSegment(found[index]!);
    else if (step !== found[index]) return undefined;
  }
  return labels;
}

/** The input of a REST JSON operation: labels, query, headers and body. */
export function readRest(
  { operation, labels }: RestMatch,
  search: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Buffer,
): Record<string, unknown> {
  const query = new URLSearchParams(search);
  const input: Record<string, unknown> = {};
  let payload: Shape | undefined;
  const inBody: string[] = [];
  for (const [name, { shape, traits }] of operation.input.members) {
    if (traits.httpLabel !== undefined) input[name] = labels[name];
    else if (typeof traits.httpQuery === 'string') {
      const values = query.getAll(traits.httpQuery);
      if (values.length > 0) input[name] = shape.kind === 'list' ? values : scalar(shape, values[0]!, name);
    } else if (typeof traits.httpHeader === 'string') {
      const value = headers[traits.httpHeader.toLowerCase()];
      if (value !== undefined) input[name] = scalar(shape, String(value), name);
    } else if (traits.httpPayload !== undefined) {
      payload = shape;
      if (body.length > 0)
        input[name] = shape.kind === 'blob' ? new Uint8Array(body) : coerce(shape, parse(body), name);
    } else inBody.push(name);
  }
  if (payload === undefined && inBody.length > 0 && body.length > 0) {
    const value = coerce(operation.input, parse(body)) as Record<string, unknown>;
    for (const name of inBody) if (value[name] !== undefined) input[name] = value[name];
  }
  return input;
}

/** The answer of a REST JSON operation. */
export function writeRest(
  operation: OperationShape,
  output: Readonly<Record<string, unknown>>,
): { status: number; headers: string[]; body: string | Uint8Array } {
  let status = operation.http?.[2] ?? 200;
  const headers: string[] = [];
  let body: string | Uint8Array | undefined;
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(output)) {
    const member = operation.output.members.get(name);
    if (value === undefined || value === null || member === undefined) continue;
    const { traits, shape } = member;
    if (traits.httpResponseCode !== undefined) status = Number(value);
    else if (typeof traits.httpHeader === 'string') headers.push(traits.httpHeader, String(value));
    else if (traits.httpPayload !== undefined)
      body = shape.kind === 'blob' ? (value as Uint8Array) : toJson(value as object);
    else rest[name] = value;
  }
  const hasPayload = [...operation.output.members.values()].some(
    ({ traits }) => traits.httpPayload !== undefined,
  );
  return { status, headers, body: body ?? (hasPayload || status === 204 ? '' : toJson(rest)) };
}

function scalar(shape: Shape, text: string, name: string): unknown {
  if (shape.kind === 'number') return coerce(shape, text.trim() === '' ? text : Number(text), name);
  if (shape.kind === 'boolean')
    return coerce(shape, text === 'true' ? true : text === 'false' ? false : text);
  return coerce(shape, text, name);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ServiceError('InvalidRequestContentException', `The body is not JSON: ${String(cause)}`, {
      cause,
    });
  }
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new ServiceError('InvalidRequestContentException', `The path cannot be read: ${text}`, { cause });
  }
}
