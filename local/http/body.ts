import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { ServiceError } from '../service.ts';
import { isS3 } from './s3/index.ts';

/** The largest request of any service here is a function's code: 50 MB zipped (Lambda quotas), in base64. */
const largest = 70 * 1024 * 1024;

/** Reads a request's body; a request that is cut off never arrives. */
export function readBody(request: IncomingMessage, done: (body: Buffer | ServiceError) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    // The rest is read and dropped: a caller that is still sending would not see an answer.
    if (size <= largest) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => {
    if (size > largest) return done(tooLarge(size));
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    // What S3 is sent as gzip stays so.
    done(request.headers['content-encoding'] === 'gzip' && !isS3(request) ? unzip(body) : body);
  });
}

const tooLarge = (size: number) =>
  new ServiceError(
    'RequestEntityTooLargeException',
    `The request has ${size} bytes; at most ${largest} are taken.`,
    { statusCode: 413 },
  );

/** CloudWatch's clients compress larger requests (Smithy, requestCompression trait). */
function unzip(body: Buffer): Buffer | ServiceError {
  try {
    return gunzipSync(body, { maxOutputLength: largest });
  } catch (cause) {
    return new ServiceError(
      'SerializationException',
      'The body is said to be gzip, but cannot be unpacked.',
      {
        cause,
      },
    );
  }
}
