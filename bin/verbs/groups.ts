import type { Command } from 'commander';
import type { GroupMarker } from '../../ops/groups/index.ts';
import { isRegionName } from '../arguments.ts';
import { enterLocal, isLoopbackUrl } from '../environment.ts';
import { Failure, UsageError } from '../errors.ts';

interface GroupsFlags {
  readonly table: string;
  readonly subscriber: string;
  readonly lift?: string;
  readonly json?: boolean;
  readonly endpoint?: string;
  readonly region?: string;
  readonly account?: string;
}

/** Adds the verb `groups`: the message groups of a subscriber that have dead letters, and the end of their waiting. */
export function register(program: Command): void {
  program
    .command('groups')
    .description('list the message groups of a subscriber that have dead letters, or lift the marker of one')
    .requiredOption('--table <name>', 'the table of records, output RecordsTable of the stack')
    .requiredOption('--subscriber <name>', 'the subscriber, by its name in the declaration')
    .option('--lift <group>', 'let the messages of this group run again')
    .option('--json', 'print JSON')
    .option('--endpoint <url>', 'an endpoint on this machine (default: AWS_ENDPOINT_URL)')
    .option('--region <name>', 'work in a region of AWS itself, together with --account')
    .option('--account <id>', 'the account that the credentials must belong to, 12 digits')
    .action(run);
}

async function run(flags: GroupsFlags): Promise<void> {
  const place = placeOf(flags, process.env);
  // What the SDK says about a version of Node is for who develops with it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  // Only now: a mistake in the flags should not wait for the SDK to load.
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const { liftGroup, listGroups } = await import('../../ops/groups/index.ts');
  const client = new DynamoDBClient(place);
  try {
    if (flags.account !== undefined) await demandAccount(flags.account, place.region);
    if (flags.lift === undefined)
      report(flags, await listGroups(client, flags.table, flags.subscriber), 'No group has a marker.');
    else report(flags, [await liftGroup(client, flags.table, flags.subscriber, flags.lift)], '', 'Lifted:');
  } catch (error) {
    throw asFailure(error, flags);
  } finally {
    client.destroy();
  }
}

interface Place {
  readonly region: string;
  readonly endpoint?: string;
}

/**
 * Where to work: on this machine, unless region and account of another place are named. What the environment or a
 * profile says is never enough to touch an account.
 */
function placeOf(flags: GroupsFlags, environment: NodeJS.ProcessEnv): Place {
  const { account, region } = flags;
  if (account !== undefined || region !== undefined) {
    if (account === undefined || region === undefined)
      throw new UsageError('--region and --account belong together: they name the place in AWS.');
    if (!/^\d{12}$/.test(account)) throw new UsageError(`--account is "${account}"; it must be 12 digits.`);
    if (!isRegionName(region))
      throw new UsageError(`--region is "${region}"; it must be the name of a region, as eu-west-1.`);
    const redirecting = Object.keys(environment).find((name) => /^AWS_ENDPOINT_URL(_|$)/.test(name));
    if (flags.endpoint !== undefined || redirecting !== undefined)
      throw new UsageError(
        `${flags.endpoint === undefined ? redirecting : '--endpoint'} leads elsewhere than --account: leave one of them out.`,
      );
    return { region };
  }
  const endpoint = flags.endpoint ?? environment.AWS_ENDPOINT_URL ?? '';
  if (endpoint === '')
    throw new UsageError(
      'there is no endpoint: give --endpoint (or AWS_ENDPOINT_URL) of this machine, or --region and --account for AWS.',
    );
  if (flags.endpoint !== undefined && !isLoopbackUrl(flags.endpoint))
    throw new UsageError(
      `--endpoint is ${flags.endpoint}, which is not on this machine; for AWS give --region and --account.`,
    );
  enterLocal(environment);
  return { region: 'us-east-1', endpoint };
}

/** Nothing is sent to a table before it is known whose it is. */
async function demandAccount(account: string, region: string): Promise<void> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient({ region });
  try {
    const { Account } = await client.send(new GetCallerIdentityCommand({}));
    if (Account !== account)
      throw new Failure(`the credentials belong to account ${Account}, not to ${account}: nothing was sent.`);
  } finally {
    client.destroy();
  }
}

function report(flags: GroupsFlags, markers: readonly GroupMarker[], none: string, heading?: string): void {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  if (flags.json === true) {
    say(JSON.stringify(flags.lift === undefined ? markers : markers[0], null, 2));
    return;
  }
  if (markers.length === 0) say(none);
  if (heading !== undefined) say(heading);
  for (const { group, state, letters, first, last } of markers) {
    say(`${state} ${group}: ${letters} dead ${letters === 1 ? 'letter' : 'letters'}`);
    for (const { id, reason, at } of letters === 1 ? [first] : [first, last])
      say(`  ${new Date(at).toISOString()} ${reason} ${id}`);
  }
}

/** What AWS or the network answers is told in one line; what is foreseen nowhere keeps its stack. */
function asFailure(error: unknown, { table, subscriber }: GroupsFlags): unknown {
  const { name = '', message = '', $metadata } = error as Error & { $metadata?: object };
  if (name === 'GroupNotMarked') return new Failure(message, { cause: error });
  if (name === 'ResourceNotFoundException' || (name === 'ValidationException' && /index/i.test(message)))
    return new Failure(
      `there is no table of records "${table}" with the index of groups: is it the output RecordsTable of the stack?`,
      { cause: error },
    );
  const code = (error as NodeJS.ErrnoException).code;
  if ($metadata !== undefined || code !== undefined || /Credentials|Timeout/.test(name))
    return new Failure(
      `the groups of "${subscriber}" could not be reached: ${[name, code, message.split('\n')[0]].filter(Boolean).join(' ')}`,
      { cause: error },
    );
  return error;
}
