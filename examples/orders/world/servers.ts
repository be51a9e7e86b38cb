import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFraudService } from './fraud.ts';
import { createMailServer } from './mail.ts';
import { createProvider, type ProviderOptions, type Reply } from './provider.ts';

/** How the world behaves. */
export interface WorldOptions extends Omit<ProviderOptions, 'now'> {
  /** How long the provider takes to answer, in milliseconds. */
  readonly providerMs: number;
}

/** The systems outside, each a server of its own on 127.0.0.1. */
export interface WorldServers {
  readonly urls: { readonly provider: string; readonly mail: string; readonly fraud: string };
  setFraudDown(down: boolean): void;
  close(): Promise<void>;
}

/**
 * Starts the payment provider, the mail server and the fraud service on free ports of 127.0.0.1. Each answers
 * `GET /ledger` with everything that it has done, for the judge.
 */
export async function startServers(options: WorldOptions): Promise<WorldServers> {
  const now = () => Date.now();
  const provider = createProvider({ ...options, now });
  const mail = createMailServer(now);
  const fraud = createFraudService(now);

  const answer = (response: ServerResponse, reply: Reply) => {
    const text = JSON.stringify(reply.body);
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...reply.headers,
    });
    response.end(text);
  };
  const assessments = '/assessments/';
  const servers = await Promise.all([
    serve((request, body, response) => {
      if (request.url === '/ledger')
        return answer(response, {
          status: 200,
          body: {
            charges: provider.ledger,
            replays: provider.replays,
            refused: provider.refused,
            failed: provider.failed,
          },
        });
      if (request.method !== 'POST' || request.url !== '/charges') return answer(response, notFound(request));
      const key = request.headers['idempotency-key'];
      const reply = provider.charge(typeof key === 'string' ? key : undefined, body);
      // A refusal costs the provider nothing; a charge takes its time.
      if (reply.status === 429) answer(response, reply);
      else setTimeout(answer, options.providerMs, response, reply);
    }),
    serve((request, body, response) => {
      if (request.url === '/ledger') return answer(response, { status: 200, body: { mails: mail.outbox } });
      if (request.method !== 'POST' || request.url !== '/mails') return answer(response, notFound(request));
      answer(response, mail.accept(body));
    }),
    serve((request, body, response) => {
      if (request.url === '/ledger')
        return answer(response, { status: 200, body: { assessments: fraud.log, refused: fraud.refused } });
      if (request.url === '/refused')
        return answer(response, { status: 200, body: { refused: fraud.refused } });
      if (request.method !== 'PUT' || !request.url?.startsWith(assessments))
        return answer(response, notFound(request));
      answer(response, fraud.assess(Number(request.url.slice(assessments.length)), body));
    }),
  ]);
  const url = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urls: { provider: url(servers[0]), mail: url(servers[1]), fraud: url(servers[2]) },
    setFraudDown: fraud.setDown,
    async close() {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections();
          return new Promise<void>((resolve) => server.close(() => resolve()));
        }),
      );
    },
  };
}

const notFound = (request: IncomingMessage): Reply => ({
  status: 404,
  body: { error: `nothing answers to ${request.method} ${request.url}` },
});

function serve(
  handle: (request: IncomingMessage, body: unknown, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => handle(request, parse(text), response));
    // The caller was killed in the middle of its request: there is nobody to answer.
    request.on('error', () => response.destroy());
  });
  // Longer than any pause of the callers' pools, so that no request meets a connection that is just being closed.
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** `undefined` when the text is not JSON: the systems then answer 400. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
