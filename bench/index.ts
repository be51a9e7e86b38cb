import { Argument, Command, Option } from 'commander';
import { enterLocal } from '../bin/environment.ts';
import { calls } from './calls/index.ts';
import { endpoint } from './endpoint/index.ts';
import { summary } from './goal.ts';
import type { Table } from './part.ts';
import { printed } from './print.ts';
import { recovery } from './recovery/index.ts';
import { run } from './run/index.ts';
import { runtime } from './runtime/index.ts';
import { servers } from './servers/index.ts';
import { size } from './size/index.ts';
import { synth } from './synth/index.ts';

const parts = [runtime, calls, size, recovery, endpoint, run, servers, synth];

const program = new Command('bench')
  .description('What sluice costs, and how that compares with its peers in the same run.')
  .addArgument(new Argument('[part]', 'as --only').choices(parts.map(({ name }) => name)))
  .addOption(new Option('--only <name>', 'measure one part alone').choices(parts.map(({ name }) => name)))
  .option('--quick', 'fewer rounds of fewer messages; rough digits')
  .option('--json', 'print the figures as JSON')
  .addHelpText(
    'after',
    `\nParts:\n${parts.map(({ name, description }) => `  ${name}: ${description}`).join('\n')}`,
  )
  .parse();
const { quick, json, ...chosen } = program.opts<{ only?: string; quick?: boolean; json?: boolean }>();
const only = chosen.only ?? program.args[0];

enterLocal(process.env);
// What the SDK says about this version of Node is for whoever develops with it, not for whoever measures.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

const results: Record<string, readonly Table[]> = {};
for (const { name, measure } of parts) {
  if (only !== undefined && only !== name) continue;
  const tables = await measure({
    quick: quick ?? false,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  results[name] = tables;
  if (!json) for (const table of tables) process.stdout.write(`${printed(table)}\n`);
}
const goals = Object.values(results).flatMap((tables) => tables.flatMap((table) => table.goals ?? []));
if (goals.length > 0) process.stderr.write(`${summary(goals)}\n`);
if (json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
