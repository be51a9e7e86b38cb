import type {
  CopyObjectCommandInput,
  DeleteObjectCommandInput,
  DeleteObjectsCommandInput,
  DeleteObjectTaggingCommandInput,
  GetObjectCommandInput,
  GetObjectTaggingCommandInput,
  HeadObjectCommandInput,
  PutObjectCommandInput,
  PutObjectTaggingCommandInput,
} from '@aws-sdk/client-s3';
import { ServiceError } from '../service.ts';
import { checkRead, checkWrite, rangeOf } from './conditions.ts';
import { invalidArgument, invalidRequest, notModelled } from './errors.ts';
import { type Bucket, type Buckets, bytesOf, etagOf, type ObjectHeaders, type Version } from './store.ts';

/** Bytes of a key in UTF-8 (S3 user guide, "Object key naming guidelines"). */
const longestKey = 1024;
/** Keys in one DeleteObjects (S3 API reference). */
const mostDeletes = 1000;

/** The actions on objects. */
export function objectActions(store: Buckets) {
  const deleteOne = (
    bucket: Bucket,
    key: string,
    versionId: string | undefined,
  ): { readonly DeleteMarker?: true; readonly VersionId?: string } => {
    if (versionId !== undefined) {
      const removed = store.remove(bucket, key, versionId);
      return { VersionId: versionId, ...(removed?.isMarker === true && { DeleteMarker: true }) };
    }
    if (bucket.versioning === undefined) {
      store.remove(bucket, key, 'null');
      return {};
    }
    const marker = store.put(bucket, {
      key,
      body: Buffer.alloc(0),
      etag: '',
      headers: {},
      checksums: {},
      isMarker: true,
      tags: {},
    });
    return { DeleteMarker: true, VersionId: marker.id };
  };

  return {
    PutObject(input: PutObjectCommandInput) {
      const bucket = store.get(input.Bucket);
      const key = checkKey(input.Key);
      const body = bytesOf(input.Body);
      checkWrite(bucket.objects.get(key)?.[0], input);
      store.reserve(body.length);
      const made = store.put(bucket, {
        key,
        body,
        etag: etagOf(body),
        headers: headersOf(input),
        checksums: checksumsOf(input),
        isMarker: false,
        tags: readTags(input.Tagging),
      });
      return { ETag: made.etag, ...encryption, ...made.checksums, ...versionOf(bucket, made) };
    },
    GetObject(input: GetObjectCommandInput) {
      const bucket = store.get(input.Bucket);
      const version = store.find(bucket, input.Key, input.VersionId);
      if (input.PartNumber !== undefined)
        throw notModelled('The model does not keep the parts of an object: leave partNumber out.');
      checkRead(version, input);
      const range = rangeOf(input.Range, version.body.length);
      const described = describe(bucket, version, input);
      if (range === undefined) return { ...described, Body: version.body };
      const [start, end] = range;
      return {
        ...withoutChecksums(described),
        Body: version.body.subarray(start, end),
        ContentLength: end - start,
        ContentRange: `bytes ${start}-${end - 1}/${version.body.length}`,
      };
    },
    HeadObject(input: HeadObjectCommandInput) {
      const bucket = store.get(input.Bucket);
      const version = store.find(bucket, input.Key, input.VersionId);
      checkRead(version, input);
      return describe(bucket, version, input);
    },
    CopyObject(input: CopyObjectCommandInput) {
      const bucket = store.get(input.Bucket);
      const key = checkKey(input.Key);
      const from = sourceOf(input.CopySource);
      const source = store.find(store.get(from.bucket), from.key, from.versionId);
      checkRead(source, {
        IfMatch: input.CopySourceIfMatch,
        IfNoneMatch: input.CopySourceIfNoneMatch,
        IfModifiedSince: input.CopySourceIfModifiedSince,
        IfUnmodifiedSince: input.CopySourceIfUnmodifiedSince,
      });
      const replaces = input.MetadataDirective === 'REPLACE';
      if (from.bucket === bucket.name && from.key === key && !replaces && from.versionId === undefined)
        throw invalidRequest(
          "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
        );
      store.reserve(source.body.length);
      const made = store.put(bucket, {
        key,
        body: source.body,
        etag: source.etag,
        headers: replaces ? headersOf(input) : source.headers,
        checksums: source.checksums,
        isMarker: false,
        tags: input.TaggingDirective === 'REPLACE' ? readTags(input.Tagging) : source.tags,
      });
      return {
        CopyObjectResult: { ETag: made.etag, LastModified: new Date(made.modifiedAt), ...made.checksums },
        ...encryption,
        ...versionOf(bucket, made),
      };
    },
    DeleteObject: ({ Bucket: name, Key, VersionId }: DeleteObjectCommandInput) =>
      deleteOne(store.get(name), Key ?? '', VersionId),
    DeleteObjects({ Bucket: name, Delete }: DeleteObjectsCommandInput) {
      const bucket = store.get(name);
      const wanted = Delete?.Objects ?? [];
      if (wanted.length === 0 || wanted.length > mostDeletes)
        throw new ServiceError(
          'MalformedXML',
          `Allowed are 1 to ${mostDeletes} objects; found ${wanted.length}.`,
        );
      const Deleted = wanted.map(({ Key = '', VersionId }) => {
        const done = deleteOne(bucket, Key, VersionId);
        return {
          Key,
          ...(VersionId !== undefined && { VersionId }),
          ...(done.DeleteMarker && { DeleteMarker: true, DeleteMarkerVersionId: done.VersionId }),
        };
      });
      return Delete?.Quiet ? {} : { Deleted };
    },
    GetObjectTagging({ Bucket: name, Key, VersionId }: GetObjectTaggingCommandInput) {
      const bucket = store.get(name);
      const version = store.find(bucket, Key, VersionId);
      return {
        TagSet: Object.entries(version.tags).map(([tag, Value]) => ({ Key: tag, Value })),
        ...versionOf(bucket, version),
      };
    },
    PutObjectTagging({ Bucket: name, Key, VersionId, Tagging }: PutObjectTaggingCommandInput) {
      const bucket = store.get(name);
      const version = store.find(bucket, Key, VersionId);
      version.tags = Object.fromEntries(
        (Tagging?.TagSet ?? []).map(({ Key: tag = '', Value = '' }) => [tag, Value]),
      );
      return versionOf(bucket, version);
    },
    DeleteObjectTagging({ Bucket: name, Key, VersionId }: DeleteObjectTaggingCommandInput) {
      const bucket = store.get(name);
      const version = store.find(bucket, Key, VersionId);
      version.tags = {};
      return versionOf(bucket, version);
    },
  };
}

