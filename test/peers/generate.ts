import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { keptTrue, pageOf, type Tallies } from './page.ts';
import { isPeer, type PeerName, peerNames } from './peers.ts';
import { type Tally, tally } from './tally.ts';

/*
 * Writes docs/peers.md: npm run peers -- [--seeds 200] [--print]. With --only it is the child of itself that plays one
 * peer, and prints what it counted.
 */

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    print: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const count = Number(values.seeds);
if (!Number.isSafeInteger(count) || count < keptTrue)
  throw new RangeError(`--seeds ${values.seeds}: a whole number from ${keptTrue} is needed.`);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const program = fileURLToPath(import.meta.url);

if (values.only === undefined) {
  const [all, few] = [await playAll(count), await playAll(keptTrue)];
  const page = pageOf(count, all, few);
  if (values.print) console.log(page);
  else writeFileSync(new URL('../../docs/peers.md', import.meta.url), page);
} else {
  if (!isPeer(values.only)) throw new RangeError(`--only ${values.only}: no peer has this name.`);
  console.log(JSON.stringify(await tally(values.only, upTo(count))));
}

/** A process for each peer, as many at once as there are cores. */
async function playAll(seeds: number): Promise<Tallies> {
  const left = [...peerNames];
  const found: [PeerName, Tally][] = [];
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      found.push([name, await playOne(name, seeds)]);
      console.error(`${name}: seeds 1 to ${seeds} are played`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return Object.fromEntries(found) as Tallies;
}

function playOne(name: PeerName, seeds: number): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const words = [...process.execArgv, program, '--only', name, '--seeds', String(seeds)];
    execFile(process.execPath, words, (error, stdout) => {
      if (error === null) resolve(JSON.parse(stdout) as Tally);
      else reject(error);
    });
  });
}
