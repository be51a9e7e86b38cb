import { inflateRawSync } from 'node:zlib';
import { invalid } from './errors.ts';

/** Bytes of a function's code, unpacked (Lambda quotas, "Deployment package size"). */
const largest = 250 * 1024 * 1024;

/**
 * The files of a zip archive, by its central directory (PKWARE APPNOTE 4.3.12; methods 0 and 8, no ZIP64). Nothing is
 * unpacked beyond what Lambda allows, and no name leads out of the folder that it is unpacked in.
 *
 * @throws {ServiceError} InvalidParameterValueException for what is no such archive
 */
export function* entriesOf(functionName: string, zip: Buffer): Generator<readonly [string, Buffer]> {
  const broken = (cause?: unknown) => {
    const error = invalid(
      `Could not unzip uploaded file of ${functionName}. Please check your file, then try to upload again.`,
    );
    error.cause = cause;
    return error;
  };
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > zip.length) throw broken();
  let at = zip.readUInt32LE(end + 16);
  let left = zip.readUInt16LE(end + 10);
  let room = largest;
  for (; left > 0; left--) {
    if (at + 46 > zip.length || zip.readUInt32LE(at) !== 0x02014b50) throw broken();
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const nameLength = zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    if (name.endsWith('/')) continue;
    if (isUnsafe(name)) throw invalid(`The zip file of ${functionName} holds an unsafe path: ${name}`);
    if (local + 30 > zip.length) throw broken();
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    if (start + size > zip.length) throw broken();
    const packed = zip.subarray(start, start + size);
    if (method !== 0 && method !== 8)
      throw invalid(`The zip file of ${functionName} uses compression method ${method}; 0 and 8 are known.`);
    const content = method === 0 ? packed : inflate(packed, room);
    room -= content.length;
    if (room < 0) throw tooLarge();
    yield [name, content];
  }

  function inflate(packed: Buffer, limit: number): Buffer {
    try {
      // One byte more than there is room for tells too large from just full.
      return inflateRawSync(packed, { maxOutputLength: limit + 1 });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw broken(cause);
    }
  }

  function tooLarge() {
    return invalid(`Unzipped size of ${functionName} must be smaller than ${largest} bytes`);
  }
}

const isUnsafe = (name: string): boolean =>
  name === '' || name.startsWith('/') || name.includes('\0') || name.split(/[\\/]/).includes('..');
