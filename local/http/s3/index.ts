import type { IncomingMessage } from 'node:http';
import { type Dispatcher, supportedActions } from '../../dispatch.ts';
import { type Call, ServiceError } from '../../service.ts';
import type { Answer } from '../answer.ts';
import type { ServiceShapes } from '../shape.ts';
import { addressOf } from './address.ts';
import { verify } from './checksum.ts';
import { unchunk } from './chunked.ts';
import { readInput, writeOutput } from './codec.ts';
import { matchS3 } from './route.ts';

export { isS3, isS3Host } from './address.ts';

/**
 * Carries out a request to S3: REST with XML, the bucket in the path or in the host, bodies in chunks of their own,
 * checksums compared.
 *
 * @throws {ServiceError} what S3 answers, or what is wrong with the request
 */
export function serveS3(
  aws: Dispatcher,
  shapes: ServiceShapes,
  request: IncomingMessage,
  raw: Buffer,
  call: Call,
): Answer | Promise<Answer> {
  const method = request.method ?? 'GET';
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  checkExpiry(query, aws.context.clock.now());
  const { headers, body } = contentOf(request, raw);
  verify(body, headers);
  const address = addressOf(request.headers.host, path);
  const operation = matchS3(shapes, method, address, query, headers['x-amz-copy-source'] !== undefined);
  if (operation === undefined)
    throw new ServiceError(
      'MethodNotAllowed',
      `The model of AWS knows no action ${method} ${url}. ${supportedActions(aws.services, 's3')}`,
      { statusCode: 405 },
    );
  const input = readInput(operation, address, query, headers, body);
  const write = (output: object) =>
    writeOutput(operation, output as Readonly<Record<string, unknown>>, method === 'HEAD');
  const output = aws.call('s3', operation.name, input, call);
  return output instanceof Promise ? output.then(write) : write(output);
}

/** The body without its chunks; what follows them counts as headers. */
function contentOf(
  request: IncomingMessage,
  raw: Buffer,
): { readonly headers: Readonly<Record<string, string | string[] | undefined>>; readonly body: Buffer } {
  const encodings = (request.headers['content-encoding'] ?? '')
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '');
  const sha256 = request.headers['x-amz-content-sha256'];
  const isChunked =
    encodings.includes('aws-chunked') || (typeof sha256 === 'string' && sha256.startsWith('STREAMING-'));
  if (!isChunked) return { headers: request.headers, body: raw };
  const decoded = request.headers['x-amz-decoded-content-length'];
  const { body, trailers } = unchunk(raw, typeof decoded === 'string' ? Number(decoded) : undefined);
  const announced = String(request.headers['x-amz-trailer'] ?? '')
    .toLowerCase()
    .split(',');
  const missing = announced
    .map((name) => name.trim())
    .find((name) => name !== '' && !Object.hasOwn(trailers, name));
  if (missing !== undefined)
    throw new ServiceError(
      'MalformedTrailerError',
      `The request contained trailing data that was not well-formed or did not conform to our published schema: x-amz-trailer announces ${missing}, which did not come.`,
    );
  // What is left is the encoding of the object itself, kept with it.
  const own = encodings.filter((encoding) => encoding !== 'aws-chunked').join(', ');
  const headers = { ...request.headers, ...trailers, 'content-encoding': own === '' ? undefined : own };
  return { headers, body };
}

/** A presigned URL ends, though its signature is not looked at. */
function checkExpiry(query: URLSearchParams, now: number): void {
  const [date, expires] = [query.get('X-Amz-Date'), query.get('X-Amz-Expires')];
  if (date === null || expires === null) return;
  const begin = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!Number.isFinite(begin) || !/^\d+$/.test(expires))
    throw new ServiceError(
      'AuthorizationQueryParametersError',
      "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\", and X-Amz-Expires a number of seconds.",
    );
  if (now > begin + Number(expires) * 1000)
    throw new ServiceError('AccessDenied', 'Request has expired', { statusCode: 403 });
}
