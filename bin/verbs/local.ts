import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import type { LocalStack } from 'sluice/local';
import { isRegionName, wholeNumber } from '../arguments.ts';
import { Failure, UsageError } from '../errors.ts';

interface LocalFlags {
  readonly port: number;
  readonly empty?: boolean;
  readonly app?: string;
  readonly stack?: readonly string[];
  readonly parameter?: Readonly<Record<string, string>>;
  readonly logs?: boolean;
  readonly account: string;
  readonly region: string;
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
    .option('--account <id>', 'the account, twelve digits', account, '000000000000')
    .option('--region <name>', 'the region that the app is deployed to', region, 'us-east-1')
    .option('--logs', 'print what functions log')
    .action(run);
}

const append = (value: string, before: readonly string[] = []) => [...before, value];

function appendPair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be NAME=VALUE.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

function account(text: string): string {
  if (!/^\d{12}$/.test(text)) throw new InvalidArgumentError('It must be twelve digits.');
  return text;
}

function region(text: string): string {
  if (!isRegionName(text))
    throw new InvalidArgumentError('It must be the name of a region, such as eu-west-1.');
  return text;
}

async function run(flags: LocalFlags): Promise<void> {
  if (flags.empty === true && (flags.stack ?? flags.app ?? flags.parameter) !== undefined)
    throw new UsageError('--empty deploys nothing: leave out --app, --stack and --parameter, or --empty.');
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
    account: flags.account,
    region: flags.region,
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
function introduction({ aws, url, stacks }: LocalStack): string {
  const counts = new Map<string, number>();
  for (const { resources } of Object.values(stacks))
    for (const { type } of Object.values(resources)) counts.set(type, (counts.get(type) ?? 0) + 1);
  const made = [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([type, count]) => `  ${count} x ${type}`);
  // As the CDK's command: stacks of one declaration have outputs of the same names.
  const told = Object.entries(stacks).flatMap(([stack, { outputs }]) =>
    Object.entries(outputs).map(([name, value]) => `  ${stack}.${name} = ${value}`),
  );
  return [
    ...(made.length === 0 ? ['Nothing is deployed.'] : ['Deployed:', ...made]),
    ...(told.length === 0 ? [] : ['Outputs:', ...told]),
    'Point an SDK at it (signatures are not verified, any keys will do):',
    `  export AWS_ENDPOINT_URL=${url} AWS_REGION=${aws.context.region} AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test`,
    // Version 1 of the CLI reads neither variable for every service, and would go to AWS.
    `With the AWS CLI, with the same keys: aws --endpoint-url ${url} --region ${aws.context.region} sqs list-queues`,
    `Dashboards: ${url}/_sluice/dashboards/`,
    `Health: ${url}/_sluice/health`,
    'Ctrl-C stops everything.',
  ].join('\n');
}
