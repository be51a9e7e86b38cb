import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../service.ts';
import { signedFor } from '../services.ts';

/** The bucket and the object that a request is about. */
export interface Address {
  readonly bucket: string | undefined;
  readonly key: string | undefined;
}

const hostName = (host: string | undefined): string => (host ?? '').replace(/:\d+$/, '').toLowerCase();

/** `s3.amazonaws.com`, `s3.eu-west-1.amazonaws.com`, each with or without a bucket in front. */
const amazonHost = /^(?:(.+)\.)?s3(?:[.-](?:dualstack\.)?[a-z]{2}(?:-[a-z]+)+-\d)?\.amazonaws\.com$/;

/**
 * Whether a name is one of S3's own. Nobody but AWS can say where these lead, so no page can bring its own name to
 * this machine with them.
 */
export const isS3Host = (host: string): boolean => amazonHost.test(host.toLowerCase());

/** Whether S3 is asked: the request is signed for it, in its headers or (a presigned URL) its address, or its host says so. */
export function isS3(request: IncomingMessage): boolean {
  const { authorization, host } = request.headers;
  if (authorization !== undefined) return signedFor(authorization)?.id === 's3';
  const credential = /[?&]X-Amz-Credential=([^&]+)/i.exec(request.url ?? '')?.[1];
  return credential?.includes('%2Fs3%2F') === true || isS3Host(hostName(host));
}

/** The bucket is the first step of the path, or the first part of the host. @throws {ServiceError} InvalidURI */
export function addressOf(host: string | undefined, path: string): Address {
  const name = hostName(host);
  const local = /^(.+)\.localhost$/.exec(name)?.[1];
  const inHost = amazonHost.exec(name)?.[1] ?? (local === undefined ? undefined : localBucket(local));
  const rest = path.replace(/^\//, '');
  if (inHost !== undefined) return { bucket: inHost, key: rest === '' ? undefined : decode(rest) };
  const slash = rest.indexOf('/');
  const bucket = slash < 0 ? rest : rest.slice(0, slash);
  const key = slash < 0 ? '' : rest.slice(slash + 1);
  return {
    bucket: bucket === '' ? undefined : decode(bucket),
    key: key === '' ? undefined : decode(key),
  };
}

/** `bucket` and `bucket.s3` and `bucket.s3.eu-west-1` name a bucket, `s3` and `s3.eu-west-1` none. */
const localBucket = (name: string): string | undefined =>
  /^s3(\.|$)/.test(name) ? undefined : name.replace(/\.s3(\.[a-z0-9-]+)?$/, '');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new ServiceError('InvalidURI', `The address cannot be read: ${text}`, { cause });
  }
}
