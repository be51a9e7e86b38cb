import { request } from 'node:http';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addressOf } from '../../../local/http/s3/address.ts';
import { unchunk } from '../../../local/http/s3/chunked.ts';
import { parseXml } from '../../../local/http/xml-read.ts';
import { authorization } from './fixtures.ts';
import { type Running, runAws } from './running.ts';

let running: Running;
let s3: S3Client;

beforeAll(async () => {
  running = await runAws();
  s3 = new S3Client(running.settings);
  await send('PUT', '/assets', {});
});

afterAll(() => running.stop());

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Whether the server asked for the body before it came. */
  readonly continued: boolean;
}

/** A request with a Host and headers of the test's own, signed for S3. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer = '',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let continued = false;
    const outgoing = request(
      {
        port: running.endpoint.port,
        host: '127.0.0.1',
        method,
        path,
        headers: {
          ...(headers.authorization === '' ? {} : { authorization: authorization('s3') }),
          ...Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization')),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, continued }),
        );
      },
    );
    outgoing.on('error', reject);
    if (headers.expect === undefined) return void outgoing.end(body);
    outgoing.on('continue', () => {
      continued = true;
      outgoing.end(body);
    });
    outgoing.flushHeaders();
  });
}

describe('a bucket is named in the path or in the host', () => {
  it.each([
    ['127.0.0.1:4566', '/assets/a/b%20c', 'assets', 'a/b c'],
    ['localhost:4566', '/assets/', 'assets', undefined],
    ['localhost', '/', undefined, undefined],
    ['assets.localhost:4566', '/a/b', 'assets', 'a/b'],
    ['my.assets.localhost', '/', 'my.assets', undefined],
    ['assets.s3.localhost:4566', '/a', 'assets', 'a'],
    ['s3.localhost:4566', '/assets/a', 'assets', 'a'],
    ['s3.us-east-1.localhost:4566', '/assets/a', 'assets', 'a'],
    ['assets.s3.us-east-1.amazonaws.com', '/a', 'assets', 'a'],
    ['assets.s3.amazonaws.com', '//a', 'assets', '/a'],
    ['s3.eu-west-1.amazonaws.com', '/assets/a', 'assets', 'a'],
  ])('%s%s', (host, path, bucket, key) => {
    expect(addressOf(host, path)).toEqual({ bucket, key });
  });

  it('and both are one bucket', async () => {
    await s3.send(new PutObjectCommand({ Bucket: 'assets', Key: 'k', Body: 'by path' }));
    for (const host of ['assets.localhost:4566', 'assets.s3.us-east-1.amazonaws.com'])
      expect(await send('GET', '/k', { host })).toMatchObject({ status: 200, text: 'by path' });
    // Under S3's own names nobody else's service answers, and no browser is served.
    const rebound = [
      { host: 'assets.s3.us-east-1.amazonaws.com', origin: 'http://assets.s3.us-east-1.amazonaws.com' },
      { host: 'assets.s3.us-east-1.amazonaws.com', 'sec-fetch-site': 'none' },
      { host: 's3.amazonaws.com.evil.example' },
      { host: 'evil-s3.amazonaws.com' },
      { host: 'assets.s3.evil.amazonaws.com' },
      { host: 'ec2-1-2-3-4.compute-1.amazonaws.com' },
      { host: 'assets.s3-website-us-east-1.amazonaws.com' },
    ];
    for (const headers of rebound) expect((await send('GET', '/k', headers as never)).status).toBe(403);
  });

  it('a client that names no operation is understood by method, path and parameters', async () => {
    const listed = await send('GET', '/assets?list-type=2&prefix=k', {});
    expect(listed.text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<ListBucketResult xmlns=/);
    expect(listed.text).toContain('<Key>k</Key>');
    expect((await send('GET', '/', {})).text).toContain('<Name>assets</Name>');
    expect((await send('GET', '/assets?location', {})).text).toMatch(/<LocationConstraint xmlns="[^"]+"><\//);
    const copied = await send('PUT', '/assets/copy', { 'x-amz-copy-source': '/assets/k' });
    expect(copied.text).toContain('<CopyObjectResult');
    const started = await send('POST', '/assets/parts?uploads', {});
    const id = /<UploadId>(\w+)</.exec(started.text)?.[1];
    expect(
      (await send('PUT', `/assets/parts?partNumber=1&uploadId=${id}`, {}, 'x')).headers.etag,
    ).toBeTruthy();
    expect((await send('GET', `/assets/parts?uploadId=${id}`, {})).text).toContain(
      '<PartNumber>1</PartNumber>',
    );
    expect((await send('DELETE', `/assets/parts?uploadId=${id}`, {})).status).toBe(204);
    expect((await send('DELETE', '/assets/copy', {})).status).toBe(204);
    const unknown = await send('PATCH', '/assets/copy', {});
    expect(unknown.status).toBe(405);
    expect(unknown.text).toContain('It knows: AbortMultipartUpload');
  });

  it('HEAD answers without a body, also an error', async () => {
    const there = await send('HEAD', '/assets/k', {});
    expect(there).toMatchObject({ status: 200, text: '' });
    expect(there.headers['content-length']).toBe('7');
    expect(await send('HEAD', '/assets/none', {})).toMatchObject({ status: 404, text: '' });
  });

  it('an error is XML with its code and what it is about', async () => {
    const { status, text, headers } = await send('GET', '/assets/none', {});
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/xml');
    expect(text).toMatch(
      /<Error><Code>NoSuchKey<\/Code><Message>[^<]+<\/Message><Key>none<\/Key><RequestId>/,
    );
    expect((await send('GET', '/assets/%zz', {})).text).toContain('<Code>InvalidURI</Code>');
    expect((await send('GET', '/assets?list-type=2&max-keys=many', {})).text).toContain('InvalidArgument');
  });
});

describe('a body that comes in chunks of its own', () => {
  const crc = 'NhCmhg==';
  const trailing = {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'content-encoding': 'aws-chunked',
  };
  const put = (headers: Record<string, string>, body: string) =>
    send('PUT', '/assets/chunked', headers, body);
  const get = async () => (await send('GET', '/assets/chunked', {})).text;

  it('is put together, and its trailing checksum compared', async () => {
    const done = await put(
      { ...trailing, 'x-amz-trailer': 'x-amz-checksum-crc32', 'x-amz-decoded-content-length': '5' },
      `3\r\nhel\r\n2\r\nlo\r\n0\r\nx-amz-checksum-crc32:${crc}\r\n\r\n`,
    );
    expect(done).toMatchObject({ status: 200, headers: { 'x-amz-checksum-crc32': crc } });
    expect(await get()).toBe('hello');
    expect((await send('HEAD', '/assets/chunked', {})).headers['content-encoding']).toBeUndefined();
    const wrong = await put(trailing, `5\r\nhallo\r\n0\r\nx-amz-checksum-crc32:${crc}\r\n\r\n`);
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('<Code>BadDigest</Code>');
    expect(await get()).toBe('hello');
  });

  it('also when each chunk is signed, and when the object has an encoding of its own', async () => {
    const signature = 'chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648';
    const done = await put(
      {
        'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
        'content-encoding': 'aws-chunked, gzip',
      },
      `A;${signature}\r\n0123456789\r\n0;${signature}\r\n\r\n`,
    );
    expect(done.status).toBe(200);
    expect(await get()).toBe('0123456789');
    expect((await send('HEAD', '/assets/chunked', {})).headers['content-encoding']).toBe('gzip');
  });

  it.each([
    ['cut off', '5\r\nhel'],
    ['longer than it says', '2\r\nhello\r\n0\r\n\r\n'],
    ['without an end', '5\r\nhello\r\n'],
    ['of no size', 'x\r\nhello\r\n0\r\n\r\n'],
    ['of no chunks', 'hello'],
  ])('is refused when it is %s', async (_, body) => {
    expect(await put(trailing, body)).toMatchObject({
      status: 400,
      text: expect.stringContaining('IncompleteBody'),
    });
  });

  it('is refused when its length is another than was said', () => {
    expect(() => unchunk(Buffer.from('2\r\nab\r\n0\r\n\r\n'), 3)).toThrow('says 3 bytes, and 2 came');
  });

  it('is refused when the checksum that it announces does not come', async () => {
    const cut = await put(
      { ...trailing, 'x-amz-trailer': 'x-amz-checksum-crc32' },
      '5\r\nhello\r\n0\r\n\r\n',
    );
    expect(cut).toMatchObject({ status: 400, text: expect.stringContaining('MalformedTrailerError') });
  });

  it('is asked for when its sender waits for that', async () => {
    const done = await send(
      'PUT',
      '/assets/waits',
      { expect: '100-continue', 'content-length': '5' },
      'hello',
    );
    expect(done).toMatchObject({ status: 200, continued: true });
  });
});

test('a checksum of the whole request is compared, one of an unknown kind is refused', async () => {
  const put = (headers: Record<string, string>) => send('PUT', '/assets/sum', headers, 'hello');
  const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
  expect((await put({ 'x-amz-content-sha256': sha256 })).status).toBe(200);
  expect((await put({ 'x-amz-content-sha256': sha256.replace('2', '3') })).text).toContain(
    'XAmzContentSHA256Mismatch',
  );
  expect((await put({ 'x-amz-checksum-xxhash64': 'AAAAAAAAAAA=' })).status).toBe(501);
});

test('a presigned address needs no header, and ends', async () => {
  await s3.send(new PutObjectCommand({ Bucket: 'assets', Key: 'signed', Body: 'for you' }));
  const date = (moment: number) => new Date(moment).toISOString().replace(/[-:]|\.\d+/g, '');
  const path = (moment: number) =>
    `/assets/signed?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=test%2F20260101%2Fus-east-1%2Fs3%2Faws4_request` +
    `&X-Amz-Date=${date(moment)}&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=0&x-id=GetObject`;
  const now = running.aws.context.clock.now();
  expect(await send('GET', path(now), { authorization: '' })).toMatchObject({ status: 200, text: 'for you' });
  const late = await send('GET', path(now - 61_000), { authorization: '' });
  expect(late.status).toBe(403);
  expect(late.text).toContain('Request has expired');
});

describe('XML that cannot be meant is refused', () => {
  it.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['not ended', '<Delete><Object>'],
    ['ended twice', '<Delete></Delete></Delete>'],
    ['crossed', '<a><b></a></b>'],
    ['two', '<a/><b/>'],
    ['with entities of its own', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['without end', `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`],
  ])('%s', (_, text) => {
    expect(() => parseXml(text)).toThrow(/not well-formed/);
  });

  it('what is XML is read, with its entities', () => {
    const element = parseXml(
      '<?xml version="1.0"?><!-- c --><x:a y="1"><b>&lt;&#65;&#x42;</b><c/><![CDATA[<>]]></x:a>',
    );
    expect(element).toMatchObject({
      name: 'a',
      text: '<>',
      children: [{ name: 'b', text: '<AB' }, { name: 'c' }],
    });
  });

  it('as a request', async () => {
    const wrong = await send('POST', '/assets?delete', {}, '<Delete><Object><Key>a</Key></Delete>');
    expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining('<Code>MalformedXML</Code>') });
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'assets', Key: 'k' }));
    expect(await Body?.transformToString()).toBe('by path');
  });
});
