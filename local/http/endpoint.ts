import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { uuid } from '../../lib/base/index.ts';
import type { Dispatcher } from '../dispatch.ts';
import { LostReply } from '../faults.ts';
import { type Call, ServiceError, type ServiceId } from '../service.ts';
import { type Answer, errorAnswer } from './answer.ts';
import { readBody } from './body.ts';
import { isLoopback, refusal } from './guard.ts';
import { regionsOf } from './regions.ts';
import { type Asked, ask } from './request.ts';
import { healthRoute, type Routes, serveRoute } from './routes.ts';
import { serve } from './serve.ts';
import { shapesNow } from './shape.ts';

/** What {@link createEndpoint} takes. */
export interface EndpointOptions {
  /**
   * Port to listen on; 0 takes any free one.
   *
   * @default 4566
   */
  readonly port?: number;
  /**
   * Address to listen on: a loopback address, since signatures are not verified.
   *
   * @default '127.0.0.1'
   */
  readonly host?: string;
  /**
   * Further `GET /_sluice/...` handlers; a function is called once the model is made.
   *
   * @default - none
   */
  readonly routes?: Routes | (() => Routes);
  /**
   * Makes the model of another region, when the first request comes that is signed for it. As on AWS, regions do not
   * see each other's resources.
   *
   * @default - there is one region: a request is answered by it, whichever it was signed for
   */
  readonly region?: (name: string) => Dispatcher;
  /**
   * Gets what a service threw that is no answer of its own: a fault of the model. The caller gets a
   * 500 `InternalFailure` either way.
   *
   * @default - written to standard error
   */
  readonly onFault?: (error: unknown, action: string) => void;
}

/**
 * A running endpoint.
 *
 * @example
 * ```ts
 * const endpoint: Endpoint = await createEndpoint((url) => createAws({ endpoint: url }), { port: 0 });
 * const sqs = new SQSClient({ endpoint: endpoint.url });
 * await endpoint.close();
 * ```
 */
export interface Endpoint {
  /** `http://127.0.0.1:4566` */
  readonly url: string;
  readonly port: number;
  /** Ends the endpoint: open connections are cut, waiting calls are aborted. May be called more than once. */
  close(): Promise<void>;
}

/**
 * Serves a model of AWS over HTTP, in the services' own protocols: AWS JSON (SQS, DynamoDB and its streams, CloudWatch,
 * SSM, ECR), query with XML answers (SNS, CloudFormation, IAM, STS, and SQS and CloudWatch for older clients), REST JSON
 * (Lambda), REST XML (S3) and RPC v2 CBOR (CloudWatch). Signatures are not verified, so it listens on loopback only, and refuses requests that a
 * browser sends for another site. `GET /_sluice/health` says that it runs.
 *
 * Queue URLs begin with the address that the model was made with: for a port that is only known once it is taken
 * (0), hand in a function that makes the model from the endpoint's URL.
 *
 * @throws {Error} with code `EADDRINUSE` when the port is taken, `EACCES` when it may not be used
 * @throws {RangeError} when the host is not a loopback address
 * @example
 * ```ts
 * const endpoint = await createEndpoint((url) => createAws({ endpoint: url }), { port: 0 });
 * const sqs = new SQSClient({ endpoint: endpoint.url, region: 'us-east-1', credentials });
 * await endpoint.close();
 * ```
 */
