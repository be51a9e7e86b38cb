import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { ServerFailure } from '../../servers/index.ts';
import type { CaseGroup } from '../case.ts';
import type { CaseResult } from '../play.ts';
import { readRecord } from '../results.ts';
import { playAll, type Stage } from '../run.ts';
import { type ClientOptions, type Clients, clientsFor } from '../worlds/clients.ts';
import { foreignWorlds } from '../worlds/foreign.ts';
import { costOf, pricesOf, type Workload } from './cost.ts';
import { beginJournal, type Journal, leftJournals } from './journal.ts';
import { tagKey } from './kinds.ts';
import { type Left, sweep } from './sweep.ts';
import { type Making, tagged } from './tagging.ts';

/** What a run on an account is told. */
export interface AwsRun {
  readonly groups: readonly CaseGroup[];
  /** Whether nobody is asked. */
  readonly yes: boolean;
  readonly heard: (result: CaseResult) => void;
  /** Tells a person something. */
  readonly say: (line: string) => void;
  /** Asks a person; `undefined` where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly signal: AbortSignal;
  /** Where clients send: the account of the profile, and nowhere else outside of tests. */
  readonly client: ClientOptions;
  /** Where journals are kept. */
  readonly folder: string;
  /**
   * How long is waited between two rounds of removal, in seconds.
   *
   * @default - as long as it is asked for
   */
  readonly pause?: (seconds: number) => Promise<unknown>;
}

/** The folder of journals, beside what the servers keep. */
export const journalFolder = (environment: NodeJS.ProcessEnv): string =>
  join(
    environment.SLUICE_CACHE ?? join(environment.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sluice'),
    'conformance-aws',
  );

/** Asks at the terminal; `undefined` where there is none. */
export const askAtTerminal = (signal: AbortSignal): AwsRun['ask'] =>
  process.stdin.isTTY
    ? async (question) => {
        const terminal = createInterface({ input: process.stdin, output: process.stderr });
        try {
          return await terminal.question(question, { signal });
        } finally {
          terminal.close();
        }
      }
    : undefined;

/** The account that the clients lead to. */
async function accountOf(client: ClientOptions): Promise<string> {
  const sts = new STSClient({ ...client, maxAttempts: 2 });
  try {
    const { Account = '' } = await sts.send(new GetCallerIdentityCommand({}));
    return Account;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServerFailure(`AWS does not say whose account this is: ${reason.split('\n')[0]}`);
  } finally {
    sts.destroy();
  }
}

/** What the cases of groups are, as far as money goes. */
export function workloadOf(groups: readonly CaseGroup[]): Workload {
  const counted = readRecord('model')?.requests ?? {};
  const requests: Record<string, number> = {};
  for (const { name } of groups)
    for (const [service, count] of Object.entries(counted[name] ?? {}))
      requests[service] = (requests[service] ?? 0) + count;
  const cases = groups.flatMap((group) =>
    group.cases.map((one) => ({ one, needs: [...group.needs, ...(one.needs ?? [])] })),
  );
  return {
    requests,
    functionCases: cases.filter(({ one }) => one.functions !== undefined).length,
    cloudwatchCases: cases.filter(({ needs }) => needs.includes('cloudwatch')).length,
  };
}

/**
 * Plays the cases on an account of AWS. It says what that makes and costs at most, and asks; everything that it makes
 * is written into a journal before it is made, carries a tag, and is removed at the end, however that comes.
 *
 * @throws {ServerFailure} when the account cannot be had, nobody may be asked, or the answer is another
 */
export async function playOnAws(run: AwsRun): Promise<readonly CaseResult[]> {
  const { groups, say, client, signal } = run;
  const account = await accountOf(client);
  const played = groups.flatMap(({ cases }) => cases.filter(({ hours }) => hours !== true)).length;
  const { dollars, lines } = costOf(workloadOf(groups));
  say(`Account ${account}, Region ${client.region}.`);
  say(
    `${played} cases are played. They make queues, topics, tables, functions, alarms, roles and stacks, each with the`,
  );
  say(
    `tag ${tagKey}, and remove them; nothing else of the account is touched. At most $${dollars.toFixed(2)}`,
  );
  say(`(twenty times the requests that the model counted, prices of US East, ${pricesOf}):`);
  for (const line of lines) say(line);
  await confirm(run, account);

  const name = `c${randomUUID().slice(0, 7)}`;
  const journal = beginJournal(run.folder, name, account, client.region);
  say(`Run ${name}; its journal is ${journal.file}.`);
  const clients = { ...client, prepare: taggingOf(name, journal) };
  const { withServer, close } = foreignWorlds({
    server: 'aws',
    url: '',
    account,
    client: clients,
    run: name,
  });
  const stage: Stage = {
    services: ['sqs', 'sns', 'dynamodb', 'dynamodbstreams', 'lambda', 'cloudwatch', 'cloudformation', 's3'],
    drivesTime: false,
    abreast: 6,
    functionsAbreast: 4,
    patience: 600_000,
    with: (_one, play) => withServer(play),
  };
  try {
    return await playAll(stage, groups, run.heard, signal);
  } finally {
    close();
    await clear(run, [journal]);
  }
}

async function confirm({ yes, ask, say }: AwsRun, account: string): Promise<void> {
  if (yes) return say('Not asked, as --yes says.');
  if (ask === undefined)
    throw new ServerFailure(
      'Nobody can be asked here: this is no terminal. Say --yes if that is what you want.',
    );
  const answer = await ask(`Type the account id to go on, anything else to stop: `);
  if (answer.trim() !== account) throw new ServerFailure('Stopped; nothing was made.');
}

/** Lets every client write down and tag what it makes. */
const taggingOf =
  (run: string, journal: Journal): NonNullable<ClientOptions['prepare']> =>
  (client) => {
    const noted = new Set<string>();
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          const note = (making: Making) => {
            const key = `${making.kind} ${making.name}`;
            if (!noted.has(key)) journal.note(making);
            noted.add(key);
          };
          const action = commandName.replace(/Command$/, '');
          return next({ ...args, input: tagged(action, args.input as Record<string, unknown>, run, note) });
        },
      { step: 'initialize', name: 'conformanceTags' },
    );
  };

