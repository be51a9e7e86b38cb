import { createHash } from 'node:crypto';
import type {
  AbortMultipartUploadCommandInput,
  CompleteMultipartUploadCommandInput,
  CreateMultipartUploadCommandInput,
  ListMultipartUploadsCommandInput,
  ListPartsCommandInput,
  UploadPartCommandInput,
} from '@aws-sdk/client-s3';
import type { ModelContext } from '../service.ts';
import { checkWrite } from './conditions.ts';
import { invalidArgument, invalidPart, invalidPartOrder, noUpload, tooSmall } from './errors.ts';
import { checkKey, checksumsOf, encryption, headersOf, readTags, versionOf } from './objects.ts';
import { type Buckets, bytesOf, etagOf, md5, randomText, type Upload } from './store.ts';

/** Parts of an upload, and bytes of each but the last (S3 user guide, "Multipart upload limits"). */
const mostParts = 10_000;
const smallestPart = 5 * 1024 * 1024;

/** The actions of uploads in parts. */
export function multipartActions(context: Pick<ModelContext, 'clock' | 'random'>, store: Buckets) {
  const find = (bucket: string | undefined, key: string | undefined, id: string | undefined) => {
    const found = store.get(bucket);
    const upload = found.uploads.get(id ?? '');
    if (upload === undefined || upload.key !== key) throw noUpload(id);
    return { bucket: found, upload };
  };
  const forget = (upload: Upload) => {
    for (const { body } of upload.parts.values()) store.release(body.length);
  };
  return {
    CreateMultipartUpload(input: CreateMultipartUploadCommandInput) {
      const bucket = store.get(input.Bucket);
      const upload: Upload = {
        id: randomText(context.random, 48),
        key: checkKey(input.Key),
        startedAt: context.clock.now(),
        headers: headersOf(input),
        tags: readTags(input.Tagging),
        parts: new Map(),
      };
      bucket.uploads.set(upload.id, upload);
      return {
        Bucket: bucket.name,
        Key: upload.key,
        UploadId: upload.id,
        ...encryption,
        ...(input.ChecksumAlgorithm !== undefined && { ChecksumAlgorithm: input.ChecksumAlgorithm }),
      };
    },
    UploadPart(input: UploadPartCommandInput) {
      const { upload } = find(input.Bucket, input.Key, input.UploadId);
      const number = input.PartNumber ?? 0;
      if (!Number.isInteger(number) || number < 1 || number > mostParts)
        throw invalidArgument(`Part number must be an integer between 1 and ${mostParts}, inclusive`);
      const body = bytesOf(input.Body);
      let size = body.length;
      for (const [other, part] of upload.parts) if (other !== number) size += part.body.length;
      const replaced = upload.parts.get(number)?.body.length ?? 0;
      store.reserve(body.length - replaced, size);
      const part = { body, etag: etagOf(body), at: context.clock.now() };
      upload.parts.set(number, part);
      return { ETag: part.etag, ...encryption, ...checksumsOf(input) };
    },
    CompleteMultipartUpload(input: CompleteMultipartUploadCommandInput) {
      const { bucket, upload } = find(input.Bucket, input.Key, input.UploadId);
      const listed = input.MultipartUpload?.Parts ?? [];
      if (listed.length === 0) throw invalidArgument('You must specify at least one part');
      if (listed.some(({ PartNumber = 0 }, index) => PartNumber <= (listed[index - 1]?.PartNumber ?? 0)))
        throw invalidPartOrder();
      const bodies: Buffer[] = [];
      for (const [index, { PartNumber = 0, ETag = '' }] of listed.entries()) {
        const part = upload.parts.get(PartNumber);
        if (part === undefined || part.etag.replaceAll('"', '') !== ETag.replaceAll('"', ''))
          throw invalidPart(PartNumber);
        if (index < listed.length - 1 && part.body.length < smallestPart) throw tooSmall(PartNumber);
        bodies.push(part.body);
      }
      checkWrite(bucket.objects.get(upload.key)?.[0], input);
      const hash = createHash('md5');
      for (const body of bodies) hash.update(md5(body));
      const body = Buffer.concat(bodies);
      forget(upload);
      bucket.uploads.delete(upload.id);
      store.reserve(body.length);
      const made = store.put(bucket, {
        key: upload.key,
        body,
        etag: `"${hash.digest('hex')}-${bodies.length}"`,
        headers: upload.headers,
        checksums: {},
        isMarker: false,
        tags: upload.tags,
      });
      return {
        Location: `/${bucket.name}/${upload.key}`,
        Bucket: bucket.name,
        Key: upload.key,
        ETag: made.etag,
        ...encryption,
        ...versionOf(bucket, made),
      };
    },
    AbortMultipartUpload(input: AbortMultipartUploadCommandInput) {
      const { bucket, upload } = find(input.Bucket, input.Key, input.UploadId);
      forget(upload);
      bucket.uploads.delete(upload.id);
      return {};
    },
    ListParts(input: ListPartsCommandInput) {
      const { bucket, upload } = find(input.Bucket, input.Key, input.UploadId);
      return {
        Bucket: bucket.name,
        Key: upload.key,
        UploadId: upload.id,
        IsTruncated: false,
        StorageClass: 'STANDARD' as const,
        Parts: [...upload.parts]
          .sort(([a], [b]) => a - b)
          .map(([PartNumber, { body, etag, at }]) => ({
            PartNumber,
            ETag: etag,
            Size: body.length,
            LastModified: new Date(at),
          })),
      };
    },
    ListMultipartUploads(input: ListMultipartUploadsCommandInput) {
      const bucket = store.get(input.Bucket);
      return {
        Bucket: bucket.name,
        IsTruncated: false,
        Uploads: [...bucket.uploads.values()]
          .filter(({ key }) => key.startsWith(input.Prefix ?? ''))
          .map(({ id, key, startedAt }) => ({ UploadId: id, Key: key, Initiated: new Date(startedAt) })),
      };
    },
  };
}
