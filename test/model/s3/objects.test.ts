import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  ChecksumAlgorithm,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, runAws } from '../http/running.ts';

let running: Running;
let s3: S3Client;
let made = 0;

beforeAll(async () => {
  running = await runAws();
  s3 = new S3Client(running.settings);
});

afterAll(() => running.stop());

async function bucket(): Promise<string> {
  const Bucket = `bucket-${++made}`;
  await s3.send(new CreateBucketCommand({ Bucket }));
  return Bucket;
}

const textOf = async (Bucket: string, Key: string, more: object = {}): Promise<string | undefined> =>
  (await s3.send(new GetObjectCommand({ Bucket, Key, ...more }))).Body?.transformToString();

describe('an object comes back as it was put', () => {
  it('under any key, with its type, its encoding, its metadata and its tags', async () => {
    const Bucket = await bucket();
    const Key = 'a b//ü+%&?#/<x>.txt';
    const put = await s3.send(
      new PutObjectCommand({
        Bucket,
        Key,
        Body: 'für Ærø',
        ContentType: 'application/x-www-form-urlencoded',
        ContentEncoding: 'gzip',
        Metadata: { who: 'me' },
        Tagging: 'kind=letter&x=1',
      }),
    );
    const etag = `"${createHash('md5').update('für Ærø').digest('hex')}"`;
    expect(put.ETag).toBe(etag);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(got).toMatchObject({
      ETag: etag,
      ContentType: 'application/x-www-form-urlencoded',
      ContentEncoding: 'gzip',
      ContentLength: 10,
      Metadata: { who: 'me' },
      TagCount: 2,
      ServerSideEncryption: 'AES256',
    });
    expect(await got.Body?.transformToString()).toBe('für Ærø');
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));
    expect(head).toMatchObject({ ContentLength: 10, ETag: etag, LastModified: got.LastModified });
    expect((await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet).toEqual([
      { Key: 'kind', Value: 'letter' },
      { Key: 'x', Value: '1' },
    ]);
  });

  it('when it comes as a stream in chunks, and when it is empty', async () => {
    const Bucket = await bucket();
    const parts = [Buffer.alloc(70_000, 1), Buffer.alloc(30_000, 2)];
    await s3.send(
      new PutObjectCommand({ Bucket, Key: 's', Body: Readable.from(parts), ContentLength: 100_000 }),
    );
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 's' }));
    expect(Buffer.compare((await Body?.transformToByteArray()) as Uint8Array, Buffer.concat(parts))).toBe(0);
    await s3.send(new PutObjectCommand({ Bucket, Key: 'empty', Body: '' }));
    expect(await textOf(Bucket, 'empty')).toBe('');
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'empty' }))).ContentLength).toBe(0);
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const)(
    'with its checksum %s',
    async (name) => {
      const Bucket = await bucket();
      const algorithm = ChecksumAlgorithm[name];
      // The check values of the algorithms' own definitions are those of "123456789".
      const known = { CRC32: 'y/Q5Jg==', CRC32C: '4waSgw==', CRC64NVME: 'rosUhgp5mIg=' } as Record<
        string,
        string
      >;
      await s3.send(
        new PutObjectCommand({ Bucket, Key: 'c', Body: '123456789', ChecksumAlgorithm: algorithm }),
      );
      const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'c', ChecksumMode: 'ENABLED' }));
      const sent = head[`Checksum${name}` as keyof typeof head];
      expect(sent).toBe(known[name] ?? createHash(name).update('123456789').digest('base64'));
      const wrong = {
        [`Checksum${name}`]: Buffer.alloc(Buffer.from(String(sent), 'base64').length).toString('base64'),
      };
      await expect(
        s3.send(new PutObjectCommand({ Bucket, Key: 'wrong', Body: '123456789', ...wrong })),
      ).rejects.toMatchObject({ name: 'BadDigest' });
      await expect(s3.send(new HeadObjectCommand({ Bucket, Key: 'wrong' }))).rejects.toMatchObject({
        name: 'NotFound',
      });
    },
  );

  it('not when its MD5 is that of another', async () => {
    const Bucket = await bucket();
    const put = (ContentMD5: string) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'm', Body: 'x', ContentMD5 }));
    await expect(put(createHash('md5').update('y').digest('base64'))).rejects.toMatchObject({
      name: 'BadDigest',
    });
    await expect(put('short')).rejects.toMatchObject({ name: 'InvalidDigest' });
    await put(createHash('md5').update('x').digest('base64'));
  });
});

