import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cacheFolder, installed } from './cache.ts';
import { serverNames, startServer } from './index.ts';
import { takePort } from './ports.ts';
import { isAlive } from './processes.ts';
import { findJava, findMaven, findPython, findPython313, step } from './programs.ts';
import { isHealthy, makeFolder, type Run, runServer } from './run.ts';
import { ServerFailure, ServerUnavailable } from './types.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-servers-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that the shell can run, in a folder of its own that can be a PATH. */
function program(name: string, script: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

describe('a server that cannot be had says in one line what is missing and how to get it', () => {
  const nothing = { PATH: '/nowhere', HOME: '/nowhere' };

  it.each([
    ['Python 3.13', () => findPython313(nothing), /needs Python 3\.13.+pyenv install 3\.13.+PYTHON313/],
    ['any Python', () => findPython('MiniStack', nothing), /MiniStack needs Python 3\.10.+Install it/],
    ['Java', () => findJava(nothing), /needs Java 17.+Install it/],
    ['Maven', () => findMaven(nothing), /fetched by Maven.+Install it/],
  ])('%s', async (_, find, message) => {
    const error = (await find().catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(ServerUnavailable);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('\n');
  });

  it('a Python of another version is none, nor is a shim without a Python behind it', async () => {
    const other = program('python3.13', 'echo 3 11');
    const shim = program('python3.13', 'echo "pyenv: python3.13: command not found" >&2; exit 127');
    for (const PATH of [other, shim])
      await expect(findPython313({ ...nothing, PATH })).rejects.toBeInstanceOf(ServerUnavailable);
    const right = program('python3.13', 'echo 3 13');
    expect(await findPython313({ ...nothing, PATH: `${shim}:${right}` })).toBe(join(right, 'python3.13'));
    expect(await findPython313({ ...nothing, PYTHON313: join(right, 'python3.13') })).toBe(
      join(right, 'python3.13'),
    );
  });

  it('a Java that is too old is none', async () => {
    const old = program('java', `echo 'openjdk version "11.0.2" 2019-01-15' >&2`);
    const right = program('java', `echo 'openjdk version "21.0.1" 2023-10-17' >&2`);
    await expect(findJava({ ...nothing, PATH: old })).rejects.toBeInstanceOf(ServerUnavailable);
    expect(await findJava({ ...nothing, PATH: `${old}:${right}` })).toBe(join(right, 'java'));
  });

  it('LocalStack in Docker, where no engine answers', async () => {
    const path = process.env.PATH;
    process.env.PATH = program('docker', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
    try {
      await expect(startServer('localstack', { docker: true })).rejects.toThrow(
        /no engine answers to "docker info"\. Start Docker/,
      );
    } finally {
      process.env.PATH = path;
    }
  });

  it('a network that is not there is told from an installation that fails', async () => {
    const bin = program(
      'pip',
      'case $1 in offline) echo "connection broken by NewConnectionError(...)";; *) echo "no such version";; esac; exit 1',
    );
    await expect(step('moto', join(bin, 'pip'), ['offline'])).rejects.toThrow(
      new ServerUnavailable(
        'moto cannot be installed without a network: NewConnectionError. It is needed once; then the installation stays in the cache.',
      ),
    );
    await expect(step('moto', join(bin, 'pip'), ['other'])).rejects.toThrow(
      new ServerFailure('moto could not be installed.\nno such version'),
    );
  });
});

describe('an installation is there whole, or not at all', () => {
  const cached = () => mkdtempSync(join(folder, 'cache-'));
  const fake = (contents: string, done: string[] = []) => ({
    name: 'fake',
    contents,
    async install(target: string) {
      done.push(contents);
      writeFileSync(join(target, 'program'), contents);
    },
  });

  it('is made once', async () => {
    const cache = cached();
    const done: string[] = [];
    expect(await installed(fake('fake 1', done), cache)).toBe(join(cache, 'fake'));
    await installed(fake('fake 1', done), cache);
    expect(done).toEqual(['fake 1']);
    expect(readdirSync(cache)).toEqual(['fake']);
  });

  it('what was interrupted half-way is made anew, and so is another version', async () => {
    const cache = cached();
    mkdirSync(join(cache, 'fake'));
    writeFileSync(join(cache, 'fake', 'half'), '');
    const done: string[] = [];
    const target = await installed(fake('fake 1', done), cache);
    expect(readdirSync(target).sort()).toEqual(['.installed', 'program']);
    await installed(fake('fake 2', done), cache);
    expect(done).toEqual(['fake 1', 'fake 2']);
    expect(readFileSync(join(target, 'program'), 'utf8')).toBe('fake 2');
  });

  it('one that fails leaves nothing, and the next try works', async () => {
    const cache = cached();
    const failing = { ...fake('fake 1'), install: () => Promise.reject(new Error('the disk is full')) };
    await expect(installed(failing, cache)).rejects.toThrow('the disk is full');
    expect(readdirSync(cache)).toEqual([]);
    expect(existsSync(join(await installed(fake('fake 1'), cache), 'program'))).toBe(true);
  });

  it('two at once do not meet: the second waits and finds the work done', async () => {
    const cache = cached();
    const done: string[] = [];
    const slow = {
      ...fake('fake 1', done),
      async install(target: string) {
        await pause(50);
        writeFileSync(join(target, 'program'), '');
        done.push('slow');
      },
    };
    const lines: string[] = [];
    await Promise.all([
      installed(slow, cache),
      installed({ ...slow, log: (line) => lines.push(line) }, cache),
    ]);
    expect(done).toEqual(['slow']);
    expect(lines).toEqual([`process ${process.pid} installs fake: waiting for it`]);
  });

  it('the lock of a process that is gone is taken over', async () => {
    const cache = cached();
    const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(gone, 'exit');
    writeFileSync(join(cache, 'fake.lock'), String(gone.pid));
    await installed(fake('fake 1'), cache);
    expect(readdirSync(cache)).toEqual(['fake']);
  });

  it('is where the variable says, else in the cache of the user', () => {
    expect(cacheFolder({ SLUICE_CACHE: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/sluice');
    expect(cacheFolder({})).toMatch(/\/\.cache\/sluice$/);
  });
});

describe('a server is up, or it is gone', () => {
  const begun: string[] = [];
  /** A server of a few lines; it hears of its port by the environment. */
  const fake = async (script: string, change: Partial<Run> = {}): Promise<Run> => {
    const own = makeFolder('fake');
    begun.push(own);
    const port = await takePort('fake');
    return {
      title: 'Fake 1.0',
      command: process.execPath,
      args: ['--eval', script],
      environment: { PORT: String(port) },
      folder: own,
      ready: (signal) => isHealthy(`http://127.0.0.1:${port}/`, signal),
      patience: 20_000,
      ...change,
    };
  };
  const serving = (status: number) =>
    `console.log('listening'); require('node:http').createServer((_, answer) => answer.writeHead(${status}).end()).listen(process.env.PORT, '127.0.0.1');`;
  afterEach(() => {
    expect(begun.filter((each) => existsSync(each))).toEqual([]);
    begun.length = 0;
  });

  it('answers, tells its processes and memory, and leaves nothing: not even a process with a session of its own', async () => {
    const child = `require('node:child_process').spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });`;
    const running = await runServer(await fake(child + serving(200)));
    const pids = running.pids();
    expect(pids).toHaveLength(2);
    expect(running.memory()).toBeGreaterThan(20_000_000);
    await running.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(running.died.aborted).toBe(false);
    await running.stop();
  });

  it('one that ends while it starts: how, and the end of its log', async () => {
    const run = await fake(`console.error('out of cheese'); process.exit(3);`);
    await expect(runServer(run)).rejects.toThrow(
      new ServerFailure('Fake 1.0 ended before it was ready (code 3).\nout of cheese'),
    );
  });

  it('one that is no program', async () => {
    await expect(runServer(await fake('', { command: '/nowhere/fake' }))).rejects.toThrow(
      /Fake 1\.0 ended before it was ready \(spawn \/nowhere\/fake ENOENT\)/,
    );
  });

  it.each([
    ['answers 500 for ever', serving(500), 'listening'],
    ['never listens', `console.log('thinking'); setInterval(() => {}, 1000);`, 'thinking'],
    [
      'does not obey',
      `process.on('SIGTERM', () => {}); console.log('deaf'); setInterval(() => {}, 1000);`,
      'deaf',
    ],
  ])('one that %s is ended in time', { timeout: 20_000 }, async (_, script, log) => {
    const run = await fake(script, { patience: 700 });
    await expect(runServer(run)).rejects.toThrow(
      new ServerFailure(`Fake 1.0 was not ready within 0.7 s, and was ended.\n${log}`),
    );
  });

  it('one that dies later says so', async () => {
    const running = await runServer(await fake(serving(200)));
    process.kill(running.pids()[0] as number, 'SIGKILL');
    await once(running.died, 'abort');
    expect(running.died.reason).toEqual(new ServerFailure('Fake 1.0 ended (SIGKILL).\nlistening'));
    await running.stop();
  });

  it('a start that is given up leaves nothing', async () => {
    const stopping = new AbortController();
    const starting = runServer(await fake('setInterval(() => {}, 1000)', { signal: stopping.signal }));
    stopping.abort(new Error('stopped'));
    await expect(starting).rejects.toThrow('stopped');
  });

  it('goes with the process that started it, even when that one is killed', async () => {
    const door = pathToFileURL(join(import.meta.dirname, 'run.ts')).href;
    const own = makeFolder('fake');
    begun.push(own);
    const port = await takePort('fake');
    const script = `import { runServer, isHealthy } from ${JSON.stringify(door)};
      const running = await runServer({ title: 'Fake', command: process.execPath, args: ['--eval', ${JSON.stringify(serving(200))}],
        environment: { PORT: '${port}' }, folder: ${JSON.stringify(own)}, patience: 20000,
        ready: (signal) => isHealthy('http://127.0.0.1:${port}/', signal) });
      console.log(running.pids()[0]); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(owner.stdout, 'data')) as [Buffer];
    const server = Number(String(text));
    expect(isAlive(server)).toBe(true);
    owner.kill('SIGKILL');
    while (isAlive(server) || existsSync(own)) await pause(20);
  });
});

describe('a port', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it.each(serverNames.filter((name) => name === 'model' || name === 'fauxqs'))(
    '%s says that it is in use',
    async (name) => {
      const { port } = server.address() as AddressInfo;
      await expect(startServer(name, { port })).rejects.toThrow(
        new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use\\. End what listens there`),
      );
    },
  );

  it('is a free one when none is asked for', async () => {
    expect(await takePort('fake')).toBeGreaterThan(0);
  });
});
