import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import type { LocalStack } from 'sluice/local';
import { wholeNumber } from '../arguments.ts';
import { Failure } from '../errors.ts';

interface LocalFlags {
  readonly port: number;
  readonly empty?: boolean;
  readonly app?: string;
  readonly stack?: readonly string[];
  readonly parameter?: Readonly<Record<string, string>>;
  readonly logs?: boolean;
}

/** Adds the verb `local`: the model of AWS with the app deployed to it, until Ctrl-C. */
export function register(program: Command): void {
  program
    .command('local')
    .description('run the stack on this machine, behind an endpoint for any AWS SDK and the AWS CLI')
    .option(
      '--port <number>',
      'port of the endpoint on 127.0.0.1, 0 for any free one',
      wholeNumber(0, 65_535),
      4566,
    )
    .option('--empty', 'deploy nothing')
    .option('--app <command>', 'the command that synthesizes (default: "app" of cdk.json)')
    .option('--stack <name>', 'deploy only this stack; may be repeated', append)
    .option('--parameter <name=value>', 'value of a CloudFormation parameter; may be repeated', appendPair)
    .option('--logs', 'print what functions log')
    .action(run);
}

const append = (value: string, before: readonly string[] = []) => [...before, value];

function appendPair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be NAME=VALUE.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

async function run(flags: LocalFlags): Promise<void> {
  // Only now: a mistake in the flags should not wait for the model to load.
  const { startLocal } = await import('sluice/local');
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Failure('stopped before it was ready; nothing is left running.'));
  // Heard each time: a terminal sends it to every process of the command, and npm hands it on once more.
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  const local = await startLocal({
    port: flags.port,
    empty: flags.empty ?? false,
    ...(flags.app === undefined ? {} : { app: flags.app }),
    ...(flags.stack === undefined ? {} : { stacks: flags.stack }),
    ...(flags.parameter === undefined ? {} : { parameters: flags.parameter }),
    ...(flags.logs === true
      ? { log: (name: string, _id: string, line: string) => say(`${name}: ${line}`) }
      : {}),
    progress: say,
    signal: stopping.signal,
  });
  try {
    say(introduction(local));
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  } finally {
    await local.stop();
    say('Stopped.');
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/** What was deployed, and how to reach it. */
function introduction({ url, outputs, resources }: LocalStack): string {
  const counts = new Map<string, number>();
  for (const { type } of Object.values(resources)) counts.set(type, (counts.get(type) ?? 0) + 1);
  const made = [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([type, count]) => `  ${count} x ${type}`);
  const told = Object.entries(outputs).map(([name, value]) => `  ${name} = ${value}`);
  return [
    ...(made.length === 0 ? ['Nothing is deployed.'] : ['Deployed:', ...made]),
    ...(told.length === 0 ? [] : ['Outputs:', ...told]),
    'Point an SDK at it (signatures are not verified, any keys will do):',
    `  export AWS_ENDPOINT_URL=${url} AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test`,
    // Version 1 of the CLI reads neither variable for every service, and would go to AWS.
    `With the AWS CLI, with the same keys: aws --endpoint-url ${url} --region us-east-1 sqs list-queues`,
    `Health: ${url}/_sluice/health`,
    'Ctrl-C stops everything.',
  ].join('\n');
}
