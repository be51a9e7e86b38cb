import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { enterLocal } from './environment.ts';
import { Failure, UsageError, verdictOn } from './errors.ts';

/** A verb: its module is loaded only when the verb is used, so that `--help` costs nothing. */
interface Verb {
  readonly description: string;
  /** Works on this machine only, under credentials of its own. */
  readonly local: boolean;
  /** Works in a checkout only, for it runs the example, which is no part of the package: what to do there, and instead. */
  readonly checkout?: string;
  load(): Promise<{ register(program: Command): void }>;
}

const verbs: Readonly<Record<string, Verb>> = {
  start: {
    description: 'send a burst of real orders through the deployed stack, and prove what became of them',
    local: true,
    checkout: 'run npm start in a checkout. Your own app runs with sluice local.',
    load: () => import('./verbs/start.ts'),
  },
  local: {
    description: 'run the stack on this machine, behind an endpoint for any AWS SDK and the AWS CLI',
    local: true,
    load: () => import('./verbs/local.ts'),
  },
  simulate: {
    description:
      'play thousands of faulty histories on a virtual clock, and judge what became of every event',
    local: true,
    checkout: 'run npx sluice simulate in a checkout. Your own handlers run in simulate of sluice/local.',
    load: () => import('./verbs/simulate.ts'),
  },
  groups: {
    description: 'list the message groups of a subscriber that have dead letters, or lift the marker of one',
    local: false,
    load: () => import('./verbs/groups.ts'),
  },
  work: {
    description: 'run the handler of a subscriber here, against a stack that is deployed',
    local: false,
    load: () => import('./verbs/work.ts'),
  },
};

async function main(typed: readonly string[]): Promise<void> {
  // `sluice help local` is what `sluice local --help` is.
  const words = typed[0] === 'help' ? [...typed.slice(1, 2), '--help'] : typed;
  const program = new Command('sluice');
  const { version } = createRequire(import.meta.url)('sluice/package.json') as { version: string };
  program
    .description('A serverless messaging stack for AWS, declared in TypeScript.')
    .version(version)
    .helpCommand(false)
    .exitOverride()
    // Commander's own lines are turned into one line below.
    .configureOutput({ outputError: () => {} });

  const [name = ''] = words;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb?.checkout !== undefined && !import.meta.url.endsWith('.ts'))
    throw new Failure(
      `"${name}" runs the example of a checkout of sluice, which the package does not hold: ${verb.checkout}`,
    );
  if (verb !== undefined) (await verb.load()).register(program);
  for (const [other, { description }] of Object.entries(verbs))
    if (other !== name) program.command(other).description(description).allowUnknownOption();
  if (name === '') throw new UsageError(`a verb is missing; verbs are ${verbList()}. See sluice --help.`);
  if (verb === undefined && !name.startsWith('-'))
    throw new UsageError(`unknown verb "${name}"; verbs are ${verbList()}. See sluice --help.`);
  if (verb?.local === true && !words.some((word) => word === '--help' || word === '-h'))
    enterLocal(process.env);
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version were printed already.
    if (error.exitCode === 0) return;
    throw new UsageError(explain(error, program, name), { cause: error });
  }
}

const verbList = () => Object.keys(verbs).join(', ');

/** A commander error in one line, with the flags that there are where one was not known. */
function explain(error: CommanderError, program: Command, name: string): string {
  const message = error.message.replace(/^error: /, '').split('\n')[0] as string;
  if (error.code !== 'commander.unknownOption') return message;
  const used = program.commands.find((command) => command.name() === name);
  const flags = (used ?? program).options.map(({ long }) => long).join(', ');
  return `${message}; flags are ${flags}, --help.`;
}

// Whoever read the output has gone (`sluice start | head`): the verb ends in order, as when it is told to.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.kill(process.pid, 'SIGTERM');
  });

main(process.argv.slice(2))
  .catch((error: unknown) => {
    const { message, exitCode } = verdictOn(error);
    process.stderr.write(`${message}\n`);
    process.exitCode = exitCode;
  })
  .finally(() => {
    // What the verb said is out first; then nothing that is left, a timer or a socket, keeps the command alive.
    process.stdout.write('', () => process.stderr.write('', () => process.exit()));
  });
