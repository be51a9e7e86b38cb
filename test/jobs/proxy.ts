import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What passed by, and what is to be lost. */
export interface FaultProxy {
  readonly url: string;
  /** Messages that consumers received so far, and that they acknowledged. */
  received(): number;
  acknowledged(): number;
  /** Messages of a queue that were received and not acknowledged since. */
  held(queueName: string): number;
  /** The consumer of a queue is gone, and holds nothing any more. */
  forget(queueName: string): void;
  /**
   * Loses the next acknowledgement of a queue: the consumer is told that the connection broke, and its messages stay. Resolves to `false`
   * when none came before the signal aborted.
   */
  lose(queueName: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

interface Call {
  readonly action: string;
  readonly queue: string;
}

/**
 * Stands between consumers and a server, and lets everything pass: the addresses that the server names in its answers are made its
 * own, so that consumers come back to it. It counts messages, and can lose an acknowledgement.
 *
 * @param server - the server's URL, without a slash at its end
 */
export async function startProxy(server: string): Promise<FaultProxy> {
  const target = new URL(server);
  const agent = new Agent({ keepAlive: true });
  const held = new Map<string, number>();
  const losses = new Map<string, () => void>();
  let received = 0;
  let acknowledged = 0;
  let own = '';

  const proxy = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch((error: Error) => {
      // The server is gone, or the consumer is: it hears of it as of any broken connection.
      outgoing.destroy(error);
    });
  });
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await readAll(incoming);
    const call = callOf(incoming, body);
    if (call?.action.startsWith('DeleteMessage')) {
      const loss = losses.get(call.queue);
      if (loss !== undefined) {
        losses.delete(call.queue);
        loss();
        throw new Error('The acknowledgement is lost.');
      }
    }
    // Of DynamoDB nothing is touched: no item names an address, and its answers have a checksum.
    const database = header(incoming, 'x-amz-target').startsWith('DynamoDB');
    const sent = database ? body : replaced(body, own, server);
    const answer = await ask(incoming, sent);
    const answered = await readAll(answer);
    if (call !== undefined && (answer.statusCode ?? 500) < 300) count(call, body, answered);
    const told = database ? answered : replaced(answered, server, own);
    const headers = { ...answer.headers, 'content-length': String(told.byteLength) };
    delete (headers as Record<string, unknown>)['transfer-encoding'];
    outgoing.writeHead(answer.statusCode ?? 502, headers);
    outgoing.end(told);
  };
  const ask = (incoming: IncomingMessage, body: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(
        {
          host: target.hostname,
          port: target.port,
          path: incoming.url,
          method: incoming.method,
          agent,
          headers: { ...incoming.headers, host: target.host, 'content-length': String(body.byteLength) },
        },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const count = ({ action, queue }: Call, asked: Buffer, answered: Buffer) => {
    const hold = (change: number) => held.set(queue, (held.get(queue) ?? 0) + change);
    if (action === 'ReceiveMessage') {
      const { Messages = [] } = JSON.parse(String(answered)) as { Messages?: readonly unknown[] };
      received += Messages.length;
      hold(Messages.length);
    }
    if (!action.startsWith('DeleteMessage')) return;
    const done =
      action === 'DeleteMessage'
        ? 1
        : (JSON.parse(String(asked)) as { Entries: readonly unknown[] }).Entries.length -
          ((JSON.parse(String(answered)) as { Failed?: readonly unknown[] }).Failed ?? []).length;
    acknowledged += done;
    hold(-done);
  };
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(0, '127.0.0.1', resolve);
  });
  own = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: own,
    received: () => received,
    acknowledged: () => acknowledged,
    held: (queue) => held.get(queue) ?? 0,
    forget: (queue) => void held.delete(queue),
    lose: (queue, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const giveUp = () => {
          losses.delete(queue);
          resolve(false);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        losses.set(queue, () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        });
      }),
    async close() {
      agent.destroy();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

const header = (message: IncomingMessage, name: string): string => String(message.headers[name] ?? '');

/** A call of SQS in its JSON protocol; `undefined` for any other. */
function callOf(message: IncomingMessage, body: Buffer): Call | undefined {
  const [service, action] = header(message, 'x-amz-target').split('.');
  if (service !== 'AmazonSQS' || action === undefined) return undefined;
  const { QueueUrl = '' } = JSON.parse(String(body)) as { QueueUrl?: string };
  return { action, queue: QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1) };
}

function replaced(body: Buffer, from: string, to: string): Buffer {
  return body.includes(from) ? Buffer.from(String(body).replaceAll(from, to)) : body;
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
