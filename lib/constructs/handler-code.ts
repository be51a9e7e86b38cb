import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Annotations, AssetHashType, DockerImage, Stack, Stage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct, IConstruct } from 'constructs';
import { handlerBundling } from './bundling.ts';
import { ConstructError } from './construct-error.ts';
import { type Esbuild, findEsbuild, runEsbuild } from './esbuild.ts';
import { type Inputs, readInputs, unchanged } from './inputs.ts';
import { type Recipe, recipeOf } from './recipe.ts';

/** A handler's file and what differs from {@link handlerBundling}. */
export interface HandlerSource {
  readonly entry: string;
  readonly bundling?: BundlingOptions | undefined;
  readonly depsLockFilePath?: string | undefined;
}

/** The files of a bundle by their names. */
type Bundle = ReadonlyMap<string, Buffer>;

/** Handlers of an app that are bundled alike. */
interface Batch {
  readonly recipe: Recipe;
  readonly entries: Set<string>;
  readonly bundles: Map<string, Bundle>;
}

/** The batches of each app. */
const apps = new WeakMap<IConstruct, Map<string, Batch>>();

/** What was bundled for earlier apps of this process, as tests make many. */
const earlier = new Map<string, { readonly bundle: Bundle; readonly inputs: Inputs }>();

const recipeFor = ({ entry, bundling, depsLockFilePath }: HandlerSource) =>
  recipeOf(resolve(entry), { ...handlerBundling, ...bundling }, depsLockFilePath);

function batchOf(scope: Construct, recipe: Recipe): Batch {
  const { root } = scope.node;
  const batches = apps.get(root) ?? new Map<string, Batch>();
  apps.set(root, batches);
  const key = JSON.stringify(recipe);
  const batch = batches.get(key) ?? { recipe, entries: new Set(), bundles: new Map() };
  batches.set(key, batch);
  return batch;
}

/** Says that a handler's code will be wanted: the first that is wanted is bundled together with all of them. */
export function announceHandler(scope: Construct, source: HandlerSource): void {
  const recipe = recipeFor(source);
  if (recipe !== undefined && Stack.of(scope).bundlingRequired)
    batchOf(scope, recipe).entries.add(resolve(source.entry));
}

/**
 * The code of a handler; undefined when NodejsFunction has to bundle it by itself, for its options or for want of
 * esbuild.
 *
 * @throws Error with what esbuild says, when a handler cannot be bundled
 */
export function handlerCode(scope: Construct, source: HandlerSource): Code | undefined {
  const recipe = recipeFor(source);
  if (recipe === undefined) return undefined;
  const entry = resolve(source.entry);
  const batch = batchOf(scope, recipe);
  let bundle: Bundle | undefined;
  if (Stack.of(scope).bundlingRequired) {
    batch.entries.add(entry);
    bundle = batch.bundles.get(entry) ?? bundleAll(scope, batch)?.get(entry);
    if (bundle === undefined) return undefined;
  }
  return Code.fromAsset(recipe.folder, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('none'),
      // Nothing runs it: the CDK tells assets of one folder apart by it.
      command: [relative(recipe.folder, entry), ...recipe.arguments],
      local: {
        tryBundle(folder) {
          for (const [name, content] of bundle ?? []) writeFileSync(join(folder, name), content);
          return true;
        },
      },
    },
  });
}

/** Where esbuild is looked for: the package of the handlers, the app's, and this one's. */
const esbuildFolders = (folder: string): string[] => [folder, process.cwd(), import.meta.dirname];

/**
 * Lets the CDK bundle a handler. Without esbuild it turns to Docker, and its words when there is none either are of
 * Docker alone.
 */
export function bundledByCdk<Made>(entry: string, make: () => Made): Made {
  try {
    return make();
  } catch (cause) {
    const folder = dirname(entry);
    if (findEsbuild(esbuildFolders(folder)) !== undefined) throw cause;
    throw new ConstructError(`${noEsbuild(folder)} And in Docker it failed: ${(cause as Error).message}`, {
      cause,
    });
  }
}

const noEsbuild = (folder: string): string =>
  `esbuild was found neither from ${folder} nor from ${process.cwd()}, so handlers are bundled in Docker, one after another. Install it in the handlers' package: npm install --save-dev esbuild.`;

/** Bundles what is not bundled yet, in one run; undefined without esbuild. */
function bundleAll(scope: Construct, batch: Batch): Batch['bundles'] | undefined {
  const { recipe, bundles } = batch;
  const { assetOutdir } = Stage.of(scope) as Stage;
  const key = (entry: string) =>
    JSON.stringify([entry, recipe, recipe.placed ? relative(recipe.folder, assetOutdir) : '']);
  const missing = [...batch.entries].filter((entry) => {
    const known = bundles.has(entry) ? undefined : earlier.get(key(entry));
    if (known !== undefined && unchanged(known.inputs)) bundles.set(entry, known.bundle);
    return !bundles.has(entry);
  });
  if (missing.length === 0) return bundles;
  const esbuild = findEsbuild(esbuildFolders(dirname(missing[0] as string)));
  if (esbuild === undefined) {
    Annotations.of(scope).addWarningV2('sluice:noEsbuild', noEsbuild(recipe.folder));
    return undefined;
  }
  const made = run(esbuild, recipe, missing, assetOutdir);
  for (const [entry, bundle] of made.bundles) {
    bundles.set(entry, bundle);
    earlier.set(key(entry), { bundle, inputs: made.inputs });
  }
  return bundles;
}

/** One run of esbuild: each entry into a folder of its own, as deep as the CDK's, which is what source maps count. */
function run(esbuild: Esbuild, recipe: Recipe, entries: readonly string[], outdir: string) {
  mkdirSync(outdir, { recursive: true });
  const temporary = () => mkdtempSync(join(outdir, '.handler-'));
  const folders = new Map(entries.map((entry) => [entry, temporary()]));
  const notes = temporary();
  try {
    const metafile = join(notes, 'meta.json');
    const failure = runEsbuild(esbuild, {
      folder: recipe.folder,
      environment: recipe.environment,
      arguments: [
        ...[...folders].map(([entry, folder]) => `${basename(folder)}/index=${entry}`),
        ...recipe.arguments,
        `--outdir=${outdir}`,
        `--out-extension:.js=${recipe.extension}`,
        `--metafile=${metafile}`,
      ],
    });
    if (failure !== undefined) throw notBundled(failure);
    return {
      bundles: new Map([...folders].map(([entry, folder]) => [entry, filesOf(folder)])),
      inputs: readInputs(recipe.folder, metafile),
    };
  } finally {
    for (const folder of [...folders.values(), notes]) rmSync(folder, { recursive: true, force: true });
  }
}

const filesOf = (folder: string): Bundle =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

/** The error is in a handler: where the stack was made is no help, and hides it. */
function notBundled(said: string): Error {
  const error = new Error(`Handlers cannot be bundled; esbuild says:\n\n${said}`);
  error.stack = `Error: ${error.message}`;
  return error;
}
