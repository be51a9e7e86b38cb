import { createHash } from 'node:crypto';
import { type Milliseconds, milliseconds, type Random } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { invalidRequest, noBucket, noKey, noVersion, tooLarge } from './errors.ts';

/** What the caller said of an object besides its bytes; given back with it. */
export interface ObjectHeaders {
  readonly ContentType?: string | undefined;
  readonly CacheControl?: string | undefined;
  readonly ContentDisposition?: string | undefined;
  readonly ContentEncoding?: string | undefined;
  readonly ContentLanguage?: string | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

/** One version of an object. */
export interface Version {
  readonly key: string;
  /** `null` in a bucket without versioning. */
  readonly id: string;
  readonly body: Buffer;
  /** With its quotes. */
  readonly etag: string;
  readonly modifiedAt: Milliseconds;
  readonly headers: ObjectHeaders;
  /** The checksums that it came with, `ChecksumCRC32` and so on: its reader compares them. */
  readonly checksums: Readonly<Record<string, string>>;
  /** Says that the object is deleted, in a bucket with versions. */
  readonly isMarker: boolean;
  tags: Readonly<Record<string, string>>;
}

/** A multipart upload that is not complete. */
export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly startedAt: Milliseconds;
  readonly headers: ObjectHeaders;
  readonly tags: Readonly<Record<string, string>>;
  readonly parts: Map<number, { readonly body: Buffer; readonly etag: string; readonly at: Milliseconds }>;
}

/** A bucket. */
export interface Bucket {
  readonly name: string;
  readonly createdAt: Milliseconds;
  versioning: 'Enabled' | 'Suspended' | undefined;
  /** Versions by key, the newest first. */
  readonly objects: Map<string, Version[]>;
  readonly uploads: Map<string, Upload>;
  /** What the configuration actions put, by their names. */
  readonly settings: Map<string, unknown>;
}

/** How many bytes the model takes. */
export interface S3Limits {
  /** Of one object. */
  readonly object: number;
  /** Of all objects and their versions together. */
  readonly all: number;
}

/** An asset of code is at most 250 MB unpacked (Lambda quotas), and all of this is memory. */
const usualLimits: S3Limits = { object: 256 * 1024 * 1024, all: 1024 * 1024 * 1024 };

/** The buckets of the account. */
export function createBuckets(
  context: Pick<ModelContext, 'clock' | 'random'>,
  limits: S3Limits = usualLimits,
) {
  const buckets = new Map<string, Bucket>();
  let held = 0;

  /** Counts bytes that come (or go), and refuses what would be too many. */
  const reserve = (bytes: number, object = bytes): void => {
    if (object > limits.object)
      throw tooLarge(`The object has ${object} bytes; the model takes at most ${limits.object}.`);
    if (held + bytes > limits.all)
      throw tooLarge(
        `The model holds ${held} bytes of objects in memory, and at most ${limits.all}: delete some first.`,
      );
    held += bytes;
  };
  const release = (bytes: number): void => {
    held -= bytes;
  };

  const get = (name: string | undefined): Bucket => {
    const found = buckets.get(name ?? '');
    if (found === undefined) throw noBucket(name);
    return found;
  };

  return {
    buckets,
    get,
    reserve,
    release,
    /** The version that is asked for. @throws {ServiceError} NoSuchKey, also for a deleted one */
    find(bucket: Bucket, key: string | undefined, versionId: string | undefined): Version {
      const versions = bucket.objects.get(key ?? '') ?? [];
      const found = versionId === undefined ? versions[0] : versions.find(({ id }) => id === versionId);
      if (found === undefined && versionId !== undefined && versions.length > 0)
        throw noVersion(key, versionId);
      if (found === undefined || found.isMarker) throw noKey(key);
      return found;
    },
    /** Puts a version in front; without versioning it takes the place of the other. Its bytes are counted already. */
    put(bucket: Bucket, version: Omit<Version, 'id' | 'modifiedAt'>): Version {
      const id = bucket.versioning === 'Enabled' ? randomText(context.random, 32) : 'null';
      // S3 knows whole seconds.
      const modifiedAt = milliseconds(Math.floor(context.clock.now() / 1000) * 1000);
      const made: Version = { ...version, id, modifiedAt };
      const others = bucket.objects.get(version.key) ?? [];
      const replaced = others.filter((other) => other.id === id);
      for (const { body } of replaced) release(body.length);
      bucket.objects.set(version.key, [made, ...others.filter((other) => other.id !== id)]);
      return made;
    },
    /** Removes one version for good. */
    remove(bucket: Bucket, key: string, versionId: string): Version | undefined {
      const versions = bucket.objects.get(key) ?? [];
      const found = versions.find(({ id }) => id === versionId);
      if (found === undefined) return undefined;
      release(found.body.length);
      const left = versions.filter((version) => version !== found);
      if (left.length > 0) bucket.objects.set(key, left);
      else bucket.objects.delete(key);
      return found;
    },
  };
}

/** See {@link createBuckets}. */
export type Buckets = ReturnType<typeof createBuckets>;

/** The bytes of a body, which the model keeps: a copy, as the caller may change his own. */
export function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw invalidRequest('The body is a stream: within this process the model takes text and bytes only.');
}

export const md5 = (bytes: Uint8Array): Buffer => createHash('md5').update(bytes).digest();

/** An entity tag of an object that came in one piece: its MD5. */
export const etagOf = (bytes: Uint8Array): string => `"${md5(bytes).toString('hex')}"`;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Text for identifiers. */
export function randomText(random: Random, length: number): string {
  let text = '';
  for (let count = 0; count < length; count++) text += alphabet[Math.floor(random.next() * alphabet.length)];
  return text;
}
