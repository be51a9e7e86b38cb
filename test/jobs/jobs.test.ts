import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../lib/base/index.ts';
import { CdkFailure, cdk } from './cdk.ts';
import { publishedTwice } from './faults.ts';
import { type FaultProxy, startProxy } from './proxy.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    answer(request, body, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('between consumers and a server nothing is changed but what is meant to go wrong', () => {
  const heard: { target: unknown; body: string }[] = [];
  let server = '';
  let proxy: FaultProxy;
  const open = async (told: (target: string) => unknown) => {
    heard.length = 0;
    server = await serve((request, body, response) => {
      const target = String(request.headers['x-amz-target']);
      heard.push({ target, body });
      response.end(JSON.stringify(told(target)));
    });
    proxy = await startProxy(server);
    opened.push(proxy);
  };
  const call = async (target: string, body: object) =>
    (
      await fetch(proxy.url, {
        method: 'POST',
        headers: { 'x-amz-target': target },
        body: JSON.stringify(body),
      })
    ).json();
  const QueueUrl = () => `${proxy.url}/000000000000/email`;

  it('addresses lead back to it, and to the server as the server knows them', async () => {
    await open(() => ({ QueueUrls: [`${server}/000000000000/email`] }));
    expect(await call('AmazonSQS.ListQueues', {})).toEqual({ QueueUrls: [QueueUrl()] });
    await call('AmazonSQS.GetQueueAttributes', { QueueUrl: QueueUrl() });
    expect(heard[1]?.body).toBe(JSON.stringify({ QueueUrl: `${server}/000000000000/email` }));
  });

  it('what the database says is handed on as it is: its answers have a checksum', async () => {
    await open(() => ({ Item: { url: { S: server } } }));
    expect(await call('DynamoDB_20120810.GetItem', {})).toEqual({ Item: { url: { S: server } } });
  });

  it('messages are counted from their delivery to their acknowledgement', async () => {
    await open((target) =>
      target.endsWith('ReceiveMessage') ? { Messages: [{}, {}, {}] } : { Failed: [{}] },
    );
    await call('AmazonSQS.ReceiveMessage', { QueueUrl: QueueUrl() });
    expect([proxy.received(), proxy.held('email'), proxy.held('fraud')]).toEqual([3, 3, 0]);
    await call('AmazonSQS.DeleteMessageBatch', { QueueUrl: QueueUrl(), Entries: [{}, {}, {}] });
    expect([proxy.acknowledged(), proxy.held('email')]).toEqual([2, 1]);
    proxy.forget('email');
    expect(proxy.held('email')).toBe(0);
  });

  it('one acknowledgement of one queue is lost, and never reaches the server', async () => {
    await open(() => ({}));
    const lost = proxy.lose('email', new AbortController().signal);
    await call('AmazonSQS.DeleteMessage', { QueueUrl: QueueUrl().replace('email', 'fraud') });
    await expect(call('AmazonSQS.DeleteMessage', { QueueUrl: QueueUrl() })).rejects.toThrow();
    expect(await lost).toBe(true);
    expect(heard).toHaveLength(1);
    await call('AmazonSQS.DeleteMessage', { QueueUrl: QueueUrl() });
    expect(heard).toHaveLength(2);
  });

  it('one that never comes is given up, and none is lost later', async () => {
    await open(() => ({}));
    const late = new AbortController();
    const lost = proxy.lose('email', late.signal);
    late.abort();
    expect(await lost).toBe(false);
    await call('AmazonSQS.DeleteMessage', { QueueUrl: QueueUrl() });
    expect(heard).toHaveLength(1);
  });

  it('a server that is gone is a broken connection', async () => {
    await open(() => ({}));
    await (opened[0] as { close(): unknown }).close();
    await expect(call('AmazonSQS.ListQueues', {})).rejects.toThrow('fetch failed');
  });
});

describe('a deployment that fails is one clear line, with the end of what the command said', () => {
  it('a server that answers garbage', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-jobs-test-'));
    opened.push({ close: () => rmSync(folder, { recursive: true, force: true }) });
    const url = await serve((_request, _body, response) => response.end('out of cheese'));
    const { signal } = new AbortController();
    const failed = cdk(['bootstrap', 'aws://000000000000/us-east-1'], { url, folder, signal });
    const error = (await failed.catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(CdkFailure);
    expect(error.message.split('\n')[0]).toBe(`cdk bootstrap failed at ${url} (code 1).`);
    expect(error.message.split('\n').length).toBeGreaterThan(1);
  });

  it('is not begun when the job was stopped', async () => {
    const stopping = new AbortController();
    stopping.abort(new Error('stopped'));
    expect(() => cdk(['bootstrap'], { url: '', folder: '', signal: stopping.signal })).toThrow('stopped');
  });
});

describe('orders that are published twice', () => {
  it('are one of a hundred, the same for the same seed, each once, and one at least', () => {
    const chosen = publishedTwice(2_000, seededRandom(1));
    expect(new Set(chosen).size).toBe(20);
    expect(publishedTwice(2_000, seededRandom(1))).toEqual(chosen);
    expect(chosen.every((position) => position >= 0 && position < 2_000)).toBe(true);
    expect(publishedTwice(3, seededRandom(1))).toHaveLength(1);
  });
});
