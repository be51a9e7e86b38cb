import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a module in a thread of its own. In a checkout the module is TypeScript, and a thread does not inherit the
 * loader of the one that starts it, so the loader is registered there first.
 *
 * @param module - its path relative to `base`, without the ending
 * @param base - `import.meta.url` of the caller
 */
export function startThread(module: string, base: string, options: WorkerOptions): Worker {
  if (!base.endsWith('.ts')) return new Worker(new URL(`${module}.js`, base), options);
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const target = JSON.stringify(new URL(`${module}.ts`, base).href);
  // The names of the package resolve by the checkout's paths, whatever folder the command is called in.
  const paths = JSON.stringify(fileURLToPath(new URL('../../../tsconfig.json', import.meta.url)));
  const code = `process.env.TSX_TSCONFIG_PATH = ${paths}; import(${loader}).then(({ register }) => { register(); return import(${target}); })`;
  return new Worker(code, { ...options, eval: true });
}
