import type { Effect, Letter, Sent, SubscriberEvidence } from './evidence.ts';

/** A letter, and the messages whose body it has byte for byte; none when only its id and source are known. */
export interface MatchedLetter {
  readonly letter: Letter;
  readonly originals: readonly Sent[];
}

/** One event as a subscriber has to treat it, however often it was sent, and what became of it. */
export interface Expected {
  readonly id: string;
  readonly source: string;
  readonly group: string | undefined;
  readonly sequence: string | undefined;
  /** Its place in the order of acceptance. */
  readonly place: number;
  readonly fate: Sent['fate'];
  readonly effect: Sent['effect'];
  /** Allowed reasons of a letter; `undefined` allows each. */
  readonly reasons: ReadonlySet<string> | undefined;
  readonly sent: readonly Sent[];
  /** How often its effect happened. */
  effects: number;
  readonly letters: MatchedLetter[];
}

/** What was sent, with what was found put to it. */
export interface Case {
  readonly evidence: SubscriberEvidence;
  readonly events: readonly Expected[];
  readonly byId: ReadonlyMap<string, readonly Expected[]>;
  /** Effects of ids that nobody sent. */
  readonly strayEffects: readonly Effect[];
  /** Letters that are no message that was sent, not even by id and source. */
  readonly strayLetters: readonly Letter[];
}

/** Puts effects and letters to the events that they belong to. */
export function openCase(evidence: SubscriberEvidence): Case {
  const events = eventsOf(evidence.sent);
  const byId = listed(events, ({ id }) => id);
  const strayLetters = giveLetters(evidence.letters, events, byId);
  const strayEffects = giveEffects(evidence.happened, byId);
  return { evidence, events, byId, strayEffects, strayLetters };
}

/**
 * Source and id name an event. Another payload under a name that is taken has a fate of its own: a letter that says
 * `conflict`, and nothing else.
 */
function eventsOf(sent: readonly Sent[]): Expected[] {
  const places = new Map(sent.map((message, place) => [message, place]));
  const named = listed(sent, (message) => {
    const conflicts =
      message.fate === 'letter' && message.reasons?.length === 1 && message.reasons[0] === 'conflict';
    return JSON.stringify([message.source, message.id, conflicts ? message.body : '']);
  });
  return [...named.values()].map((copies) => {
    const [first] = copies as [Sent, ...Sent[]];
    const open = copies.some(({ reasons }) => reasons === undefined);
    return {
      id: first.id,
      source: first.source,
      group: first.group,
      sequence: first.sequence,
      place: places.get(first) as number,
      fate: copies.every(({ fate }) => fate === first.fate) ? first.fate : 'either',
      effect: first.effect,
      reasons: open ? undefined : new Set(copies.flatMap(({ reasons = [] }) => reasons)),
      sent: copies,
      effects: 0,
      letters: [],
    };
  });
}

/** By the body; a body that nobody sent by its id and source, so that it is not taken for a lost event as well. */
function giveLetters(
  letters: readonly Letter[],
  events: readonly Expected[],
  byId: ReadonlyMap<string, readonly Expected[]>,
): Letter[] {
  const byBody = new Map<string, Expected[]>();
  for (const event of events)
    for (const body of new Set(event.sent.map((message) => message.body))) push(byBody, body, event);
  const strays: Letter[] = [];
  for (const letter of letters) {
    const candidates = byBody.get(letter.body) ?? named(letter.body, byId);
    // Bodies that several messages have, such as those that are no event: to each its own.
    const event = candidates.reduce<Expected | undefined>(
      (best, next) => (best === undefined || suits(letter, next) < suits(letter, best) ? next : best),
      undefined,
    );
    if (event === undefined) strays.push(letter);
    else event.letters.push({ letter, originals: event.sent.filter(({ body }) => body === letter.body) });
  }
  return strays;
}

const suits = (letter: Letter, event: Expected): number =>
  event.letters.length * 2 + (letter.group === undefined || letter.group === event.group ? 0 : 1);

function named(body: string, byId: ReadonlyMap<string, readonly Expected[]>): readonly Expected[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [];
  }
  const { id, source } = (value ?? {}) as { readonly id?: unknown; readonly source?: unknown };
  return (byId.get(String(id)) ?? []).filter((event) => event.source === source);
}

/** Stores know ids alone: events of several sources under one id have one effect each. */
function giveEffects(happened: readonly Effect[], byId: ReadonlyMap<string, readonly Expected[]>): Effect[] {
  const strays: Effect[] = [];
  for (const effect of happened) {
    const events = byId.get(effect.id) ?? [];
    const able = events.filter(({ fate }) => fate !== 'letter');
    const next = able.find(({ effects, letters }) => effects === 0 && letters.length === 0);
    const event = next ?? able.find(({ effects }) => effects === 0) ?? able[0] ?? events[0];
    if (event === undefined) strays.push(effect);
    else event.effects++;
  }
  return strays;
}

/** Lists of items by a key, each in the items' order. */
export function listed<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const lists = new Map<string, Item[]>();
  for (const item of items) push(lists, key(item), item);
  return lists;
}

function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
