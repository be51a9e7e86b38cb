import { NodeHttpHandler } from '@smithy/node-http-handler';

/** A request as a handler of the SDK gets it, as far as it matters here. */
type Request = Parameters<NodeHttpHandler['handle']>[0];
type Response = Awaited<ReturnType<NodeHttpHandler['handle']>>['response'];

/** Answers of a real server, kept and played back: what remains of a call is the SDK's own work. */
export interface Tape {
  /** For `requestHandler` of a client of the SDK. */
  readonly handler: Pick<
    NodeHttpHandler,
    'handle' | 'updateHttpClientConfig' | 'httpHandlerConfigs' | 'destroy'
  >;
  /** Plays what was recorded during this work, over and over, from its beginning. */
  record(work: () => Promise<void>): Promise<void>;
  /** How many requests were answered since the tape was made. */
  requests(): number;
}

/**
 * Makes a tape. Answers are kept by action, in the order of the requests; the same work repeated gets the same
 * answers.
 */
export function createTape(): Tape {
  const server = new NodeHttpHandler();
  const kept = new Map<string, { answers: Response[]; next: number }>();
  let recording = false;
  let requests = 0;

  async function handle(request: Request): Promise<{ response: Response }> {
    const action = request.headers['x-amz-target'] ?? '';
    requests += 1;
    const track = kept.get(action) ?? { answers: [], next: 0 };
    if (!recording) {
      const answer = track.answers[track.next++ % track.answers.length];
      if (answer === undefined) throw new Error(`${action} was not called while the tape was recorded.`);
      return { response: { ...answer } };
    }
    kept.set(action, track);
    // Its place is taken when the request is made, whenever its answer comes.
    const place = track.answers.push(undefined as unknown as Response) - 1;
    const { response } = await server.handle(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
    const answer = Object.assign(response, { body: new Uint8Array(Buffer.concat(chunks)) });
    track.answers[place] = answer;
    return { response: answer };
  }

  return {
    handler: {
      handle,
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
      destroy: () => server.destroy(),
    },
    async record(work) {
      kept.clear();
      recording = true;
      try {
        await work();
      } finally {
        recording = false;
      }
    },
    requests: () => requests,
  };
}
