import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Effect,
  judge,
  type Letter,
  type Sent,
  type SubscriberEvidence,
} from '../../../ops/simulation/judge/index.ts';
import { letterOf, message, subscriber } from './evidence.ts';

const reasons = ['permanent', 'attempts', 'crash'];

/** What became of one event of a history in which every promise was kept. */
interface Fate {
  readonly group: string;
  readonly fate: 'effect' | 'letter' | 'either';
  readonly effect: Sent['effect'];
  /** Where both are allowed: whether it has a letter. */
  readonly buried: boolean;
  readonly copies: number;
  /** Rank among all effects, as far as the order of groups leaves it open. */
  readonly rank: number;
}

const fates = fc.record<Fate>({
  group: fc.constantFrom('a', 'b', 'c'),
  fate: fc.constantFrom('effect', 'effect', 'effect', 'letter', 'either'),
  effect: fc.constantFrom('transaction', 'keyed', 'unkeyed'),
  buried: fc.boolean(),
  copies: fc.integer({ min: 1, max: 2 }),
  rank: fc.nat(1_000),
});

const posture = fc.record({
  fifo: fc.boolean(),
  effects: fc.constantFrom('exactlyOnceEffect', 'transactional', 'atLeastOnce', 'atMostOnce'),
  onDeadLetter: fc.constantFrom('halt', 'skip'),
  onUnknownOutcome: fc.constantFrom('retry', 'park'),
} satisfies { [Name in keyof SubscriberEvidence]?: fc.Arbitrary<SubscriberEvidence[Name]> });

type Posture = typeof posture extends fc.Arbitrary<infer Value> ? Value : never;

/** The evidence of a subscriber that kept its promises. */
function history(promised: Posture, drawn: readonly Fate[]): SubscriberEvidence {
  const sent: Sent[] = [];
  const done: { readonly id: string; readonly group: string; readonly rank: number }[] = [];
  const letters: Letter[] = [];
  const parked = new Set<string>();
  const waitingGroups: string[] = [];
  for (const [index, { group, fate, effect, buried, copies, rank }] of drawn.entries()) {
    const id = `e${index}`;
    const own = message(id, group, { fate, effect, ...(fate === 'effect' ? {} : { reasons }) });
    for (let copy = 0; copy < copies; copy++) sent.push({ ...own, body: own.body + ' '.repeat(copy) });
    if (parked.has(group)) {
      waitingGroups.push(group);
      continue;
    }
    if (fate === 'letter' || (fate === 'either' && buried)) {
      letters.push(letterOf(own, reasons[index % reasons.length]));
      if (promised.fifo && promised.onDeadLetter === 'halt') parked.add(group);
    } else done.push({ id, group, rank });
  }
  return subscriber({
    ...promised,
    sent,
    happened: (promised.fifo ? interleaved(done) : [...done].sort((one, other) => one.rank - other.rank)).map(
      ({ id }, at) => ({ id, at }),
    ),
    letters,
    waiting: waitingGroups.length,
    waitingGroups,
    parkedGroups: [...parked],
  });
}

/** Groups go on side by side, each in its order: who is next is the one whose head has the lowest rank. */
function interleaved<Item extends { readonly group: string; readonly rank: number }>(
  items: readonly Item[],
): Item[] {
  const left = [...items];
  const order: Item[] = [];
  while (left.length > 0) {
    const heads = left.filter((item) => left.find(({ group }) => group === item.group) === item);
    const next = heads.reduce((best, item) => (item.rank < best.rank ? item : best));
    order.push(...left.splice(left.indexOf(next), 1));
  }
  return order;
}

/** A fault at one place of a history; `undefined` where the history has no place for it. */
type Plant = (
  evidence: SubscriberEvidence,
  place: number,
) => { readonly broken: SubscriberEvidence; readonly id?: string | undefined } | undefined;

const at = <Item>(items: readonly Item[], place: number): Item | undefined =>
  items[place % Math.max(1, items.length)];
