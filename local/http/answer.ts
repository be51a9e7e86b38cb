import type { ServiceError, ServiceId } from '../service.ts';
import { encodeCbor } from './cbor.ts';
import { toJson } from './json.ts';
import type { Protocol } from './request.ts';
import { names } from './services.ts';
import type { ServiceShapes } from './shape.ts';
import { errorMessage, jsonErrorType } from './sqs.ts';
import { escapeXml, writeElement, writeStructure } from './xml.ts';

/** What goes back over the wire. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
  /** Content-Length where no body goes with it: of what a HEAD asks for. */
  readonly length?: number;
}

/** An action's output in the query protocol. */
export function queryAnswer(
  service: ServiceId,
  shapes: ServiceShapes,
  action: string,
  output: object,
  requestId: string,
): Answer {
  const shape = shapes.operations.get(action)?.output;
  const members =
    shape === undefined || shape.kind !== 'structure'
      ? undefined
      : writeStructure(shape, output as Readonly<Record<string, unknown>>);
  const result =
    members === undefined
      ? ''
      : members === ''
        ? `<${action}Result/>`
        : `<${action}Result>${members}</${action}Result>`;
  return {
    status: 200,
    type: 'text/xml',
    body:
      `<?xml version="1.0"?>\n<${action}Response${namespace(service)}>${result}` +
      `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></${action}Response>`,
  };
}

/** An error in the shape that the protocol has for it. */
export function errorAnswer(
  protocol: Protocol,
  service: ServiceId | undefined,
  shapes: ServiceShapes | undefined,
  error: ServiceError,
  requestId: string,
  jsonType: string,
): Answer {
  const declared = shapes?.queryErrors.get(error.name);
  const code = error.queryCode ?? declared?.[0] ?? error.name;
  const fault = error.statusCode < 500 ? 'Sender' : 'Receiver';
  const message = service === 'sqs' ? errorMessage(protocol, error) : error.message;
  if (protocol === 'query')
    return {
      status: error.statusCode === 400 ? (declared?.[1] ?? 400) : error.statusCode,
      type: 'text/xml',
      body:
        `<?xml version="1.0"?>\n<ErrorResponse${namespace(service)}><Error><Type>${fault}</Type>` +
        `<Code>${escapeXml(code)}</Code><Message>${escapeXml(message)}</Message></Error>` +
        `<RequestId>${requestId}</RequestId></ErrorResponse>`,
    };
  // S3 speaks XML, and so is answered who calls a REST service that is not there.
  if (protocol === 'rest' && (service === undefined || service === 's3'))
    return {
      status: error.statusCode,
      type: 'application/xml',
      body:
        `<?xml version="1.0"?>\n<Error><Code>${escapeXml(code)}</Code>` +
        `<Message>${escapeXml(error.message)}</Message>${furtherMembers(error)}<RequestId>${requestId}</RequestId></Error>`,
    };
  // What an address of SQS answers to a request that names no action (recorded on AWS).
  if (protocol === 'rest' && service === 'sqs')
    return { status: error.statusCode, type: 'text/xml', body: `<${error.name}/>\n` };
  const content = { message: error.message, ...error.members };
  if (protocol === 'rest')
    return {
      status: error.statusCode,
      type: 'application/json',
      headers: ['x-amzn-ErrorType', error.name],
      body: toJson({ Type: fault === 'Sender' ? 'User' : 'Service', Message: error.message, ...content }),
    };
  const body = { __type: errorType(service, error.name), ...content };
  const headers = ['x-amzn-query-error', `${code};${fault}`];
  return protocol === 'cbor'
    ? {
        status: error.statusCode,
        type: 'application/cbor',
        headers: ['smithy-protocol', 'rpc-v2-cbor', ...headers],
        body: encodeCbor(body),
      }
    : { status: error.statusCode, type: jsonType, headers, body: toJson(body) };
}

/** Plain members of an error: the bucket, the key. */
const furtherMembers = ({ members }: ServiceError): string =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined && typeof value !== 'object')
    .map(([name, value]) => writeElement(name, escapeXml(String(value))))
    .join('');

/** The attribute that names a service's vocabulary. */
export const namespace = (service: ServiceId | undefined): string => {
  const uri = service === undefined ? undefined : names[service].xmlNamespace;
  return uri === undefined ? '' : ` xmlns="${uri}"`;
};

/** Errors of the front of all services come from namespaces of their own. */
function errorType(service: ServiceId | undefined, name: string): string {
  if (name === 'SerializationException' || name === 'UnknownOperationException' || service === undefined)
    return `com.amazon.coral.service#${name}`;
  if (service === 'sqs') return jsonErrorType(name);
  const namespace =
    name === 'ValidationException' ? 'com.amazon.coral.validate' : names[service].errorNamespace;
  return `${namespace}#${name}`;
}
