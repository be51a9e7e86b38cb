import { type BuildOptions, build } from 'esbuild';
import { handlerBundling } from '../lib/constructs/bundling.ts';
import { root } from './child.ts';

/** A bundle in memory. */
export interface Bundle {
  readonly text: string;
  readonly bytes: number;
}

/**
 * Bundles a module of the benchmark as MessagingStack bundles a handler.
 *
 * @param entry - its path in `bench/`
 * @param external - packages that stay out; the stack leaves none out
 * @param define - in place of what the stack defines
 */
export async function bundle(
  entry: string,
  external: readonly string[] = [],
  define = handlerBundling.define,
): Promise<Bundle> {
  const { outputFiles } = await build({
    ...asDeployed(),
    ...(define === undefined ? {} : { define: { ...define } }),
    entryPoints: [`bench/${entry}`],
    external: [...external],
  });
  const [file] = outputFiles as NonNullable<typeof outputFiles>;
  if (file === undefined) throw new Error(`esbuild made no bundle of bench/${entry}.`);
  return { text: file.text, bytes: file.contents.byteLength };
}

/** What the construct tells esbuild on its command line. */
function asDeployed(): BuildOptions & { readonly write: false } {
  const { target, minify, keepNames, mainFields, banner } = handlerBundling;
  return {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'warning',
    ...(target === undefined ? {} : { target }),
    ...(minify === undefined ? {} : { minify }),
    ...(keepNames === undefined ? {} : { keepNames }),
    ...(mainFields === undefined ? {} : { mainFields: [...mainFields] }),
    ...(banner === undefined ? {} : { banner: { js: banner } }),
  };
}
