import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DeploymentError } from './errors.ts';
import { isObject, type Template } from './template.ts';

/** A file or folder that the assembly would upload; bucket and key may hold `${AWS::AccountId}` and the like. */
export interface Asset {
  readonly bucket: string;
  readonly key: string;
  /** Absolute path. */
  readonly path: string;
  /** A folder that is uploaded as a zip file, or a file as it is. */
  readonly packaging: 'zip' | 'file';
}

/** One stack of an assembly. */
export interface AssemblyStack {
  readonly name: string;
  readonly template: Template;
  /**
   * The template as it stands in its file, which GetTemplate gives back.
   *
   * @default - the template written as JSON
   */
  readonly text?: string;
  /**
   * Tags of the stack.
   *
   * @default - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /** Values that the assembly itself gives to parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * What `cdk synth` wrote, read.
 *
 * @example
 * ```ts
 * const assembly: CloudAssembly = loadAssembly('cdk.out');
 * console.log(assembly.stacks.map(({ name }) => name));
 * ```
 */
export interface CloudAssembly {
  readonly folder: string;
  readonly stacks: readonly AssemblyStack[];
  readonly assets: readonly Asset[];
}

interface Manifest {
  readonly artifacts?: Readonly<
    Record<string, { readonly type: string; readonly properties?: Readonly<Record<string, unknown>> }>
  >;
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path?: string; readonly packaging?: 'zip' | 'file' };
        readonly destinations: Readonly<
          Record<string, { readonly bucketName: string; readonly objectKey: string }>
        >;
      }
    >
  >;
}

/**
 * Reads a cloud assembly: `manifest.json`, the templates of its stacks (those of stages too) and its assets.
 *
 * @throws DeploymentError when a file is missing or is not JSON
 * @example
 * ```ts
 * const assembly = loadAssembly('cdk.out');
 * ```
 */
export function loadAssembly(folder: string): CloudAssembly {
  const root = resolve(folder);
  const manifest = read<Manifest>(join(root, 'manifest.json'));
  const stacks: AssemblyStack[] = [];
  const assets: Asset[] = [];
  for (const [id, { type, properties = {} }] of Object.entries(manifest.artifacts ?? {})) {
    if (type === 'aws:cloudformation:stack') {
      const { content, text } = readText<Template>(join(root, String(properties.templateFile)));
      stacks.push({
        name: String(properties.stackName ?? id),
        template: content,
        text,
        tags: isObject(properties.tags) ? (properties.tags as Record<string, string>) : {},
        parameters: isObject(properties.parameters)
          ? Object.fromEntries(
              Object.entries(properties.parameters).map(([name, value]) => [name, String(value)]),
            )
          : {},
      });
    } else if (type === 'cdk:asset-manifest') {
      const { files = {} } = read<AssetManifest>(join(root, String(properties.file)));
      for (const { source, destinations } of Object.values(files)) {
        if (source.path === undefined) continue;
        for (const { bucketName, objectKey } of Object.values(destinations)) {
          const path = resolve(root, source.path);
          assets.push({ bucket: bucketName, key: objectKey, path, packaging: source.packaging ?? 'file' });
        }
      }
    } else if (type === 'cdk:cloud-assembly') {
      const stage = loadAssembly(join(root, String(properties.directoryName)));
      stacks.push(...stage.stacks);
      assets.push(...stage.assets);
    }
  }
  return { folder: root, stacks, assets };
}

const read = <Content>(file: string): Content => readText<Content>(file).content;

function readText<Content>(file: string): { readonly content: Content; readonly text: string } {
  if (!existsSync(file)) {
    throw new DeploymentError([`${file} does not exist: synthesize the app first (npx cdk synth).`]);
  }
  try {
    const text = readFileSync(file, 'utf8');
    return { content: JSON.parse(text) as Content, text };
  } catch (cause) {
    throw new DeploymentError(
      [`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`],
      cause,
    );
  }
}
