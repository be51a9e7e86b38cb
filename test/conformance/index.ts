import { Command, Option } from 'commander';
import { enterLocal, isLoopbackUrl } from '../../bin/environment.ts';
import { serverNames } from '../servers/names.ts';
import { groups } from './cases/index.ts';
import { playAll } from './run.ts';
import { foreignStage, modelStage } from './stages.ts';

const program = new Command('conformance')
  .description('Plays the cases that the stack depends on against a server, and says where it differs.')
  .addOption(
    new Option('--server <name>', 'what is asked').choices([...serverNames, 'aws']).makeOptionMandatory(),
  )
  .option('--endpoint <url>', 'a server that runs already, on this machine (default: one is started)')
  .addOption(new Option('--only <group>', 'play one group alone').choices(groups.map(({ name }) => name)))
  .option('--json', 'print the results as JSON')
  .parse();
const { server, endpoint, only, json } = program.opts<{
  server: (typeof serverNames)[number] | 'aws';
  endpoint?: string;
  only?: string;
  json?: boolean;
}>();
enterLocal(process.env);
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
if (endpoint !== undefined && !isLoopbackUrl(endpoint))
  program.error(`--endpoint is ${endpoint}; a server on this machine is allowed, http://127.0.0.1:4566.`, {
    exitCode: 2,
  });
if (server !== 'model' && endpoint === undefined)
  program.error(`--endpoint is missing: say where ${server} runs.`, { exitCode: 2 });

const wanted = groups.filter(({ name }) => only === undefined || name === only);
const stage = endpoint === undefined ? modelStage() : foreignStage(server, endpoint);
const cases = await playAll(stage, wanted, ({ id, status, note }) => {
  if (!json) process.stdout.write(`${status.padEnd(11)} ${id}${note === '' ? '' : `: ${note}`}\n`);
});
if (json) process.stdout.write(`${JSON.stringify({ server, cases }, undefined, 2)}\n`);
else {
  const count = (status: string) => cases.filter((each) => each.status === status).length;
  process.stdout.write(
    `${server}: ${count('pass')} pass, ${count('differs')} differ, ${count('unsupported')} not supported\n`,
  );
}
process.exitCode = cases.some(({ status }) => status === 'differs') ? 1 : 0;
