import type { ServiceId } from '../service.ts';

/**
 * What a value of an API looks like, as the SDK's own clients describe it in the schemas that they export. The
 * codecs walk shapes, so that no operation is written by hand and every one is in the SDK's words.
 */
export interface Shape {
  readonly kind: Kind;
  /** `SendMessageRequest`; empty for a plain value. */
  readonly name: string;
  /** Traits of the shape itself: `xmlName`, `http`, `awsQueryError`. */
  readonly traits: Traits;
  /** Members of a structure, union or error. */
  readonly members: ReadonlyMap<string, Member>;
  /** What a list or a map holds. */
  readonly item: Member | undefined;
  /** The key of a map. */
  readonly key: Member | undefined;
}

/** A shape in its place: with the traits of the member that holds it. */
export interface Member {
  readonly shape: Shape;
  readonly traits: Traits;
}

/** An operation of a service. */
export interface OperationShape {
  readonly name: string;
  readonly input: Shape;
  readonly output: Shape;
  /** Method, path with labels, and status of a REST operation. */
  readonly http: readonly [method: string, path: string, status: number] | undefined;
}

/** Everything that the codecs know of one service. */
export interface ServiceShapes {
  readonly operations: ReadonlyMap<string, OperationShape>;
  /** Code and status of the query protocol by the name of the error. */
  readonly queryErrors: ReadonlyMap<string, readonly [code: string, status: number]>;
}

export type Kind =
  | 'structure'
  | 'list'
  | 'map'
  | 'string'
  | 'number'
  | 'boolean'
  | 'blob'
  | 'timestamp'
  | 'document'
  | 'unit';

export type Traits = Readonly<Record<string, unknown>>;

const clients: Readonly<Record<ServiceId, () => Promise<object>>> = {
  sqs: () => import('@aws-sdk/client-sqs'),
  sns: () => import('@aws-sdk/client-sns'),
  dynamodb: () => import('@aws-sdk/client-dynamodb'),
  cloudwatch: () => import('@aws-sdk/client-cloudwatch'),
  lambda: () => import('@aws-sdk/client-lambda'),
  cloudformation: () => import('@aws-sdk/client-cloudformation'),
  sts: () => import('@aws-sdk/client-sts'),
  dynamodbstreams: () => import('@aws-sdk/client-dynamodb-streams'),
  s3: () => import('@aws-sdk/client-s3'),
  ssm: () => import('@aws-sdk/client-ssm'),
  ecr: () => import('@aws-sdk/client-ecr'),
  iam: () => import('@aws-sdk/client-iam'),
  kms: () => import('@aws-sdk/client-kms'),
};

const loaded = new Map<ServiceId, ServiceShapes>();
const loading = new Map<ServiceId, Promise<ServiceShapes>>();

/** The shapes of a service when they are there already. */
export const shapesNow = (service: ServiceId): ServiceShapes | undefined => loaded.get(service);

/** Loads the shapes of a service, once: the SDK's client costs a tenth of a second, so only at the first request. */
export function loadShapes(service: ServiceId): Promise<ServiceShapes> {
  let promise = loading.get(service);
  if (promise === undefined) {
    promise = clients[service]().then((module) => {
      const shapes = readModule(module);
      loaded.set(service, shapes);
      return shapes;
    });
    loading.set(service, promise);
  }
  return promise;
}

/**
 * The SDK's raw schemas are arrays: `[kind, namespace, name, traits, ...]`, a number for a plain value, a function
 * for a reference, and `[schema, traits]` for a member with traits (package @smithy/types, schema/static-schemas).
 */
const staticKind = { simple: 0, list: 1, map: 2, structure: 3, union: 4, error: -3, operation: 9 } as const;

/** Bits of a traits number, in order (@smithy/core, schema/translateTraits). */
const traitBits = [
  'httpLabel',
  'idempotent',
  'idempotencyToken',
  'sensitive',
  'httpPayload',
  'httpResponseCode',
  'httpQueryParams',
];

/** Numbers of plain values (@smithy/core, schema/sentinels); 64 and 128 make a list or a map of them. */
const plainKinds = new Map<number, Kind>([
  [0, 'string'],
  [1, 'number'],
  [2, 'boolean'],
  [4, 'timestamp'],
  [5, 'timestamp'],
  [6, 'timestamp'],
  [7, 'timestamp'],
  [15, 'document'],
  [17, 'number'],
  [19, 'number'],
  [21, 'blob'],
  [42, 'blob'],
]);
const listBit = 64;
const mapBit = 128;

