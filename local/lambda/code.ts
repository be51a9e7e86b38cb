import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { FunctionCode } from '@aws-sdk/client-lambda';
import { invalid } from './errors.ts';

/** Where the code of functions is: folders of an assembly's assets, known by bucket and key, and unpacked zip files. */
export interface CodeStore {
  /** Says that the object `key` of `bucket` is this folder. */
  provide(bucket: string, key: string, folder: string): void;
  /** The folder of a function's code; `undefined` when the input names none (handlers in process). */
  folderOf(functionName: string, code: FunctionCode): string | undefined;
  /** Removes the folders of unpacked zip files. */
  stop(): void;
}

/** An empty {@link CodeStore}. */
export function createCodeStore(): CodeStore {
  const objects = new Map<string, string>();
  const unpacked: string[] = [];
  return {
    provide: (bucket, key, folder) => {
      objects.set(`${bucket}/${key}`, folder);
    },
    folderOf(functionName, { S3Bucket, S3Key, ZipFile, ImageUri }) {
      if (ImageUri !== undefined) {
        throw invalid(
          `Function ${functionName} is a container image; the model runs folders and zip files only.`,
        );
      }
      if (ZipFile !== undefined) {
        const folder = mkdtempSync(join(tmpdir(), 'sluice-function-'));
        unpacked.push(folder);
        for (const [name, content] of entriesOf(functionName, Buffer.from(ZipFile))) {
          const file = join(folder, name);
          if (!file.startsWith(folder + sep))
            throw invalid(`The zip file of ${functionName} holds an unsafe path: ${name}`);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, content);
        }
        return folder;
      }
      if (S3Key === undefined) return undefined;
      const folder = objects.get(`${S3Bucket}/${S3Key}`);
      if (folder !== undefined) return folder;
      throw invalid(
        `Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist: ${S3Bucket}/${S3Key}`,
      );
    },
    stop() {
      for (const folder of unpacked.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The files of a zip archive, by its central directory (PKWARE APPNOTE 4.3.12; methods 0 and 8, no ZIP64). */
function* entriesOf(functionName: string, zip: Buffer): Generator<readonly [string, Buffer]> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0)
    throw invalid(
      `Could not unzip uploaded file of ${functionName}. Please check your file, then try to upload again.`,
    );
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const method = zip.readUInt16LE(at + 10);
    const size = zip.readUInt32LE(at + 20);
    const nameLength = zip.readUInt16LE(at + 28);
    const local = zip.readUInt32LE(at + 42);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    if (name.endsWith('/')) continue;
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const content = zip.subarray(start, start + size);
    if (method !== 0 && method !== 8)
      throw invalid(`The zip file of ${functionName} uses compression method ${method}; 0 and 8 are known.`);
    yield [name, method === 0 ? content : inflateRawSync(content)];
  }
}
