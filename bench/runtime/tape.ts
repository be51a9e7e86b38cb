import { NodeHttpHandler } from '@smithy/node-http-handler';
import { createTrack } from './track.ts';

/** A request as a handler of the SDK gets it, as far as it matters here. */
type Request = Parameters<NodeHttpHandler['handle']>[0];
type Response = Awaited<ReturnType<NodeHttpHandler['handle']>>['response'];

/** What a tape stands in for: the `requestHandler` of a client of the SDK. */
export type RequestHandler = Pick<
  NodeHttpHandler,
  'handle' | 'updateHttpClientConfig' | 'httpHandlerConfigs' | 'destroy'
>;

/** The part of a client that is measured without the SDK: `send` of a command. */
export type Send = (command: object) => Promise<object>;

/** Answers that were recorded once and cost nothing since. */
export interface Tape {
  /** Plays what was recorded during this work, over and over, from its beginning. */
  record(work: () => Promise<void>): Promise<void>;
  /** How many requests were answered since the tape was made. */
  requests(): number;
}

/** A tape of HTTP responses: what remains of a call is the SDK's own work. */
export function createHttpTape(): Tape & { readonly handler: RequestHandler } {
  const server = new NodeHttpHandler();
  const track = createTrack(
    (request: Request) => request.headers['x-amz-target'] ?? '',
    async (request): Promise<Response> => {
      const { response } = await server.handle(request);
      const chunks: Uint8Array[] = [];
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
      return Object.assign(response, { body: new Uint8Array(Buffer.concat(chunks)) });
    },
  );
  return {
    handler: {
      // A copy: the SDK puts what it decoded in place of the body.
      handle: async (request) => ({ response: { ...(await track.play(request)) } }),
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
      destroy: () => server.destroy(),
    },
    async record(work) {
      await track.record(work);
      server.destroy();
    },
    requests: track.requests,
  };
}

/** A tape of a client's outputs and errors: nothing remains of a call. */
export function createClientTape(send: Send): Tape & { readonly send: Send } {
  // Bundled classes have no names; the schema of a command has: [9, namespace, action, ...].
  const track = createTrack(
    (command: object) => (command as { schema: [number, string, string] }).schema[2],
    send,
  );
  return { send: track.play, record: track.record, requests: track.requests };
}