function readModule(module: object): ServiceShapes {
  const operations = new Map<string, OperationShape>();
  const queryErrors = new Map<string, readonly [string, number]>();
  for (const schema of Object.values(module)) {
    if (!Array.isArray(schema) || typeof schema[2] !== 'string') continue;
    const traits = readTraits(schema[3]);
    if (schema[0] === staticKind.operation) {
      operations.set(schema[2], {
        name: schema[2],
        input: readShape(schema[4]),
        output: readShape(schema[5]),
        http: traits.http as OperationShape['http'],
      });
    } else if (schema[0] === staticKind.error && Array.isArray(traits.awsQueryError)) {
      queryErrors.set(schema[2], traits.awsQueryError as [string, number]);
    }
  }
  return { operations, queryErrors };
}

const noMembers: ReadonlyMap<string, Member> = new Map();
const known = new WeakMap<object, Shape>();
const plain = new Map<number, Shape>();

function readShape(reference: unknown): Shape {
  const schema = typeof reference === 'function' ? (reference as () => unknown)() : reference;
  if (typeof schema === 'number') {
    let shape = plain.get(schema);
    if (shape === undefined) {
      shape = plainShape(schema);
      plain.set(schema, shape);
    }
    return shape;
  }
  if (!Array.isArray(schema)) return { ...plainShape(0), kind: 'unit' };
  let shape = known.get(schema);
  if (shape === undefined) {
    shape = staticShape(schema);
    known.set(schema, shape);
  }
  return shape;
}

function plainShape(schema: number): Shape {
  const isList = (schema & listBit) !== 0 && schema < mapBit;
  const isMap = (schema & mapBit) !== 0;
  const inner = schema & (listBit - 1);
  const item = isList || isMap ? { shape: readShape(inner), traits: {} } : undefined;
  return {
    kind: isMap ? 'map' : isList ? 'list' : (plainKinds.get(schema) ?? 'string'),
    name: '',
    traits: {},
    members: noMembers,
    item,
    key: isMap ? { shape: readShape(0), traits: {} } : undefined,
  };
}

function staticShape(schema: readonly unknown[]): Shape {
  const [kind, , name, traits] = schema;
  const base = { name: String(name), traits: readTraits(traits), members: noMembers };
  switch (kind) {
    case staticKind.simple:
      return { ...readShape(schema[4]), ...base };
    case staticKind.list:
      return lazy({ ...base, kind: 'list' }, { item: () => readMember(schema[4]) });
    case staticKind.map:
      return lazy(
        { ...base, kind: 'map' },
        { key: () => readMember(schema[4]), item: () => readMember(schema[5]) },
      );
    default:
      return lazy(
        { ...base, kind: 'structure' },
        {
          members: () => {
            const schemas = schema[5] as readonly unknown[];
            return new Map(
              (schema[4] as readonly string[]).map((member, index) => [member, readMember(schemas[index])]),
            );
          },
        },
      );
  }
}

/** A shape may hold itself, so what it holds is read when it is asked for. */
function lazy(
  base: Pick<Shape, 'kind' | 'name' | 'traits' | 'members'>,
  parts: {
    readonly item?: () => Member;
    readonly key?: () => Member;
    readonly members?: () => ReadonlyMap<string, Member>;
  },
): Shape {
  const shape = { ...base, item: undefined, key: undefined };
  for (const [name, read] of Object.entries(parts)) {
    Object.defineProperty(shape, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = read();
        Object.defineProperty(shape, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return shape;
}

function readMember(schema: unknown): Member {
  const hasTraits = Array.isArray(schema) && schema.length === 2;
  if (!hasTraits) return { shape: readShape(schema), traits: {} };
  return { shape: readShape(schema[0]), traits: readTraits(schema[1]) };
}

function readTraits(traits: unknown): Traits {
  if (typeof traits === 'number')
    return Object.fromEntries(
      traitBits.filter((_, bit) => (traits >> bit) & 1).map((name) => [name, 1] as const),
    );
  return typeof traits === 'object' && traits !== null ? (traits as Traits) : {};
}
