import type {
  ListObjectsCommandInput,
  ListObjectsV2CommandInput,
  ListObjectVersionsCommandInput,
} from '@aws-sdk/client-s3';
import { invalidArgument } from './errors.ts';
import type { Bucket, Buckets, Version } from './store.ts';

/** Entries of one page (S3 API reference, ListObjectsV2). */
const mostKeys = 1000;

interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** The last key or prefix of this page, when more follow. */
  readonly next: string | undefined;
}

/** Keys in the order of their UTF-8 bytes. */
const inOrder = (bucket: Bucket, shown: (newest: Version) => boolean): string[] =>
  [...bucket.objects]
    .filter(([, versions]) => versions[0] !== undefined && shown(versions[0]))
    .map(([key]) => ({ key, bytes: Buffer.from(key) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ key }) => key);

const isAfter = (key: string, other: string): boolean =>
  Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;

function pageOf(
  keys: readonly string[],
  prefix: string,
  delimiter: string | undefined,
  after: string,
  limit: number,
): Page {
  const found: string[] = [];
  const prefixes = new Set<string>();
  let last: string | undefined;
  for (const key of keys) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === undefined || delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const common = end < 0 ? undefined : key.slice(0, end + delimiter!.length);
    const entry = common ?? key;
    if ((after !== '' && !isAfter(entry, after)) || (common !== undefined && prefixes.has(common))) continue;
    if (found.length + prefixes.size === limit)
      return { keys: found, prefixes: [...prefixes], next: limit === 0 ? undefined : last };
    if (common === undefined) found.push(key);
    else prefixes.add(common);
    last = entry;
  }
  return { keys: found, prefixes: [...prefixes], next: undefined };
}

function limitOf(asked: number | undefined): number {
  if (asked === undefined) return mostKeys;
  if (!Number.isInteger(asked) || asked < 0)
    throw invalidArgument(`max-keys is ${asked}; allowed are whole numbers from 0.`);
  return Math.min(asked, mostKeys);
}

/** Tokens are opaque to callers. */
const tokenOf = (key: string): string => Buffer.from(key).toString('base64url');
function keyOf(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (token === '' || tokenOf(key) !== token)
    throw invalidArgument('The continuation token provided is incorrect');
  return key;
}

/** The actions that list objects. */
export function listActions({ get }: Buckets) {
  const written = (encoding: string | undefined) => (text: string) =>
    encoding === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  const content = (bucket: Bucket, key: string, write: (text: string) => string) => {
    const version = bucket.objects.get(key)![0]!;
    return {
      Key: write(key),
      LastModified: new Date(version.modifiedAt),
      ETag: version.etag,
      Size: version.body.length,
      StorageClass: 'STANDARD' as const,
    };
  };
  const common = (input: ListObjectsCommandInput, page: Page, bucket: Bucket) => {
    const write = written(input.EncodingType);
    return {
      Name: bucket.name,
      Prefix: write(input.Prefix ?? ''),
      MaxKeys: limitOf(input.MaxKeys),
      ...(input.Delimiter !== undefined && { Delimiter: write(input.Delimiter) }),
      ...(input.EncodingType !== undefined && { EncodingType: input.EncodingType }),
      IsTruncated: page.next !== undefined,
      ...(page.keys.length > 0 && { Contents: page.keys.map((key) => content(bucket, key, write)) }),
      ...(page.prefixes.length > 0 && {
        CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: write(prefix) })),
      }),
    };
  };
  const list = (input: ListObjectsCommandInput, after: string) => {
    const bucket = get(input.Bucket);
    const keys = inOrder(bucket, ({ isMarker }) => !isMarker);
    const page = pageOf(keys, input.Prefix ?? '', input.Delimiter, after, limitOf(input.MaxKeys));
    return { page, answer: common(input, page, bucket) };
  };
  return {
    ListObjectsV2(input: ListObjectsV2CommandInput) {
      const { ContinuationToken, StartAfter } = input;
      const after = ContinuationToken === undefined ? (StartAfter ?? '') : keyOf(ContinuationToken);
      const { page, answer } = list(input, after);
      return {
        ...answer,
        KeyCount: page.keys.length + page.prefixes.length,
        ...(ContinuationToken !== undefined && { ContinuationToken }),
        ...(StartAfter !== undefined && { StartAfter: written(input.EncodingType)(StartAfter) }),
        ...(page.next !== undefined && { NextContinuationToken: tokenOf(page.next) }),
      };
    },
    ListObjects(input: ListObjectsCommandInput) {
      const { page, answer } = list(input, input.Marker ?? '');
      const write = written(input.EncodingType);
      return {
        ...answer,
        Marker: write(input.Marker ?? ''),
        // Without a delimiter the last key of the page tells (S3 API reference, ListObjects).
        ...(page.next !== undefined && input.Delimiter !== undefined && { NextMarker: write(page.next) }),
      };
    },
    ListObjectVersions(input: ListObjectVersionsCommandInput) {
      const bucket = get(input.Bucket);
      const write = written(input.EncodingType);
      const keys = inOrder(bucket, () => true);
      const { Prefix = '', Delimiter, KeyMarker = '' } = input;
      // A page holds whole keys: there is no marker in the middle of the versions of one.
      const page = pageOf(keys, Prefix, Delimiter, KeyMarker, limitOf(input.MaxKeys));
      const versions = page.keys.flatMap((key) =>
        bucket.objects.get(key)!.map((version, index) => ({ version, IsLatest: index === 0 })),
      );
      const entry = ({ version, IsLatest }: (typeof versions)[number]) => ({
        Key: write(version.key),
        VersionId: version.id,
        IsLatest,
        LastModified: new Date(version.modifiedAt),
      });
      return {
        Name: bucket.name,
        Prefix: write(Prefix),
        KeyMarker: write(KeyMarker),
        MaxKeys: limitOf(input.MaxKeys),
        IsTruncated: page.next !== undefined,
        ...(page.next !== undefined && { NextKeyMarker: write(page.next) }),
        ...(input.EncodingType !== undefined && { EncodingType: input.EncodingType }),
        Versions: versions
          .filter(({ version }) => !version.isMarker)
          .map((each) => ({
            ...entry(each),
            ETag: each.version.etag,
            Size: each.version.body.length,
            StorageClass: 'STANDARD' as const,
          })),
        DeleteMarkers: versions.filter(({ version }) => version.isMarker).map(entry),
        CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: write(prefix) })),
      };
    },
  };
}
