import type { IncomingMessage } from 'node:http';
import { type Dispatcher, supportedActions, unknownService } from '../dispatch.ts';
import { type Call, ServiceError, type ServiceId } from '../service.ts';
import { type Answer, queryAnswer } from './answer.ts';
import { decodeCbor, encodeCbor } from './cbor.ts';
import { coerce } from './coerce.ts';
import { toJson } from './json.ts';
import { readForm } from './query.ts';
import type { Asked } from './request.ts';
import { matchRest, readRest, writeRest } from './rest.ts';
import { serveS3 } from './s3/index.ts';
import { loadShapes, type ServiceShapes, shapesNow } from './shape.ts';
import { checkAction } from './sqs.ts';
import { warmUp } from './warm.ts';

/**
 * Carries out what a request asks for. The answer is a promise only when something has to be waited for: the first
 * request to a service loads its shapes, a long poll waits for messages.
 *
 * @throws {ServiceError} what the service answers, or what is wrong with the request
 */
export function serve(
  aws: Dispatcher,
  asked: Asked,
  request: IncomingMessage,
  body: Buffer,
  call: Call,
  requestId: string,
): Answer | Promise<Answer> {
  const { service } = asked;
  if (service === undefined || aws.services[service] === undefined)
    throw unknownService(aws.services, asked.serviceName);
  const shapes = shapesNow(service);
  const work = byProtocol[asked.protocol];
  if (shapes !== undefined) return work({ aws, asked, service, shapes, request, body, call, requestId });
  return loadShapes(service).then((loaded) => {
    // Who asks who it is, as the CDK does first of all, deploys next: what that asks is got ready meanwhile.
    if (service === 'sts') void warmUp(['cloudformation', 's3', 'ssm']);
    return work({ aws, asked, service, shapes: loaded, request, body, call, requestId });
  });
}

interface Work {
  readonly aws: Dispatcher;
  readonly asked: Asked;
  readonly service: ServiceId;
  readonly shapes: ServiceShapes;
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly call: Call;
  readonly requestId: string;
}

const byProtocol: Readonly<Record<Asked['protocol'], (work: Work) => Answer | Promise<Answer>>> = {
  json({ aws, asked, service, shapes, request, body, call }) {
    const type = request.headers['content-type'] ?? 'application/x-amz-json-1.0';
    const input = typed(shapes, asked.action, parseJson(body));
    return then(aws.call(service, asked.action, input, call), (output) => ({
      status: 200,
      type,
      body: toJson(output),
    }));
  },
  cbor({ aws, asked, service, shapes, body, call }) {
    const input = typed(shapes, asked.action, decodeCbor(body));
    return then(aws.call(service, asked.action, input, call), (output) => ({
      status: 200,
      type: 'application/cbor',
      headers: ['smithy-protocol', 'rpc-v2-cbor'],
      body: encodeCbor(output),
    }));
  },
  query({ aws, asked, service, shapes, request, call, requestId }) {
    const { action, form } = asked;
    const operation = shapes.operations.get(action);
    const path = (request.url ?? '/').split('?', 1)[0]!;
    if (service === 'sqs') checkAction(action, operation !== undefined, path);
    const input = operation === undefined || form === undefined ? {} : readForm(operation.input, form);
    // Clients of the query protocol send to the queue's own URL, and may leave the parameter out.
    if (service === 'sqs' && path.length > 1 && input.QueueUrl === undefined)
      input.QueueUrl = aws.context.endpoint + path;
    return then(aws.call(service, action, input, call), (output) =>
      queryAnswer(service, shapes, action, output, requestId),
    );
  },
  rest({ aws, service, shapes, request, body, call }) {
    if (service === 's3') return serveS3(aws, shapes, request, body, call);
    const url = request.url ?? '/';
    const [path = '/', search = ''] = url.split('?', 2);
    const match = matchRest(shapes, request.method ?? 'GET', path);
    if (match === undefined)
      throw new ServiceError(
        'UnknownOperationException',
        `The model of AWS knows no action ${request.method} ${path}. ${supportedActions(aws.services, service)}`,
        { statusCode: 404 },
      );
    const { operation } = match;
    const input = readRest(match, search, request.headers, body);
    return then(aws.call(service, operation.name, input, call), (output) => ({
      type: 'application/json',
      ...writeRest(operation, output as Readonly<Record<string, unknown>>),
    }));
  },
};

const then = <T>(output: object | Promise<object>, write: (output: object) => T): T | Promise<T> =>
  output instanceof Promise ? output.then(write) : write(output);

/** An action that the SDK does not know has no shape: the model refuses it by name, whatever its input. */
const typed = (shapes: ServiceShapes, action: string, input: unknown): object => {
  const operation = shapes.operations.get(action);
  return operation === undefined || operation.input.kind !== 'structure'
    ? {}
    : (coerce(operation.input, input) as object);
};

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ServiceError('SerializationException', `The body is not JSON: ${String(cause)}`, { cause });
  }
}