export async function createEndpoint(
  model: Dispatcher | ((url: string) => Dispatcher),
  options: EndpointOptions = {},
): Promise<Endpoint> {
  const { port = 4566, host = '127.0.0.1', onFault = reportFault } = options;
  if (!isLoopback(host))
    throw new RangeError(
      `The endpoint cannot listen on "${host}": it takes any caller, so only a loopback address such as 127.0.0.1 is allowed.`,
    );
  const server = createServer();
  // A client keeps its connections for reuse; a server that closes an idle one makes the next request fail.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  await listen(server, port, host);
  const { port: actual } = server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
  const aws = typeof model === 'function' ? model(url) : model;
  const further = typeof options.routes === 'function' ? options.routes() : options.routes;
  const routes: Routes = { '/_sluice/health': healthRoute(aws), ...further };
  const modelFor = regionsOf(aws, options.region);
  const nextRequestId = requestIds(uuid(aws.context.random));

  // A request that goes well makes no closures for failures: they were a measurable part of its processor time.
  const handle = (request: IncomingMessage, response: ServerResponse, body: Buffer | ServiceError) => {
    const requestId = nextRequestId();
    let asked: Asked | undefined;
    try {
      if (body instanceof ServiceError) {
        asked = ask(request, Buffer.alloc(0));
        throw body;
      }
      asked = ask(request, body);
      const answer = carriedOut(request, response, asked, body, requestId);
      if (answer instanceof Promise)
        answer
          .then((made) => reply(response, requestId, made))
          .catch((error) => fail(request, response, requestId, asked, error));
      else reply(response, requestId, answer);
    } catch (error) {
      fail(request, response, requestId, asked, error);
    }
  };

  function carriedOut(
    request: IncomingMessage,
    response: ServerResponse,
    asked: Asked,
    body: Buffer,
    requestId: string,
  ): Answer | Promise<Answer> {
    const model = modelFor(request);
    const call = callOf(request, response, asked.service, model.principalOf);
    return serve(model, asked, request, body, call, requestId);
  }

  function fail(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    asked: Asked | undefined,
    error: unknown,
  ): void {
    if (error instanceof LostReply) {
      request.socket.destroy();
      return;
    }
    if (!(error instanceof ServiceError)) onFault(error, `${asked?.serviceName} ${asked?.action}`);
    const shown = error instanceof ServiceError ? error : internalFailure(error);
    const shapes = asked?.service === undefined ? undefined : shapesNow(asked.service);
    const { protocol, service } = asked ?? { protocol: 'json' as const, service: undefined };
    reply(response, requestId, errorAnswer(protocol, service, shapes, shown, requestId, jsonType(request)));
  }

  server.on('request', (request, response) => {
    const why = refusal(request);
    if (why !== undefined) refuse(response, 403, why);
    else if (request.url?.startsWith('/_sluice')) serveRoute(routes, request, response);
    else readBody(request, (read) => handle(request, response, read));
  });
  let closing: Promise<void> | undefined;
  return {
    url,
    port: actual,
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });

function reply(response: ServerResponse, requestId: string, answer: Answer) {
  if (response.destroyed || response.headersSent) return;
  const length =
    answer.length ??
    (typeof answer.body === 'string' ? Buffer.byteLength(answer.body) : answer.body.byteLength);
  const headers = ['x-amzn-RequestId', requestId, 'Content-Length', String(length)];
  if (answer.type !== '') headers.push('Content-Type', answer.type);
  if (answer.headers !== undefined) headers.push(...answer.headers);
  response.writeHead(answer.status, headers);
  response.end(answer.body);
}

function refuse(response: ServerResponse, status: number, why: string) {
  response.writeHead(status, { 'Content-Type': 'text/plain', Connection: 'close' });
  response.end(`${why}\n`);
}

/** The signal is made only for actions that look at it: most never wait. */
function callOf(
  request: IncomingMessage,
  response: ServerResponse,
  service: ServiceId | undefined,
  principalOf: Dispatcher['principalOf'],
): Call {
  let controller: AbortController | undefined;
  const key = keyOf(request);
  return {
    get traceHeader() {
      const header = request.headers['x-amzn-trace-id'];
      return typeof header === 'string' ? header : undefined;
    },
    accessKeyId: key,
    principal: key === undefined ? undefined : principalOf?.(key, tokenOf(request), service),
    get signal() {
      if (controller === undefined) {
        const made = new AbortController();
        controller = made;
        if (request.socket.destroyed) made.abort();
        else
          response.once('close', () => {
            if (!response.writableFinished) made.abort();
          });
      }
      return controller.signal;
    },
  };
}

/** The key that a request is signed with, in its header or in its address; the signature itself is not looked at. */
function keyOf({ headers: { authorization }, url = '' }: IncomingMessage): string | undefined {
  if (authorization !== undefined) return /Credential=([^/,\s]+)\//.exec(authorization)?.[1];
  return url.includes('X-Amz-Credential=') ? /[?&]X-Amz-Credential=([^%/&]+)/.exec(url)?.[1] : undefined;
}

/** The token of the session that a request is signed for; empty where none came. */
function tokenOf({ headers, url = '' }: IncomingMessage): string {
  const header = headers['x-amz-security-token'];
  if (typeof header === 'string') return header;
  return /[?&]X-Amz-Security-Token=([^&]+)/.exec(url)?.[1] ?? '';
}

/** Ids that differ in their last twelve digits: one random number for each endpoint, not for each request. */
function requestIds(first: string): () => string {
  const prefix = first.slice(0, -12);
  let count = 0;
  return () => prefix + (++count).toString(16).padStart(12, '0');
}

const jsonType = (request: IncomingMessage): string => {
  const type = request.headers['content-type'];
  return type?.startsWith('application/x-amz-json-') ? type : 'application/x-amz-json-1.0';
};

const internalFailure = (error: unknown) =>
  new ServiceError('InternalFailure', `The model of AWS failed: ${String(error)}`, {
    statusCode: 500,
    cause: error,
  });

const reportFault = (error: unknown, action: string) =>
  console.error(`The model of AWS failed in ${action}:`, error);