describe('a part of an object, and an object under a condition', () => {
  it.each([
    ['bytes=1-2', 'bc', 'bytes 1-2/6'],
    ['bytes=4-', 'ef', 'bytes 4-5/6'],
    ['bytes=-2', 'ef', 'bytes 4-5/6'],
    ['bytes=2-100', 'cdef', 'bytes 2-5/6'],
    ['bytes=-100', 'abcdef', 'bytes 0-5/6'],
    ['bytes=3-1', 'abcdef', undefined],
    ['lines=1-2', 'abcdef', undefined],
  ])('%s is %s', async (Range, text, ContentRange) => {
    const Bucket = await bucket();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'r', Body: 'abcdef' }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'r', Range }));
    expect(await got.Body?.transformToString()).toBe(text);
    expect(got.ContentRange).toBe(ContentRange);
    expect(got.$metadata.httpStatusCode).toBe(ContentRange === undefined ? 200 : 206);
  });

  it('a range behind the end is refused', async () => {
    const Bucket = await bucket();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'r', Body: 'abcdef' }));
    await expect(textOf(Bucket, 'r', { Range: 'bytes=6-9' })).rejects.toMatchObject({
      name: 'InvalidRange',
      $metadata: { httpStatusCode: 416 },
    });
  });

  it('is read only as the condition says', async () => {
    const Bucket = await bucket();
    const { ETag = '' } = await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }));
    const status = async (more: object) =>
      textOf(Bucket, 'k', more).then(
        () => 200,
        (error: { $metadata: { httpStatusCode: number } }) => error.$metadata.httpStatusCode,
      );
    const [before, after] = [new Date(1000), new Date(Date.now() + 3_600_000)];
    expect(await status({ IfMatch: ETag })).toBe(200);
    expect(await status({ IfMatch: '"other"' })).toBe(412);
    expect(await status({ IfNoneMatch: ETag })).toBe(304);
    expect(await status({ IfNoneMatch: '"other"' })).toBe(200);
    expect(await status({ IfModifiedSince: after })).toBe(304);
    expect(await status({ IfModifiedSince: before })).toBe(200);
    expect(await status({ IfUnmodifiedSince: before })).toBe(412);
    // A tag that fits wins over a time that does not (RFC 9110, section 13.2.2).
    expect(await status({ IfMatch: ETag, IfUnmodifiedSince: before })).toBe(200);
  });

  it('is written only when it is not there, or is still what the writer saw', async () => {
    const Bucket = await bucket();
    const put = (Body: string, more: object) =>
      s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body, ...more }));
    const { ETag = '' } = await put('1', { IfNoneMatch: '*' });
    await expect(put('2', { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await put('3', { IfMatch: ETag });
    await expect(put('4', { IfMatch: ETag })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect(await textOf(Bucket, 'k')).toBe('3');
  });
});

describe('objects are listed in the order of their keys', () => {
  const keys = ['a', 'b/1', 'b/2', 'b/c/3', 'd', 'é', '\u{1F600}', '\uFFFD'];

  it('in pages that together are all, with prefixes in place of what lies below a delimiter', async () => {
    const Bucket = await bucket();
    for (const Key of keys.toReversed()) await s3.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    const collect = async (more: object) => {
      const found: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page = await s3.send(
          new ListObjectsV2Command({
            Bucket,
            MaxKeys: 2,
            ...more,
            ...(ContinuationToken && { ContinuationToken }),
          }),
        );
        expect(page.KeyCount).toBe((page.Contents?.length ?? 0) + (page.CommonPrefixes?.length ?? 0));
        expect(page.KeyCount).toBeLessThanOrEqual(2);
        for (const { Key = '' } of page.Contents ?? []) found.push(Key);
        for (const { Prefix = '' } of page.CommonPrefixes ?? []) found.push(Prefix);
        ContinuationToken = page.NextContinuationToken;
        expect(page.IsTruncated).toBe(ContinuationToken !== undefined);
      } while (ContinuationToken !== undefined);
      return found;
    };
    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await collect({})).toEqual(sorted);
    expect(await collect({ StartAfter: 'b/2' })).toEqual(sorted.slice(3));
    expect(await collect({ Delimiter: '/' })).toEqual(['a', 'b/', ...sorted.slice(4)]);
    expect(await collect({ Prefix: 'b/', Delimiter: '/' })).toEqual(['b/1', 'b/2', 'b/c/']);
    const old = await s3.send(new ListObjectsCommand({ Bucket, MaxKeys: 1, Delimiter: '/', Marker: 'a' }));
    expect(old).toMatchObject({ IsTruncated: true, NextMarker: 'b/', CommonPrefixes: [{ Prefix: 'b/' }] });
    const none = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
    expect(none).toMatchObject({ KeyCount: 0, IsTruncated: false });
    await expect(
      s3.send(new ListObjectsV2Command({ Bucket, ContinuationToken: 'nonsense!' })),
    ).rejects.toMatchObject({ name: 'InvalidArgument' });
    const url = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'é', EncodingType: 'url' }));
    expect(url.Contents).toMatchObject([{ Key: '%C3%A9' }]);
  });
});

