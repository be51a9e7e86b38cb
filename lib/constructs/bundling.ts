import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/**
 * How handlers are bundled: one ES module that holds everything, the AWS SDK too, so that what was tested is what
 * runs whatever version the Lambda runtime brings.
 */
export const handlerBundling: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node20',
  minify: true,
  // No keepNames: an error's `name` is a property that its class sets, and to keep the names of functions costs a
  // definition for each closure at each invocation (measured: a quarter of the runtime's time for a message).
  sourceMap: false,
  logLevel: LogLevel.WARNING,
  externalModules: [],
  mainFields: ['module', 'main'],
  // This synthesis has checked the declaration: a function does not do it again, nor carry the rules.
  define: { SLUICE_DECLARATION_CHECKED: 'true' },
  // CommonJS packages inside the bundle call require for Node's own modules.
  banner:
    "import{createRequire as createSluiceRequire}from'node:module';const require=createSluiceRequire(import.meta.url);",
};

const lockFiles = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'];

/** The lock file of the package that a folder belongs to: the first one on the way up. */
export function findLockFile(folder: string): string | undefined {
  const here = resolve(folder);
  for (const name of lockFiles) {
    const candidate = join(here, name);
    if (existsSync(candidate)) return candidate;
  }
  const parent = dirname(here);
  return parent === here ? undefined : findLockFile(parent);
}
