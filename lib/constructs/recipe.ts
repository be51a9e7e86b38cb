import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type BundlingOptions, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs';
import { findLockFile } from './bundling.ts';

/** How handlers are bundled that are bundled alike: a folder, and what esbuild is told on its command line. */
export interface Recipe {
  /** The folder of the package that the handlers are of. */
  readonly folder: string;
  readonly extension: '.mjs' | '.js';
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Source maps say where sources are from where the bundle is. */
  readonly placed: boolean;
}

/** Options that one run of esbuild for many handlers cannot honour; NodejsFunction bundles such a handler by itself. */
const needMore = [
  'assetHash',
  'commandHooks',
  'forceDockerBundling',
  'metafile',
  'nodeModules',
  'preCompilation',
] as const satisfies readonly (keyof BundlingOptions)[];

/** Arguments of esbuild about what is written where, which is another matter with many entry points. */
const aboutOutput =
  /^--(allow-overwrite|analyze|asset-names|chunk-names|entry-names|metafile|out-extension|outbase|outdir|outfile|public-path|serve|servedir|splitting|watch)\b/;

/** Loaders that write more files than the bundle. */
const writers = new Set(['copy', 'file']);

/** Arguments that esbuild takes as `name:value`. */
const repeated = new Set(['--alias', '--drop', '--log-override', '--out-extension', '--pure']);

/**
 * How to bundle a handler together with others; undefined when its options need more than esbuild.
 *
 * @param entry - its file
 * @param options - with the defaults of {@link handlerBundling}
 */
export function recipeOf(
  entry: string,
  options: BundlingOptions,
  lockFile = findLockFile(dirname(entry)),
): Recipe | undefined {
  const more = needMore.some((name) => options[name] !== undefined && options[name] !== false);
  const placesOutput = Object.keys(options.esbuildArgs ?? {}).some((name) => aboutOutput.test(name));
  const writesMore = Object.values(options.loader ?? {}).some((loader) => writers.has(loader));
  // What is external by default is a matter of the CDK's feature flags.
  if (more || placesOutput || writesMore || options.externalModules === undefined) return undefined;
  const maps = options.sourceMapMode !== undefined || options.sourceMap === true;
  const esm = options.format === OutputFormat.ESM;
  return {
    folder: lockFile === undefined ? packageOf(entry) : dirname(resolve(lockFile)),
    extension: esm ? '.mjs' : '.js',
    environment: options.environment ?? {},
    placed: maps,
    arguments: [
      '--bundle',
      '--platform=node',
      `--target=${options.target ?? 'node22'}`,
      ...flag('format', options.format),
      ...(options.minify === true ? ['--minify'] : []),
      ...(maps ? [sourceMap(options.sourceMapMode)] : []),
      ...(options.sourcesContent === false ? ['--sources-content=false'] : []),
      ...options.externalModules.map((name) => `--external:${name}`),
      ...Object.entries(options.loader ?? {}).map(([extension, name]) => `--loader:${extension}=${name}`),
      ...Object.entries(options.define ?? {}).map(([name, value]) => `--define:${name}=${value}`),
      ...flag('log-level', options.logLevel),
      ...(options.keepNames === true ? ['--keep-names'] : []),
      ...flag('tsconfig', options.tsconfig === undefined ? undefined : resolve(options.tsconfig)),
      ...flag('banner:js', options.banner),
      ...flag('footer:js', options.footer),
      ...flag('charset', options.charset),
      ...flag('main-fields', options.mainFields?.join(',')),
      ...(options.inject ?? []).map((file) => `--inject:${file}`),
      ...Object.entries(options.esbuildArgs ?? {}).flatMap(([name, value]) => esbuildArgument(name, value)),
    ],
  };
}

const flag = (name: string, value: string | undefined): string[] =>
  value === undefined || value === '' ? [] : [`--${name}=${value}`];

const sourceMap = (mode: SourceMapMode = SourceMapMode.DEFAULT): string =>
  mode === SourceMapMode.DEFAULT ? '--sourcemap' : `--sourcemap=${mode}`;

/** As NodejsFunction reads `esbuildArgs`. */
function esbuildArgument(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((each) => `${name}:${each}`);
  if (value === true || value === '') return [name];
  if (!value) return [];
  return [repeated.has(name) ? `${name}:${value}` : `${name}=${value}`];
}

/** The folder with the nearest manifest above a file. */
function packageOf(entry: string): string {
  const start = dirname(resolve(entry));
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return start;
  }
}
