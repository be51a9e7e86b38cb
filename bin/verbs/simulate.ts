import { type Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { UsageError } from '../errors.ts';

interface SimulateFlags {
  readonly example?: 'orders';
  readonly seeds?: number;
  readonly seed?: number;
  readonly hours?: number;
  readonly faults: string;
  readonly break?: string;
  readonly json?: boolean;
}

/** Adds the verb `simulate`: many histories in which much goes wrong, on the virtual clock, each judged. */
export function register(program: Command): void {
  program
    .command('simulate')
    .description(
      'play thousands of faulty histories on a virtual clock, and judge what became of every event',
    )
    .option(
      '--example <name>',
      'the topology and handlers of an example, orders (default: random topologies)',
      example,
    )
    .option('--seeds <number>', 'how many histories to play (default: 1000)', wholeNumber(1, 100_000_000))
    .addOption(
      new Option('--seed <number>', 'play this one only, and tell what happened')
        .argParser(wholeNumber(0, 4_294_967_295))
        .conflicts('seeds'),
    )
    .option('--hours <number>', 'virtual hours in which events arrive (default: two minutes)', hours)
    .option(
      '--faults <names>',
      'what may go wrong: all, names with commas between them, or list to see them',
      'all',
    )
    .option('--break <name>', 'the runtime with one protection switched off; list to see them')
    .option('--json', 'print the result as JSON')
    .action(run);
}

function example(text: string): 'orders' {
  if (text !== 'orders') throw new InvalidArgumentError('The only example is orders.');
  return text;
}

function hours(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0 || value > 1_000)
    throw new InvalidArgumentError('It must be a number above 0, up to 1000.');
  return value;
}

async function run(flags: SimulateFlags): Promise<void> {
  // Only now: a mistake in the flags should not wait for the model to load.
  const simulation = await import('../../ops/simulation/index.ts');
  const print = (text: string) => process.stdout.write(`${text}\n`);
  if (flags.faults === 'list')
    return void print(
      Object.entries(simulation.troubles)
        .map(([name, what]) => `${name.padEnd(16)}${what}`)
        .join('\n'),
    );
  if (flags.break === 'list') return void print(Object.keys(simulation.breaks).join('\n'));
  const faults = flags.faults === 'all' ? undefined : flags.faults.split(',').map((name) => name.trim());
  const strange = faults?.find((name) => !simulation.isTrouble(name));
  if (strange !== undefined)
    throw new UsageError(
      `--faults has "${strange}"; there are ${Object.keys(simulation.troubles).join(', ')}, all and list.`,
    );
  if (flags.break !== undefined && !Object.hasOwn(simulation.breaks, flags.break))
    throw new UsageError(
      `--break is "${flags.break}"; there are ${[...Object.keys(simulation.breaks), 'list'].join(', ')}.`,
    );
  const job = { example: flags.example, hours: flags.hours, faults, break: flags.break };
  const { seed } = flags;
  const seeds =
    seed === undefined ? Array.from({ length: flags.seeds ?? 1_000 }, (_, index) => index + 1) : [seed];
  const simulated =
    seed !== undefined && flags.json !== true
      ? await simulation.replay(seed, job, print)
      : await simulation.simulate(seeds, job, { progress: progress.show(seeds.length) });
  progress.clear();
  if (flags.json === true) print(JSON.stringify(simulation.reportOf(simulated), undefined, 2));
  else {
    print(simulation.summaryOf(simulated));
    if (seed === undefined && simulated.violations.length > 0)
      print(await simulation.explain(simulated.violations, job));
  }
  process.exitCode = simulated.violations.length === 0 ? 0 : 1;
}

/** One line, rewritten in place; nothing where nobody looks at a terminal. */
const progress = {
  show: (seeds: number) => (done: number, violations: number) => {
    if (!process.stderr.isTTY || (done % 10 !== 0 && done !== seeds)) return;
    process.stderr.write(`\r\u001b[K${done} of ${seeds} histories played, ${violations} violations`);
  },
  clear() {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  },
};
