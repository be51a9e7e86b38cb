import { type Played, shrink } from '../../ops/simulation/index.ts';
import { type PeerName, playPeer, setUps } from './peers.ts';
import { type Counted, countedOf, type Row, rows } from './tally.ts';
import { withVirtualClock } from './virtual.ts';

/** What a command asks for. */
export interface Asked {
  readonly peer: PeerName;
  readonly seed: number;
  /** Which kind of violation is told; the first that there is, where nobody says. */
  readonly kind?: Row | undefined;
  /** The whole history instead of a shorter one in which the same happens. */
  readonly whole?: boolean | undefined;
}

/** Histories that are played on the way to a short one. */
const mostPlays = 80;

/** Tells what happens to a peer in the history of a seed: the violation, and the story that leads to it. */
export async function tell({ peer, seed, kind, whole = false }: Asked): Promise<string> {
  const played = await playPeer(seed, peer);
  const counted = countedOf(peer, played);
  const chosen = counted.find(({ row }) => (kind === undefined ? row !== 'silent' : row === kind));
  const sum = (Object.keys(rows) as Row[]).flatMap((row) => {
    const count = counted.filter((each) => each.row === row).length;
    return count === 0 ? [] : [`${count} ${rows[row]}`];
  });
  const head = [
    `seed ${seed} with ${peer}: ${played.counts.deliveries} messages, ${played.counts.handlerRuns} runs of handlers, ${played.counts.faults} faults`,
    ...(sum.length === 0 ? ['no violation'] : sum),
  ];
  if (chosen === undefined || whole || chosen.row === 'silent')
    return [...head, '', ...played.story].join('\n');
  const { story, size } = await shortStory(peer, seed, chosen);
  return [...head, '', `${chosen.subscriber}: ${chosen.text}`, size, '', ...story].join('\n');
}

async function shortStory(peer: PeerName, seed: number, violation: Counted) {
  const { row, subscriber, id } = violation;
  const shows = (played: Played) =>
    countedOf(peer, played).some(
      (each) => each.row === row && each.subscriber === subscriber && each.id === id,
    );
  // Bounded by plays alone: by time it would differ from machine to machine.
  const bounds = { plays: mostPlays, time: Number.POSITIVE_INFINITY, shows };
  const { played, left, of } = await withVirtualClock(() => shrink(seed, setUps[peer], violation, bounds));
  const size = `a shorter history in which the same happens, ${left} of ${of} publishes and troubles:`;
  // Of the others nothing is told: only lines of this subscriber, and those of all.
  const others = played.evidence.subscribers
    .map(({ subscriber }) => subscriber)
    .filter((name) => name !== violation.subscriber);
  const story = played.story.filter((line) => !others.some((name) => line.includes(name)));
  return { story, size };
}
