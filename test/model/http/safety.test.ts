import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEndpoint, type Endpoint } from '../../../local/http/index.ts';
import { postJson, serveFakes } from './fixtures.ts';

let endpoint: Endpoint;
let sent = 0;
let arrive: (signal: AbortSignal) => void;
const waiting = new Promise<AbortSignal>((resolve) => {
  arrive = resolve;
});

beforeAll(async () => {
  endpoint = await serveFakes(
    {
      sqs: {
        SendMessage: () => {
          sent += 1;
          return {};
        },
        ReceiveMessage: (_, { signal }) =>
          new Promise((resolve) => {
            arrive(signal as AbortSignal);
            signal?.addEventListener('abort', () => resolve({}));
          }),
      },
    },
    {
      routes: {
        '/_sluice/': (_, response) => void response.end('the page'),
        '/_sluice/events': (_, response) => {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.write('data: 1\n\n');
        },
        '/_sluice/broken': () => {
          throw new Error('no');
        },
      },
    },
  );
});

afterAll(() => endpoint.close());

/** fetch does not let a test choose its Host header. */
function send(headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        port: endpoint.port,
        host: '127.0.0.1',
        method: 'POST',
        headers: { 'x-amz-target': 'AmazonSQS.SendMessage', ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end('{}');
  });
}

describe('no page of another site reaches the endpoint', () => {
  test.each([
    { host: 'evil.example' },
    { host: 'evil.example:4566' },
    { host: '127.0.0.1.evil.example' },
    { host: '192.168.1.5' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    // A page of another port of this machine.
    { 'sec-fetch-site': 'same-site' },
  ])('%o is refused', async (headers) => {
    const before = sent;
    expect((await send(headers as unknown as Record<string, string>)).status).toBe(403);
    expect(sent).toBe(before);
  });

  test.each(['localhost', 'localhost:1234', '127.0.0.1', '127.8.9.1:80', '[::1]:4566', 'sqs.localhost'])(
    'the host %s is this machine',
    async (host) => {
      expect((await send({ host })).status).toBe(200);
    },
  );

  test('it listens on loopback only', async () => {
    const none = () => {
      throw new Error('not made');
    };
    await expect(createEndpoint(none, { host: '0.0.0.0' })).rejects.toThrow(
      'only a loopback address such as 127.0.0.1 is allowed',
    );
  });
});

test('a caller that goes away ends its long poll', async () => {
  const leave = new AbortController();
  const poll = fetch(endpoint.url, {
    method: 'POST',
    headers: { 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
    body: '{}',
    signal: leave.signal,
  });
  const signal = await waiting;
  expect(signal.aborted).toBe(false);
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
  leave.abort();
  await expect(poll).rejects.toThrow();
  await aborted;
});

describe('under /_sluice', () => {
  const get = (path: string, init?: RequestInit) => fetch(`${endpoint.url}${path}`, init);

  test('health says what runs', async () => {
    expect(await (await get('/_sluice/health')).json()).toEqual({
      status: 'running',
      services: ['sqs'],
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  test('the page and its event stream have their own handlers', async () => {
    expect(await (await get('/_sluice')).text()).toBe('the page');
    expect(await (await get('/_sluice/some/file.js?x=1')).text()).toBe('the page');
    const events = await get('/_sluice/events');
    const { value } = await (events.body as ReadableStream<Uint8Array>).getReader().read();
    expect(new TextDecoder().decode(value)).toBe('data: 1\n\n');
  });

  test('only GET is allowed, and a handler that throws is a 500', async () => {
    expect((await get('/_sluice/health', { method: 'POST' })).status).toBe(405);
    expect((await get('/_sluice/broken')).status).toBe(500);
  });
});

test('closing cuts event streams and waiting calls', async () => {
  const own = await serveFakes(
    {
      sqs: {
        ReceiveMessage: (_, { signal }) =>
          new Promise((resolve) => signal?.addEventListener('abort', () => resolve({}))),
      },
    },
    { routes: { '/_sluice/events': (_, response) => void response.write('data: 1\n\n') } },
  );
  const events = await fetch(`${own.url}/_sluice/events`);
  const poll = postJson(own, 'AmazonSQS.ReceiveMessage', '{}').catch((error: unknown) => error);
  await own.close();
  await own.close();
  expect(await poll).toBeInstanceOf(Error);
  await expect(events.text()).rejects.toThrow();
});