describe('versions', () => {
  it('each stays, a deletion hides all, and only a deletion of each empties the bucket', async () => {
    const Bucket = await bucket();
    const Key = 'v';
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBeUndefined();
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: '0' }));
    await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const { VersionId: first } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: '1' }));
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: '2' }));
    expect(await textOf(Bucket, Key)).toBe('2');
    expect(await textOf(Bucket, Key, { VersionId: first })).toBe('1');
    expect(await textOf(Bucket, Key, { VersionId: 'null' })).toBe('0');
    const { DeleteMarker } = await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    expect(DeleteMarker).toBe(true);
    await expect(textOf(Bucket, Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
    await expect(s3.send(new DeleteBucketCommand({ Bucket }))).rejects.toMatchObject({
      name: 'BucketNotEmpty',
      $metadata: { httpStatusCode: 409 },
    });
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    expect([Versions.length, DeleteMarkers.length]).toEqual([3, 1]);
    const Objects = [...Versions, ...DeleteMarkers].map(({ VersionId }) => ({ Key, VersionId }));
    const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted).toHaveLength(4);
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });
});

describe('a copy', () => {
  it('has the bytes, the metadata and the tags of its source, or its own', async () => {
    const Bucket = await bucket();
    const source = 'from/ä b';
    await s3.send(
      new PutObjectCommand({ Bucket, Key: source, Body: 'x', Metadata: { a: '1' }, Tagging: 't=1' }),
    );
    const CopySource = `${Bucket}/${encodeURIComponent(source)}`;
    const { CopyObjectResult } = await s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource }));
    expect(CopyObjectResult?.ETag).toBe(`"${createHash('md5').update('x').digest('hex')}"`);
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key: 'to' }))).toMatchObject({
      Metadata: { a: '1' },
      ContentLength: 1,
    });
    await s3.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'to',
        CopySource,
        MetadataDirective: 'REPLACE',
        Metadata: { b: '2' },
      }),
    );
    expect((await s3.send(new HeadObjectCommand({ Bucket, Key: 'to' }))).Metadata).toEqual({ b: '2' });
    await expect(s3.send(new CopyObjectCommand({ Bucket, Key: source, CopySource }))).rejects.toMatchObject({
      name: 'InvalidRequest',
    });
    await expect(
      s3.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource: `${Bucket}/none` })),
    ).rejects.toMatchObject({ name: 'NoSuchKey' });
  });
});

describe('an upload in parts', () => {
  it('is one object when it is complete, with the tag of its parts', async () => {
    const Bucket = await bucket();
    const Key = 'big';
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'text/x' }),
    );
    const bodies = [Buffer.alloc(5 * 1024 * 1024, 'a'), Buffer.from('end')];
    const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (const [index, Body] of bodies.entries()) {
      const PartNumber = index + 1;
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
    }
    expect((await s3.send(new ListPartsCommand({ Bucket, Key, UploadId }))).Parts).toMatchObject([
      { PartNumber: 1, Size: 5 * 1024 * 1024 },
      { PartNumber: 2, Size: 3 },
    ]);
    const complete = (parts: typeof Parts) =>
      s3.send(
        new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts: parts } }),
      );
    await expect(complete(Parts.toReversed())).rejects.toMatchObject({ name: 'InvalidPartOrder' });
    await expect(complete([{ PartNumber: 1, ETag: '"other"' }])).rejects.toMatchObject({
      name: 'InvalidPart',
    });
    const { ETag } = await complete(Parts);
    const digests = bodies.map((body) => createHash('md5').update(body).digest());
    const tag = createHash('md5').update(Buffer.concat(digests)).digest('hex');
    expect(ETag).toBe(`"${tag}-2"`);
    expect(await s3.send(new HeadObjectCommand({ Bucket, Key }))).toMatchObject({
      ETag,
      ContentType: 'text/x',
      ContentLength: 5 * 1024 * 1024 + 3,
    });
    await expect(complete(Parts)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  it('leaves nothing when it is given up, and refuses a part too small', async () => {
    const Bucket = await bucket();
    const Key = 'k';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const part = async (PartNumber: number) => ({
      PartNumber,
      ETag: (await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'x' }))).ETag,
    });
    const MultipartUpload = { Parts: [await part(1), await part(2)] };
    await expect(
      s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload })),
    ).rejects.toMatchObject({ name: 'EntityTooSmall' });
    expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toMatchObject([
      { UploadId },
    ]);
    await s3.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([]);
    await expect(s3.send(new ListPartsCommand({ Bucket, Key, UploadId }))).rejects.toMatchObject({
      name: 'NoSuchUpload',
    });
    await expect(textOf(Bucket, Key)).rejects.toMatchObject({ name: 'NoSuchKey' });
  });
});
