import {
  type Evidence,
  judge,
  type Letter,
  type Played,
  type Violation,
} from '../../ops/simulation/index.ts';
import { type PeerName, playPeer } from './peers.ts';

/** What is counted, in the order of the page. */
export const rows = {
  lost: 'lost: neither an effect nor a dead letter',
  doubled: 'doubled: the effect happened more than once',
  reordered: 'reordered: against the order of its group, on a FIFO queue',
  phantom: 'phantom: an effect of what should have none',
  stuck: 'stuck: still in the queue when nothing fails any more',
  letter: 'wrongly dead-lettered: it was done, or could have been',
  afterEffect: 'apart: done again, or dead-lettered, because the handler failed after its effect',
  conflict: 'apart: another payload under a known id, dropped as a duplicate',
  silent: 'apart: dead letters that do not say why',
} as const;

/** A kind of what is counted. */
export type Row = keyof typeof rows;

/** Whether a text names one. */
export const isRow = (name: string | undefined): name is Row =>
  name !== undefined && Object.hasOwn(rows, name);

/** A violation, under the row that it is counted in. */
export interface Counted extends Violation {
  readonly row: Row;
}

/** What a number of seeds came to. */
export interface Tally {
  readonly messages: number;
  readonly runs: number;
  readonly faults: number;
  readonly found: Readonly<Record<Row, { readonly count: number; readonly first: number | undefined }>>;
}

/** Plays seeds with a peer, and counts. */
export async function tally(name: PeerName, seeds: readonly number[]): Promise<Tally> {
  const found = Object.fromEntries(
    Object.keys(rows).map((row) => [row, { count: 0, first: undefined as number | undefined }]),
  ) as Record<Row, { count: number; first: number | undefined }>;
  const sums = { messages: 0, runs: 0, faults: 0 };
  for (const seed of seeds) {
    const played = await playPeer(seed, name);
    sums.messages += played.counts.deliveries;
    sums.runs += played.counts.handlerRuns;
    sums.faults += played.counts.faults;
    for (const { row } of countedOf(name, played)) {
      found[row].count += 1;
      found[row].first ??= seed;
    }
  }
  return { ...sums, found };
}

/**
 * The violations of a history, each under its row. Nobody but sluice says in a dead letter why it is one: that is counted
 * apart, and what a letter would have to say is filled in, so that only letters count that should not be there.
 */
export function countedOf(name: PeerName, { evidence, violations }: Played): Counted[] {
  if (name === 'sluice') return violations.map((each) => ({ ...each, row: rowOf(each, evidence) }));
  const silent = evidence.subscribers.flatMap(({ subscriber, letters }) =>
    letters.map(
      ({ body }): Counted => ({
        row: 'silent',
        kind: 'letter',
        subscriber,
        text: `the dead letter ${body.slice(0, 60)}... does not say why it is one`,
      }),
    ),
  );
  return [
    ...judge(withReasons(evidence)).map((each) => ({
      ...each,
      text: each.text.replace(/ \(reason [^)]*\)$/, ''),
      row: rowOf(each, evidence),
    })),
    ...silent,
  ];
}

function rowOf({ kind, subscriber, id }: Violation, { subscribers }: Evidence): Row {
  const own = subscribers.find((each) => each.subscriber === subscriber);
  // Its first payload was done before the other was sent: only the other can be missing.
  if (kind === 'lost' && own?.happened.some((effect) => effect.id === id)) return 'conflict';
  const sent = own?.sent.find((each) => each.id === id);
  if ((kind === 'doubled' || kind === 'letter') && natureOf(sent?.body) === 'flakyAfter')
    return 'afterEffect';
  return kind === 'parked' ? 'stuck' : kind;
}

function natureOf(body: string | undefined): unknown {
  // Bodies that are no event are sent on purpose.
  if (body === undefined || !body.startsWith('{')) return undefined;
  return (JSON.parse(body) as { readonly data?: { readonly nature?: unknown } }).data?.nature;
}

function withReasons({ subscribers }: Evidence): Evidence {
  return {
    subscribers: subscribers.map((each) => ({
      ...each,
      letters: each.letters.map((letter): Letter => {
        const reasons = each.sent.find(({ body }) => body === letter.body)?.reasons;
        const said = {
          reason: reasons?.[0] ?? 'attempts',
          attempts: 1,
          error: 'not said',
          firstFailedAt: '2026-01-01T00:00:00Z',
          failedAt: '2026-01-01T00:00:00Z',
          subscriber: each.subscriber,
        };
        return { ...letter, attributes: { ...letter.attributes, 'sluice-failure': JSON.stringify(said) } };
      }),
    })),
  };
}
