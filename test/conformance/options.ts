import { Command, InvalidArgumentError, Option } from 'commander';
import { isLoopbackUrl } from '../../bin/environment.ts';
import { type ServerName, serverNames } from '../servers/names.ts';
import type { CaseGroup } from './case.ts';
import { kindNames } from './compare/index.ts';

/** What the command was asked for. */
export interface Options {
  readonly server?: ServerName | 'aws';
  readonly all?: true;
  readonly page?: true;
  readonly compare?: ServerName;
  readonly endpoint?: string;
  readonly only?: string;
  readonly json?: true;
  readonly record?: true;
  readonly profile?: string;
  readonly region?: string;
  readonly yes?: true;
  readonly clean?: true;
  readonly seed?: number;
  readonly path?: string;
  readonly runs?: number;
  readonly kind?: string;
}

const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!/^-?\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};

const help = `
Exit code: 1 when a case differs on the model, or a server cannot be had; differences of the others are what is looked for.
Examples:
  npm run conformance -- --server model
  npm run conformance -- --server ministack --only lambda
  npm run --silent conformance -- --server moto --json
  npm run conformance -- --all --record
  npm run conformance -- --compare ministack --runs 200
  npm run conformance -- --server aws --profile sandbox --only sqs`;

/**
 * Reads the words of the command. What does not fit is refused in one line, with exit code 2.
 *
 * @param refuse - ends the process
 */
export function optionsOf(
  words: readonly string[],
  groups: readonly CaseGroup[],
  refuse: (line: string) => never,
): Options {
  const names = groups.map(({ name }) => name);
  const program = new Command('conformance')
    .description('Plays the cases that the stack depends on against a server, and says where it differs.')
    .addOption(new Option('--server <name>', 'what is asked').choices([...serverNames, 'aws']))
    .option('--all', 'every server in turn, AWS apart')
    .option('--record', 'keep the results, of which docs/conformance.md is made')
    .option('--page', 'write docs/conformance.md from the results that are kept')
    .option('--endpoint <url>', 'a server that runs already, on this machine (default: one is started)')
    .option('--only <group>', 'only the groups of this name, or whose names begin so')
    .option(
      '--json',
      'print { server, cases: [{ id, group, status, note }] } and nothing else (npm run --silent leaves npm’s own lines out)',
    )
    .addOption(
      new Option('--compare <name>', 'play random operations on the model and on this server').choices(
        serverNames.filter((name) => name !== 'model'),
      ),
    )
    .option('--seed <number>', 'compare: repeat a run', wholeNumber)
    .option('--path <path>', 'compare: repeat a shrunk disagreement')
    .option('--runs <number>', 'compare: how many sequences of each kind', wholeNumber)
    .addOption(new Option('--kind <kind>', 'compare: this kind of operations alone').choices([...kindNames]))
    .option('--profile <name>', 'aws: the profile of the account')
    .option('--region <name>', 'aws: the Region (default: that of the profile)')
    .option('--yes', 'aws: do not ask')
    .option('--clean', 'aws: remove what an interrupted run left, and play nothing')
    .addHelpText('after', help)
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .exitOverride((error) => {
      if (error.exitCode === 0) process.exit(0);
      refuse(error.message.replace(/^error: /, '').split('\n')[0] ?? '');
    });
  program.parse(words, { from: 'user' });
  const options: Options = program.opts();
  if (program.args.length > 0) refuse(`"${program.args.join(' ')}" is not an option; see --help.`);
  const { server, endpoint, only } = options;
  const modes = ['server', 'all', 'page', 'compare'].filter((mode) => mode in options);
  if (modes.length !== 1)
    refuse(
      modes.length === 0
        ? `Say what is asked: --server with one of ${[...serverNames, 'aws'].join(', ')}, or --all, --page or --compare.`
        : `--${modes.join(' and --')} do not go together; take one.`,
    );
  if (endpoint !== undefined && options.all) refuse('--endpoint is one server; it does not go with --all.');
  if (endpoint !== undefined && (!URL.canParse(endpoint) || !isLoopbackUrl(endpoint)))
    refuse(
      `--endpoint is "${endpoint}"; it must be a server on this machine, for example http://127.0.0.1:4566.`,
    );
  // Every name begins with nothing: a script whose variable is empty would play all.
  if (only !== undefined && (only === '' || !names.some((name) => name.startsWith(only))))
    refuse(`--only is "${only}"; it must be one of ${names.join(', ')}, or the beginning of some.`);
  const aws = ['profile', 'region', 'yes', 'clean'].filter((each) => each in options);
  if (aws.length > 0 && server !== 'aws') refuse(`--${aws[0]} is for --server aws.`);
  const compared = ['seed', 'path', 'runs', 'kind'].filter((each) => each in options);
  if (compared.length > 0 && options.compare === undefined) refuse(`--${compared[0]} is for --compare.`);
  if (options.runs !== undefined && options.runs < 1)
    refuse(`--runs is ${options.runs}; it must be 1 or more.`);
  if (server === 'aws' && endpoint !== undefined) refuse('--endpoint does not go with --server aws.');
  if (server === 'aws' && options.profile === undefined)
    refuse('--profile is missing: name the profile of the account that --server aws may use.');
  if (options.json && (options.all || options.page)) refuse('--json is for one server.');
  return options;
}
