import { ServiceError } from '../../service.ts';

/** The bytes of an `aws-chunked` body, and the headers that follow them. */
export interface Unchunked {
  readonly body: Buffer;
  /** `x-amz-checksum-crc32` and so on, in lower case. */
  readonly trailers: Readonly<Record<string, string>>;
}

/** A trailer is a few headers; a chunk's line a size and a signature. */
const longestLine = 1024;
const mostTrailers = 20;

/**
 * Takes a body apart that was sent in chunks of its own (S3 API reference, "Signature calculations ... using trailing
 * headers"): `size;chunk-signature=...`, the bytes, ..., `0`, then headers. Signatures are not looked at.
 *
 * @throws {ServiceError} IncompleteBody
 */
export function unchunk(body: Buffer, decodedLength: number | undefined): Unchunked {
  const chunks: Buffer[] = [];
  let at = 0;
  const line = (): string => {
    const end = body.indexOf('\r\n', at);
    if (end < 0 || end - at > longestLine) throw incomplete('a chunk has no line that tells its size');
    const text = body.toString('latin1', at, end);
    at = end + 2;
    return text;
  };
  for (;;) {
    const size = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(line())?.[1];
    if (size === undefined) throw incomplete('the size of a chunk cannot be read');
    const length = Number.parseInt(size, 16);
    if (length === 0) break;
    if (at + length + 2 > body.length) throw incomplete('a chunk is cut off');
    chunks.push(body.subarray(at, at + length));
    at += length;
    if (line() !== '') throw incomplete('a chunk is longer than its size');
  }
  const trailers: Record<string, string> = {};
  for (let count = 0; at < body.length && count < mostTrailers; count++) {
    // Some clients end with the last header's line, some with an empty one, some with neither.
    const end = body.indexOf('\r\n', at);
    const text = body.toString('latin1', at, end < 0 ? body.length : end).trim();
    at = end < 0 ? body.length : end + 2;
    const colon = text.indexOf(':');
    if (colon > 0) trailers[text.slice(0, colon).trim().toLowerCase()] = text.slice(colon + 1).trim();
  }
  const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  if (decodedLength !== undefined && decodedLength !== whole.length)
    throw incomplete(`x-amz-decoded-content-length says ${decodedLength} bytes, and ${whole.length} came`);
  return { body: whole, trailers };
}

const incomplete = (why: string) =>
  new ServiceError('IncompleteBody', `The aws-chunked body cannot be read: ${why}.`);
