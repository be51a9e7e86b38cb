import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of the checkout, with a slash at its end. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The version of a package of the checkout, or of the checkout itself. */
export function versionOf(packageFile: string): string {
  return (JSON.parse(readFileSync(`${root}${packageFile}`, 'utf8')) as { version: string }).version;
}
