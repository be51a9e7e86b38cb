/**
 * The judge of a simulation. It knows what was published and what the stores hold, and shares no code with the
 * runtime: neither its records nor its counters are evidence.
 */

/** An event that was published and accepted. */
export interface Expected {
  readonly id: string;
  /** Events of one group are listed in the order in which they were accepted. */
  readonly group: string;
  /** What is to become of it: its effect once, or a dead letter and no effect, or one of them and never both. */
  readonly fate: 'effect' | 'letter' | 'either';
}

/** What was found at one subscriber when everything had come to rest. */
export interface Finding {
  readonly subscriber: string;
  /** Whether its effects have an order within a group. */
  readonly ordered: boolean;
  readonly expected: readonly Expected[];
  /** Ids in the order in which the effects happened; an effect that happened twice is there twice. */
  readonly effects: readonly string[];
  /** Ids of the events in its dead-letter queue; `undefined` for a body that is no event. */
  readonly letters: readonly (string | undefined)[];
  /** How many bodies that are no events were accepted. */
  readonly poison: number;
  /** Messages that are still in its queue. */
  readonly left: number;
}

/** Everything that is wrong, in words; nothing when all promises were kept. */
export function judge(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) =>
    [...stuck(finding), ...fates(finding), ...order(finding)].map(
      (fault) => `${finding.subscriber}: ${fault}`,
    ),
  );
}

function* stuck({ left, poison, letters }: Finding): Generator<string> {
  if (left > 0) yield `${left} messages are stuck`;
  const found = letters.filter((id) => id === undefined).length;
  if (found < poison) yield `lost: ${poison - found} of ${poison} poison messages have no dead letter`;
}

function* fates({ expected, effects, letters }: Finding): Generator<string> {
  const times = new Map<string, number>();
  for (const id of effects) times.set(id, (times.get(id) ?? 0) + 1);
  const buried = new Set(letters);
  const known = new Set(expected.map(({ id }) => id));
  for (const { id, fate } of expected) {
    const count = times.get(id) ?? 0;
    if (count > 1) yield `doubled: the effect of ${id} happened ${count} times`;
    if (count === 0 && !buried.has(id)) yield `lost: ${id} has neither effect nor dead letter`;
    if (count > 0 && buried.has(id)) yield `contradicted: ${id} has its effect and a dead letter`;
    if (fate === 'effect' && count === 0 && buried.has(id)) yield `buried: ${id} could have been done`;
    if (fate === 'letter' && count > 0) yield `wrong: ${id} had to fail and has an effect`;
  }
  for (const id of times.keys()) if (!known.has(id)) yield `invented: nobody published ${id}`;
}

function* order({ ordered, expected, effects }: Finding): Generator<string> {
  if (!ordered) return;
  const places = new Map(expected.map(({ id, group }, place) => [id, { group, place }]));
  const last = new Map<string, { id: string; place: number }>();
  for (const id of effects) {
    const found = places.get(id);
    if (found === undefined) continue;
    const before = last.get(found.group);
    if (before !== undefined && before.place > found.place)
      yield `reordered: in group ${found.group} ${id} came after ${before.id}`;
    else last.set(found.group, { id, place: found.place });
  }
}
