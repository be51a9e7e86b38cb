import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The scopes of the SDK's packages, which Lambda's Node.js runtimes hold (Lambda developer guide, "Node.js runtimes"). */
const scopes = ['@aws-sdk', '@smithy'] as const;

/**
 * Puts the AWS SDK where the code in `folder` and below finds it, as Lambda's runtime has it: the CDK leaves the SDK out
 * of a bundle. It is the SDK that is installed for the app, and what that lacks, this package's.
 *
 * @param directory - where the app is; the working directory when nothing is given
 */
export function provideSdk(folder: string, directory: string = process.cwd()): void {
  for (const scope of scopes) {
    const target = join(folder, 'node_modules', scope);
    if (existsSync(target)) continue;
    mkdirSync(target, { recursive: true });
    for (const source of foldersOf(scope, directory))
      for (const name of readdirSync(source))
        if (!existsSync(join(target, name))) symlinkSync(join(source, name), join(target, name), 'junction');
  }
}

/** Every `node_modules/<scope>` from the app up, then from this package up. */
function* foldersOf(scope: string, directory: string): Generator<string> {
  const here = createRequire(import.meta.url);
  const app = createRequire(join(directory, 'package.json'));
  const seen = new Set<string>();
  for (const { resolve } of [app, here])
    for (const folder of resolve.paths(`${scope}/any`) ?? []) {
      const found = join(folder, scope);
      if (seen.has(found) || !existsSync(found)) continue;
      seen.add(found);
      yield found;
    }
}
