import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FunctionCode } from '@aws-sdk/client-lambda';
import { invalid } from './errors.ts';
import { provideSdk } from './sdk.ts';
import { entriesOf } from './zip.ts';

/** Where the code of functions is: folders of an assembly's assets, known by bucket and key, and unpacked zip files. */
export interface CodeStore {
  /** Says that the object `key` of `bucket` is this folder. */
  provide(bucket: string, key: string, folder: string): void;
  /** The folder of a function's code; `undefined` when the input names none (handlers in process). */
  folderOf(functionName: string, code: FunctionCode): string | undefined;
  /** Removes the folders of unpacked zip files. */
  stop(): void;
}

/** The bytes of an object of S3, a certain version of it or the newest; `undefined` when there is none. */
export type ObjectOf = (bucket: string, key: string, version?: string) => Uint8Array | undefined;

/** An empty {@link CodeStore}. */
export function createCodeStore(objectOf: ObjectOf = () => undefined): CodeStore {
  const objects = new Map<string, string>();
  /** By the hash of the archive: a function that is deployed again as it was needs no folder more. */
  const unpacked = new Map<string, string>();

  function unpack(functionName: string, zip: Uint8Array): string {
    const hash = createHash('sha256').update(zip).digest('hex');
    const known = unpacked.get(hash);
    if (known !== undefined) return known;
    // Beside the code, not among it: `task` is the function's folder, as on Lambda, and the SDK is found above.
    const place = mkdtempSync(join(tmpdir(), 'sluice-function-'));
    const folder = join(place, 'task');
    try {
      mkdirSync(folder);
      unpackInto(folder, functionName, zip);
      provideSdk(place);
    } catch (error) {
      rmSync(place, { recursive: true, force: true });
      throw error;
    }
    unpacked.set(hash, folder);
    return folder;
  }

  function unpackInto(folder: string, functionName: string, zip: Uint8Array): void {
    for (const [name, content] of entriesOf(functionName, Buffer.from(zip))) {
      const file = join(folder, name);
      try {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      } catch (cause) {
        const failure = invalid(`The file ${name} of ${functionName} cannot be unpacked: ${String(cause)}`);
        failure.cause = cause;
        throw failure;
      }
    }
  }

  return {
    provide: (bucket, key, folder) => {
      objects.set(`${bucket}/${key}`, folder);
    },
    folderOf(functionName, { S3Bucket = '', S3Key, S3ObjectVersion, ZipFile, ImageUri }) {
      if (ImageUri !== undefined) {
        throw invalid(
          `Function ${functionName} is a container image; the model runs folders and zip files only.`,
        );
      }
      if (ZipFile !== undefined) return unpack(functionName, ZipFile);
      if (S3Key === undefined) return undefined;
      const folder = S3ObjectVersion === undefined ? objects.get(`${S3Bucket}/${S3Key}`) : undefined;
      if (folder !== undefined) return folder;
      const object = objectOf(S3Bucket, S3Key, S3ObjectVersion);
      if (object !== undefined) return unpack(functionName, object);
      const version = S3ObjectVersion === undefined ? '' : ` (version ${S3ObjectVersion})`;
      throw invalid(
        `Error occurred while GetObject. S3 Error Code: NoSuchKey. S3 Error Message: The specified key does not exist: ${S3Bucket}/${S3Key}${version}`,
      );
    },
    stop() {
      for (const folder of unpacked.values()) rmSync(dirname(folder), { recursive: true, force: true });
      unpacked.clear();
    },
  };
}
