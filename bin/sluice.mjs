#!/usr/bin/env node
// In a checkout the commands run from their TypeScript sources; in the published package, from dist.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `sluice needs Node 20.19 or newer; this is Node ${process.versions.node}. Install a newer Node.`,
  );
  process.exit(1);
}

/**
 * How Node runs a whole cloud in one process. Collecting garbage by itself keeps the endpoint from waiting for helper
 * threads that a dozen busy functions starve: on two cores the slowest publishes took a second with them, and
 * take 50 ms without. V8 reads these flags at its start only, hence the process of its own.
 */
const modelFlags = ['--single-threaded-gc', '--v8-pool-size=1', '--min-semi-space-size=16'];
const modelVerbs = ['start', 'local', 'simulate'];

if (modelVerbs.includes(process.argv[2]) && !process.execArgv.includes(modelFlags[0])) {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(
    process.execPath,
    [...modelFlags, ...process.execArgv, script, ...process.argv.slice(2)],
    // The channel tells the child when this process is gone, however it ended.
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // npm hands a signal to the shell that it runs a command in, and the shell ends without the command.
  if (process.env.npm_lifecycle_event !== undefined) {
    const shell = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === shell) return;
      clearInterval(watch);
      child.kill('SIGTERM');
    }, 250);
  }
  child.on('error', (error) => {
    console.error(`sluice could not start Node (${process.execPath}): ${error.message}`);
    process.exit(1);
  });
  // As a shell has it: 128 and the number of the signal.
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
} else {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // To listen is no reason to stay.
  process.channel?.unref();
  const sources = fileURLToPath(new URL('./sluice.ts', import.meta.url));
  if (existsSync(sources)) {
    // The package's own names (sluice/lambda and the like) resolve by the paths of this tsconfig.
    process.env.TSX_TSCONFIG_PATH = fileURLToPath(new URL('../tsconfig.json', import.meta.url));
    const { register } = await import('tsx/esm/api');
    register();
    await import('./sluice.ts');
  } else {
    await import('../dist/bin/sluice.js');
  }
}
