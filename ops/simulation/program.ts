import { fileURLToPath } from 'node:url';

/**
 * The program of a thread that plays seeds, as one script: in a checkout it is bundled from the sources, since what a
 * loader makes of each module is half as fast and has to be made for each thread anew.
 *
 * @param module - the file of the program, as a URL
 */
export async function bundleProgram(module: URL): Promise<string> {
  const { build } = await import('esbuild');
  const root = new URL('../../', import.meta.url);
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(module)],
    tsconfig: fileURLToPath(new URL('tsconfig.json', root)),
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    // A script has no place of its own: packages are looked for from here.
    banner: { js: `require = require('node:module').createRequire(${JSON.stringify(import.meta.url)});` },
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
    logLevel: 'silent',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made nothing of ${module.href}.`);
  return output.text;
}
