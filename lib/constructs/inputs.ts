import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The files that a bundle was made of, each with what tells whether it changed; '' for one that did not exist. */
export type Inputs = ReadonlyMap<string, string>;

/** What says how modules are found, in every folder above one. */
const settings = ['package.json', 'tsconfig.json'];

/** Reads from esbuild's metafile what went in, and adds the settings that the way to it depends on. */
export function readInputs(folder: string, metafile: string): Inputs {
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as { readonly inputs: object };
  const files = Object.keys(inputs).map((name) => resolve(folder, name));
  const folders = new Set<string>();
  for (const file of files)
    for (let above = dirname(file); !folders.has(above); above = dirname(above)) folders.add(above);
  const around = [...folders].flatMap((above) => settings.map((name) => join(above, name)));
  return new Map([...files, ...around].map((file) => [file, stampOf(file)]));
}

/** Whether all is as it was. */
export const unchanged = (inputs: Inputs): boolean =>
  [...inputs].every(([file, stamp]) => stampOf(file) === stamp);

function stampOf(file: string): string {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined ? '' : `${status.mtimeMs} ${status.size} ${status.ino}`;
}
