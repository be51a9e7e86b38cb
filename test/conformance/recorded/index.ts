import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { isLoopbackUrl } from '../../../bin/environment.ts';
import { installed } from '../../servers/cache.ts';
import { ServerFailure, ServerUnavailable, startServer } from '../../servers/index.ts';
import { findPython313, step } from '../../servers/programs.ts';
import { judge } from './judge.ts';
import { counts, files, leftOut, tag } from './known.ts';
import { readReport } from './report.ts';
import { section, sectionFile } from './section.ts';

// LocalStack's tests of SQS, which were recorded on AWS, against the model. They are fetched into the cache and
// played there by pytest; nothing of them is in this repository.

const program = new Command('conformance:recorded')
  .description('Plays the tests of SQS that LocalStack’s maintainers recorded on AWS against the model.')
  .option('--endpoint <url>', 'a server that runs already, on this machine (default: the model is started)')
  .option('--from <repository>', 'where the tests are fetched', 'https://github.com/localstack/localstack')
  .option('--page', 'write suites/recorded.md from the table in known.ts, and play nothing')
  .parse();
const options = program.opts<{ endpoint?: string; from: string; page?: true }>();
if (options.page === true) {
  writeFileSync(sectionFile, section());
  process.exit(0);
}
if (options.endpoint !== undefined && !isLoopbackUrl(options.endpoint))
  program.error(
    `--endpoint is ${options.endpoint}; a server on this machine is allowed, http://127.0.0.1:4566.`,
    {
      exitCode: 2,
    },
  );

const here = fileURLToPath(new URL('.', import.meta.url));
const log = (line: string) => void process.stderr.write(`${line}\n`);

/** The tests at their tag, without the rest of the repository. */
const fetchTests = () =>
  installed({
    name: `localstack-tests-${tag}`,
    contents: `the tests of localstack ${tag}`,
    log,
    async install(folder) {
      const title = 'The recorded tests';
      const git = (...args: string[]) => step(title, 'git', args);
      const target = join(folder, 'repository');
      const sparse = ['--depth', '1', '--filter=blob:none', '--sparse', '--quiet'];
      await git('-c', 'advice.detachedHead=false', 'clone', '--branch', tag, ...sparse, options.from, target);
      await git(
        '-C',
        target,
        'sparse-checkout',
        'set',
        'tests/aws/services/sqs',
        'tests/aws/services/lambda_',
      );
    },
  });

/** A Python with what the tests import. */
const installPython = () =>
  installed({
    name: `localstack-tests-${tag}-python`,
    contents: readFileSync(join(here, 'requirements.txt'), 'utf8').trim(),
    log,
    async install(folder) {
      const title = 'What the recorded tests import';
      const venv = join(folder, 'venv');
      await step(title, await findPython313(), ['-m', 'venv', venv]);
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input', '-r'];
      await step(title, join(venv, 'bin', 'python'), [...pip, join(here, 'requirements.txt')]);
    },
  });

/** Runs pytest to its end; its own exit code says less than its report. */
const play = (python: string, directory: string, url: string, report: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const marked = 'aws_validated and not requires_in_process';
    const child = spawn(
      python,
      [
        ...['-m', 'pytest', '-p', 'sluice_recorded', '-p', 'no:cacheprovider', '-q', '--timeout', '120'],
        ...['--tb=short', '--show-capture=no', '-o', 'log_level=ERROR', '-m', marked, `--junitxml=${report}`],
        ...files.map((file) => `tests/${file}`),
      ],
      {
        cwd: directory,
        stdio: ['ignore', process.stderr, process.stderr],
        env: {
          ...process.env,
          PYTHONPATH: [here, directory].join(delimiter),
          PYTHONDONTWRITEBYTECODE: '1',
          TEST_SKIP_LOCALSTACK_START: '1',
          TEST_AWS_ENDPOINT_URL: url,
          LOCALSTACK_HOST: new URL(url).host,
          SQS_ENDPOINT_STRATEGY: 'path',
          DISABLE_EVENTS: '1',
        },
      },
    );
    child.once('error', reject);
    child.once('exit', () => resolve());
  });

async function main(): Promise<void> {
  const tests = join(await fetchTests(), 'repository');
  const python = join(await installPython(), 'venv', 'bin', 'python');
  const server = options.endpoint === undefined ? await startServer('model') : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-recorded-'));
  try {
    const report = join(folder, 'report.xml');
    await play(python, tests, server?.url ?? options.endpoint ?? '', report);
    if (!existsSync(report)) throw new Error('pytest ended without a report; what it said is above.');
    const verdict = judge(readReport(readFileSync(report, 'utf8')), leftOut, counts);
    for (const { file, protocol, passed, leftOut: out, skipped } of verdict.counts)
      process.stdout.write(
        `${file} (${protocol}): ${passed} passed, ${out} failed, ${skipped} skipped by their authors\n`,
      );
    for (const surprise of verdict.surprises) process.stdout.write(`${surprise}\n`);
    process.exitCode = verdict.surprises.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await server?.stop();
  }
}

try {
  await main();
} catch (error) {
  // What cannot be had here is said in its own words; anything else is a fault of this script.
  if (!(error instanceof ServerUnavailable || error instanceof ServerFailure)) throw error;
  log(error.message);
  process.exitCode = 1;
}