/** Removes what interrupted runs have left in the account; gives whether nothing is left. */
export async function cleanAws(run: AwsRun): Promise<boolean> {
  const account = await accountOf(run.client);
  run.say(
    `Account ${account}, Region ${run.client.region}: what has a run's name and the tag ${tagKey} is removed.`,
  );
  await confirm(run, account);
  return clear(run, leftJournals(run.folder, account, run.client.region), true);
}

/** Removes what the runs of journals made, or with `every` what any run made; the journals go when nothing is left. */
async function clear(run: AwsRun, journals: readonly Journal[], every = false): Promise<boolean> {
  const clients = clientsFor({ ...run.client, maxAttempts: 4 });
  let count = 0;
  let left: readonly Left[];
  try {
    left = await sweep(clients as Clients, {
      runs: every ? undefined : journals.map((journal) => journal.run),
      stacks: journals.flatMap((journal) =>
        journal.made().flatMap(({ kind, name }) => (kind === 'stack' ? [name] : [])),
      ),
      removed: () => {
        count += 1;
      },
      pause: run.pause ?? ((seconds) => pause(seconds * 1000)),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    run.say(`The removal came to a halt: ${reason}`);
    for (const journal of journals) run.say(`What run ${journal.run} made stands in ${journal.file}.`);
    run.say('Remove the rest with: npm run conformance -- --server aws --clean --profile P');
    return false;
  } finally {
    clients.destroy();
  }
  run.say(`${count} things that cases had left were removed, ${left.length} could not be.`);
  for (const { kind, name, reason } of left) run.say(`  ${kind} ${name}: ${reason}`);
  if (left.length > 0) run.say('Try again with: npm run conformance -- --server aws --clean --profile P');
  else for (const journal of journals) journal.close();
  return left.length === 0;
}