/** What S3 says of every object since 2023 (S3 user guide, "Default encryption"). */
export const encryption = { ServerSideEncryption: 'AES256' as const };

/** The version's id, in a bucket that has versions. */
export const versionOf = (bucket: Bucket, { id }: Version): { VersionId?: string } =>
  bucket.versioning === undefined ? {} : { VersionId: id };

/** @throws {ServiceError} for a key that S3 does not take */
export function checkKey(key: string | undefined): string {
  if (key === undefined || key === '') throw invalidArgument('The key of an object is missing.');
  if (Buffer.byteLength(key) > longestKey)
    throw new ServiceError('KeyTooLongError', `The key has more than ${longestKey} bytes.`);
  return key;
}

export function headersOf(input: ObjectHeaders): ObjectHeaders {
  const { ContentType, CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, Metadata } = input;
  return { ContentType, CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, Metadata };
}

/** Checksums that S3 gives back as they came, by the members' names. */
const checksumNames = [
  'ChecksumCRC32',
  'ChecksumCRC32C',
  'ChecksumCRC64NVME',
  'ChecksumSHA1',
  'ChecksumSHA256',
] as const;

export const checksumsOf = (
  input: {
    readonly [Name in (typeof checksumNames)[number]]?: string | undefined;
  },
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    checksumNames.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );

/** The checksum of an object is not that of a part of it. */
const withoutChecksums = (described: object): object =>
  Object.fromEntries(Object.entries(described).filter(([name]) => !name.startsWith('Checksum')));

/** `a=1&b=2`, as the header x-amz-tagging has them. */
export const readTags = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(text ?? ''));

function describe(bucket: Bucket, version: Version, input: { readonly ChecksumMode?: string | undefined }) {
  const tagCount = Object.keys(version.tags).length;
  return {
    AcceptRanges: 'bytes',
    LastModified: new Date(version.modifiedAt),
    ContentLength: version.body.length,
    ETag: version.etag,
    ...version.headers,
    ContentType: version.headers.ContentType ?? 'binary/octet-stream',
    ...encryption,
    ...(input.ChecksumMode === 'ENABLED' ? version.checksums : {}),
    ...(tagCount > 0 && { TagCount: tagCount }),
    ...versionOf(bucket, version),
  };
}

/** `bucket/key`, `/bucket/key` or with `?versionId=`, percent-encoded (S3 API reference, CopyObject). */
function sourceOf(source = '') {
  const [path = '', query = ''] = source.split('?', 2);
  let decoded: string;
  try {
    decoded = decodeURIComponent(path).replace(/^\//, '');
  } catch {
    throw invalidArgument(`The copy source "${source}" cannot be read.`);
  }
  const slash = decoded.indexOf('/');
  if (slash <= 0) throw invalidArgument(`The copy source "${source}" names no bucket and key.`);
  const versionId = new URLSearchParams(query).get('versionId') ?? undefined;
  return { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1), versionId };
}