const sentOf = ({ sent }: SubscriberEvidence, id: string | undefined) => sent.find((each) => each.id === id);
const idOf = ({ body }: Letter): string => (JSON.parse(body) as { id: string }).id;
const changed = (evidence: SubscriberEvidence, place: number, change: (letter: Letter) => Letter) => {
  const letter = at(evidence.letters, place);
  if (letter === undefined) return undefined;
  const letters = evidence.letters.map((each) => (each === letter ? change(each) : each));
  return { broken: { ...evidence, letters }, id: idOf(letter) };
};
const withoutEffect = (evidence: SubscriberEvidence, effect: Effect): SubscriberEvidence => ({
  ...evidence,
  happened: evidence.happened.filter((each) => each !== effect),
});

const plants: readonly [name: string, kind: string, plant: Plant][] = [
  [
    'an effect did not happen',
    'lost',
    (evidence, place) => {
      const effect = at(evidence.happened, place);
      // A group that is parked may have a message of it in its queue as well.
      const group = sentOf(evidence, effect?.id)?.group ?? '';
      if (effect === undefined || evidence.effects === 'atMostOnce' || evidence.waitingGroups.includes(group))
        return undefined;
      return evidence.fifo || evidence.waiting === 0
        ? { broken: withoutEffect(evidence, effect), id: effect.id }
        : undefined;
    },
  ],
  [
    'a letter was not sent',
    'lost',
    (evidence, place) => {
      const letter = at(evidence.letters, place);
      if (letter === undefined || evidence.effects === 'atMostOnce' || evidence.parkedGroups.length > 0)
        return undefined;
      return {
        broken: { ...evidence, letters: evidence.letters.filter((each) => each !== letter) },
        id: idOf(letter),
      };
    },
  ],
  [
    'an effect of nothing',
    'phantom',
    (evidence) => ({
      broken: { ...evidence, happened: [...evidence.happened, { id: 'x', at: 0 }] },
      id: 'x',
    }),
  ],
  [
    'what must fail was done',
    'phantom',
    (evidence, place) => {
      const sent = at(
        evidence.sent.filter(({ fate }) => fate === 'letter'),
        place,
      );
      if (sent === undefined || evidence.parkedGroups.length > 0) return undefined;
      return {
        broken: { ...evidence, happened: [...evidence.happened, { id: sent.id, at: 0 }] },
        id: sent.id,
      };
    },
  ],
  [
    'an effect happened again',
    'doubled',
    (evidence, place) => {
      const effect = at(evidence.happened, place);
      const repeats =
        sentOf(evidence, effect?.id)?.effect === 'unkeyed' &&
        evidence.effects === 'exactlyOnceEffect' &&
        evidence.onUnknownOutcome === 'retry';
      if (effect === undefined || repeats || evidence.effects === 'atLeastOnce') return undefined;
      return { broken: { ...evidence, happened: [...evidence.happened, effect] }, id: effect.id };
    },
  ],
  [
    'neighbours of a group changed places',
    'reordered',
    (evidence, place) => {
      if (!evidence.fifo) return undefined;
      const first = at(evidence.happened, place);
      const group = sentOf(evidence, first?.id)?.group;
      const members = evidence.happened.filter(({ id }) => sentOf(evidence, id)?.group === group);
      const second = first && members[members.indexOf(first) + 1];
      if (first === undefined || second === undefined) return undefined;
      const happened = evidence.happened.map((each) =>
        each === first ? second : each === second ? first : each,
      );
      return { broken: { ...evidence, happened }, id: first.id };
    },
  ],
  [
    'a group goes on behind its dead letter',
    'reordered',
    (evidence, place) => {
      const group = at(evidence.parkedGroups, place);
      if (group === undefined || !evidence.waitingGroups.includes(group)) return undefined;
      const letter = evidence.sent.findIndex(({ body }) =>
        evidence.letters.some((each) => each.body === body && each.group === group),
      );
      const next = evidence.sent
        .slice(letter)
        .find(
          (each) => each.group === group && each.fate !== 'letter' && each.id !== evidence.sent[letter]?.id,
        );
      return (
        next && {
          broken: { ...evidence, happened: [...evidence.happened, { id: next.id, at: 0 }] },
          id: next.id,
        }
      );
    },
  ],
  [
    'a message was left',
    'stuck',
    (evidence, place) => {
      const effect = at(evidence.happened, place);
      const group = sentOf(evidence, effect?.id)?.group;
      if (effect === undefined || group === undefined || evidence.parkedGroups.includes(group))
        return undefined;
      const { waiting, waitingGroups } = evidence;
      const broken = {
        ...withoutEffect(evidence, effect),
        waiting: waiting + 1,
        waitingGroups: [...waitingGroups, group],
      };
      return { broken, id: effect.id };
    },
  ],
  [
    'a group was parked for nothing',
    'parked',
    (evidence) => {
      const group = ['a', 'b', 'c'].find((each) => evidence.letters.every((letter) => letter.group !== each));
      return group === undefined
        ? undefined
        : { broken: { ...evidence, parkedGroups: [...evidence.parkedGroups, group] } };
    },
  ],
  [
    'a letter without its reason',
    'letter',
    (evidence, place) =>
      changed(evidence, place, (letter) => ({
        ...letter,
        attributes: { ...letter.attributes, 'sluice-reason': '' },
      })),
  ],
  [
    'a letter with another reason',
    'letter',
    (evidence, place) =>
      changed(evidence, place, (letter) => ({
        ...letter,
        attributes: { ...letter.attributes, 'sluice-reason': 'schema' },
      })),
  ],
  [
    'a letter with another body',
    'letter',
    (evidence, place) =>
      changed(evidence, place, (letter) => ({ ...letter, body: letter.body.replace('{', '{ ') })),
  ],
  [
    'a letter without an original attribute',
    'letter',
    (evidence, place) =>
      changed(evidence, place, ({ attributes: { type, ...attributes }, ...letter }) => ({
        ...letter,
        attributes,
      })),
  ],
  [
    'a letter in another group',
    'letter',
    (evidence, place) =>
      evidence.onDeadLetter === 'halt'
        ? undefined
        : changed(evidence, place, (letter) => ({ ...letter, group: 'z' })),
  ],
  [
    'what could have been done was dead-lettered',
    'letter',
    (evidence, place) => {
      const effect = at(
        evidence.happened.filter(({ id }) => sentOf(evidence, id)?.fate === 'effect'),
        place,
      );
      const sent = sentOf(evidence, effect?.id);
      if (
        effect === undefined ||
        sent === undefined ||
        evidence.effects === 'atMostOnce' ||
        (evidence.fifo && evidence.onDeadLetter === 'halt')
      )
        return undefined;
      return {
        broken: { ...withoutEffect(evidence, effect), letters: [...evidence.letters, letterOf(sent)] },
        id: sent.id,
      };
    },
  ],
  [
    'done and dead-lettered',
    'letter',
    (evidence, place) => {
      const exclusive = evidence.effects === 'transactional' || evidence.effects === 'exactlyOnceEffect';
      const effect = at(
        evidence.happened.filter(
          ({ id }) =>
            sentOf(evidence, id)?.effect === 'transaction' &&
            // Sent again after its letter, it may be done.
            evidence.sent.filter((sent) => sent.id === id).length === 1,
        ),
        place,
      );
      const sent = sentOf(evidence, effect?.id);
      if (sent === undefined || !exclusive || (evidence.fifo && evidence.onDeadLetter === 'halt'))
        return undefined;
      return { broken: { ...evidence, letters: [...evidence.letters, letterOf(sent)] }, id: sent.id };
    },
  ],
];

const histories = fc
  .tuple(posture, fc.array(fates, { maxLength: 20 }))
  .map(([promised, drawn]) => history(promised, drawn));

describe('the judge of random histories', () => {
  test('finds nothing in one that kept every promise', () => {
    fc.assert(
      fc.property(histories, (evidence) => {
        expect(judge({ subscribers: [evidence] })).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test.each(plants)('%s: finds it, and no other', (_name, kind, plant) => {
    let planted = 0;
    fc.assert(
      fc.property(histories, fc.nat(1_000), (evidence, place) => {
        const fault = plant(evidence, place);
        if (fault === undefined) return;
        planted++;
        const found = judge({ subscribers: [evidence, fault.broken] });
        expect(found.map(({ text, ...each }) => each)).toEqual([
          { kind, subscriber: 'stock', ...(fault.id === undefined ? {} : { id: fault.id }) },
        ]);
      }),
      // The rarest can be planted in one of ten: so many that it cannot be missed by chance.
      { numRuns: 600 },
    );
    expect(planted).toBeGreaterThan(10);
  });
});
