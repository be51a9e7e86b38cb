import { execFileSync } from 'node:child_process';
import { makeFolder, type Running, runServer } from './run.ts';
import type { StartOptions } from './types.ts';

/** A server as a container, reachable at 127.0.0.1 alone. */
export async function startContainer(container: {
  readonly title: string;
  readonly image: string;
  readonly port: { readonly outside: number; readonly inside: number };
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ready: (signal: AbortSignal) => Promise<boolean>;
  readonly options: StartOptions;
}): Promise<Running> {
  const { title, image, port, options } = container;
  const name = `sluice-${process.pid}-${port.outside}`;
  options.log?.(`starting ${title} in Docker`);
  // The command stays as long as the container, hands signals on to it, and --rm removes it at its end.
  const running = await runServer({
    title,
    command: 'docker',
    args: [
      ...['run', '--rm', '--name', name],
      ...['-p', `127.0.0.1:${port.outside}:${port.inside}`],
      ...container.volumes.flatMap((volume) => ['-v', volume]),
      ...Object.entries(container.environment).flatMap(([variable, value]) => ['-e', `${variable}=${value}`]),
      image,
    ],
    environment: dockerVariables(),
    folder: makeFolder('docker'),
    ready: container.ready,
    // The first time, the image is fetched.
    patience: 600_000,
    signal: options.signal,
  });
  return {
    ...running,
    pids: () => [],
    memory: () => memoryOf(name),
    async stop() {
      await running.stop();
      // What the signal did not end.
      execFileSync('docker', ['rm', '--force', name], { stdio: 'ignore' });
    },
  };
}

/** Where the engine is, as the user has it. */
const dockerVariables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('DOCKER_') && value !== undefined ? [[name, value]] : [],
    ),
  );

const units: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes, from what `docker stats` prints: `712.4MiB / 15.6GiB`. */
function memoryOf(name: string): number {
  const text = execFileSync('docker', ['stats', '--no-stream', '--format', '{{.MemUsage}}', name], {
    encoding: 'utf8',
  });
  const [, value, unit] = /^([\d.]+)\s*(B|KiB|MiB|GiB)/.exec(text) ?? [];
  if (value === undefined || unit === undefined) throw new Error(`docker stats says "${text.trim()}".`);
  return Number(value) * (units[unit] as number);
}
