import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { Failure, UsageError } from '../errors.ts';
import { enterPlace } from '../place.ts';

interface WorkFlags {
  readonly endpoint?: string;
  readonly profile?: string;
  readonly region?: string;
  readonly stack?: string;
  readonly app?: string;
  readonly concurrency?: number;
  readonly grace: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly json?: boolean;
}

/** Adds the verb `work`: a subscriber's handler, run here against a deployed stack, until Ctrl-C. */
export function register(program: Command): void {
  program
    .command('work')
    .description('run the handler of a subscriber here, against a stack that is deployed')
    .argument('<subscriber>', 'the subscriber, by its name in the declaration')
    .option(
      '--endpoint <url>',
      'an endpoint on this machine (default: AWS_ENDPOINT_URL, or http://127.0.0.1:4566)',
    )
    .option('--profile <name>', 'work in the AWS account of this profile')
    .option('--region <name>', 'the region of the stack')
    .option('--stack <name>', 'the stack, when several have the subscriber')
    .option('--app <command>', 'the command that synthesizes (default: "app" of cdk.json)')
    .option('--concurrency <number>', 'batches at once (default: as declared)', wholeNumber(1, 1_000))
    .option(
      '--grace <seconds>',
      'how long what runs may go on when it is stopped',
      wholeNumber(0, 43_200),
      25,
    )
    .option('--env <name=value>', 'a variable of the handler in place of the stack’s; may be repeated', pair)
    .option('--json', 'print JSON lines')
    .action(run);
}

function pair(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be NAME=VALUE.');
  return { ...before, [text.slice(0, equals)]: text.slice(equals + 1) };
}

/** The second signal of a terminal's Ctrl-C comes from npm, which hands on what the terminal has sent already. */
const sameSignal = 500;

async function run(subscriber: string, flags: WorkFlags): Promise<void> {
  const place = enterPlace(flags, process.env);
  // What the SDK says about a version of Node is for who develops with it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const stopping = new AbortController();
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppedAt !== undefined && performance.now() - stoppedAt > sameSignal)
      process.exit(signal === 'SIGINT' ? 130 : 143);
    stoppedAt ??= performance.now();
    stopping.abort(new Failure('stopped before it was ready.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Only now: a mistake in the flags should not wait for the model and the SDK to load.
  const { work, WorkFault } = await import('../../ops/work/index.ts');
  const account =
    flags.profile === undefined
      ? { region: process.env.AWS_REGION }
      : await accountOf(flags.profile, stopping.signal);
  try {
    await work({
      subscriber,
      place: place.name,
      endpoint: place.endpoint,
      poll: place.poll,
      grace: flags.grace,
      stop: stopping.signal,
      ...{ stack: flags.stack, app: flags.app, concurrency: flags.concurrency },
      ...{ variables: flags.env, json: flags.json, ...account },
    });
  } catch (error) {
    if (!(error instanceof WorkFault)) throw error;
    throw error.kind === 'usage'
      ? new UsageError(error.message, { cause: error })
      : new Failure(error.message, { cause: error });
  }
}

/** Whose the profile is, and its region: the app may ask for both. */
async function accountOf(profile: string, stop: AbortSignal): Promise<{ account: string; region: string }> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient({});
  try {
    const { Account = '' } = await client.send(new GetCallerIdentityCommand({}), { abortSignal: stop });
    return { account: Account, region: await client.config.region() };
  } catch (error) {
    stop.throwIfAborted();
    const { name, message } = error as Error;
    throw new Failure(
      `the profile "${profile}" opens no account (${name}: ${message.split('\n')[0]}); with a region that it does not name, give --region.`,
      { cause: error },
    );
  } finally {
    client.destroy();
  }
}
