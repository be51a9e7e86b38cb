import type { OperationShape, ServiceShapes } from '../shape.ts';
import type { Address } from './address.ts';

interface Template {
  readonly operation: OperationShape;
  readonly hasKey: boolean;
  /** `list-type=2`, `uploads`: what the query holds beyond parameters. */
  readonly literals: readonly (readonly [name: string, value: string])[];
}

const templates = new WeakMap<ServiceShapes, ReadonlyMap<string, readonly Template[]>>();

/** The operations of S3 by method, as the paths of their schemas tell them apart. */
function templatesOf(shapes: ServiceShapes): ReadonlyMap<string, readonly Template[]> {
  let known = templates.get(shapes);
  if (known === undefined) {
    const made = new Map<string, Template[]>();
    for (const operation of shapes.operations.values()) {
      if (operation.http === undefined) continue;
      const [method, uri] = operation.http;
      const [path = '/', query = ''] = uri.split('?', 2);
      if (path !== '/' && path !== '/{Key+}') continue;
      const literals = [...new URLSearchParams(query)];
      made.set(method, [...(made.get(method) ?? []), { operation, hasKey: path !== '/', literals }]);
    }
    known = made;
    templates.set(shapes, made);
  }
  return known;
}

/** Where a parameter or a header, no literal of the path, tells two operations apart for clients that send no x-id. */
function byParameters(
  method: string,
  { bucket, key }: Address,
  query: URLSearchParams,
  copies: boolean,
): string | undefined {
  if (bucket === undefined) return method === 'GET' ? 'ListBuckets' : undefined;
  if (key === undefined) return undefined;
  if (method === 'PUT' && query.has('uploadId')) return copies ? 'UploadPartCopy' : 'UploadPart';
  if (method === 'PUT' && copies && !query.has('tagging')) return 'CopyObject';
  if (method === 'DELETE' && query.has('uploadId')) return 'AbortMultipartUpload';
  if (method === 'GET' && query.has('uploadId')) return 'ListParts';
  return undefined;
}

/** What clients name an operation by; the path has it only where nothing else tells. */
const usual: Readonly<Record<string, string>> = {
  PUT: 'PutObject',
  GET: 'GetObject',
  DELETE: 'DeleteObject',
  POST: 'CompleteMultipartUpload',
};

/** The operation of S3 that a request asks for; the most literals that fit win. */
export function matchS3(
  shapes: ServiceShapes,
  method: string,
  address: Address,
  query: URLSearchParams,
  copies: boolean,
): OperationShape | undefined {
  const named = byParameters(method, address, query, copies);
  if (named !== undefined) return shapes.operations.get(named);
  const hasKey = address.key !== undefined;
  let best: Template | undefined;
  let bestScore = -1;
  for (const template of templatesOf(shapes).get(method) ?? []) {
    if (template.hasKey !== hasKey) continue;
    const others = template.literals.filter(([name]) => name !== 'x-id');
    const fits = others.every(
      ([name, value]) => query.has(name) && (value === '' || query.get(name) === value),
    );
    if (!fits) continue;
    const id = template.literals.find(([name]) => name === 'x-id')?.[1];
    const isNamed = id !== undefined && id === query.get('x-id');
    // Without x-id: the plain operation of the method, which no literal tells from its neighbours.
    const isUsual = hasKey && template.operation.name === usual[method];
    if (id !== undefined && !isNamed && others.length === 0 && !isUsual) continue;
    const score = others.length * 4 + (isNamed ? 2 : 0) + (isUsual ? 1 : 0);
    if (score > bestScore) [best, bestScore] = [template, score];
  }
  return best?.operation;
}
