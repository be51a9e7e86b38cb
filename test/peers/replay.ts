import { parseArgs } from 'node:util';
import { isPeer, peerNames } from './peers.ts';
import { tell } from './story.ts';
import { isRow, rows } from './tally.ts';

/*
 * Plays one history again with a peer, and tells what went wrong:
 *
 *   npx tsx test/peers/replay.ts --peer powertools --seed 7 [--kind doubled] [--whole]
 */

function read() {
  const { values } = parseArgs({
    options: {
      peer: { type: 'string' },
      seed: { type: 'string' },
      kind: { type: 'string' },
      whole: { type: 'boolean', default: false },
    },
  });
  const { peer, kind, whole } = values;
  const seed = Number(values.seed);
  if (!isPeer(peer)) throw new RangeError(`--peer ${peer}: one of ${peerNames.join(', ')} is needed.`);
  if (!Number.isSafeInteger(seed) || seed < 1)
    throw new RangeError(`--seed ${values.seed}: a whole number from 1 is needed.`);
  if (kind !== undefined && !isRow(kind))
    throw new RangeError(`--kind ${kind}: one of ${Object.keys(rows).join(', ')} is needed.`);
  return { peer, seed, kind, whole };
}

/** What was typed, or nothing when it was wrong, which is said in one line. */
function typed() {
  try {
    return read();
  } catch (error) {
    console.error(`replay: ${(error as Error).message}`);
    process.exitCode = 2;
    return undefined;
  }
}

const command = typed();
if (command !== undefined) console.log(await tell(command));
