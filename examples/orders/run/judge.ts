import { customerKey, dayKey, mailAddress, shelfKey } from '../tables.ts';
import type { Order } from '../topology.ts';
import type { Assessment, Charge, Mail } from '../world/index.ts';

/**
 * What the judge is shown: what the shop sent, and what the effects' own stores hold. None of it comes from the
 * runtime's counters.
 */
export interface Evidence {
  /** The orders that the shop tried to publish, in the order in which they arrived. */
  readonly sent: readonly Order[];
  /**
   * Those of them whose publish failed: each may have been taken all the same, its answer lost. One that shows anywhere was
   * taken, and is judged as the others; one that shows nowhere was not.
   */
  readonly uncertain: ReadonlySet<number>;
  /** The provider's ledger. */
  readonly charges: readonly Charge[];
  /** The table of stock: each customer's list, in the order in which orders were put there, and what is left on each shelf. */
  readonly pickLists: ReadonlyMap<string, readonly PickedOrder[]>;
  readonly shelves: ReadonlyMap<string, number>;
  /** What was on each shelf before the first order. */
  readonly shelvesBefore: Readonly<Record<string, number>>;
  /** The table of revenue: its parts of days. */
  readonly revenue: ReadonlyMap<string, RevenuePart>;
  readonly mails: readonly Mail[];
  readonly assessments: readonly Assessment[];
  /** What lies in the dead-letter queues; without an order id when the body could not be read. */
  readonly deadLetters: readonly DeadLetter[];
}

/** An order on its customer's list. */
export interface PickedOrder {
  readonly orderId: number;
  /** Its pieces were not there: nothing was taken from the shelf. */
  readonly backOrdered: boolean;
}

/** The revenue of a part of a day. */
export interface RevenuePart {
  readonly orders: number;
  readonly pieces: number;
  readonly cents: number;
}

/** A message in a dead-letter queue. */
export interface DeadLetter {
  readonly subscriber: string;
  readonly reason: string;
  readonly orderId: number | undefined;
  /** The message as it was published. One that is delivered twice can be dead-lettered twice: the bodies are the same. */
  readonly body: string;
}

/** One thing that is wrong. */
export interface Finding {
  readonly subscriber: string;
  /** The order; missing when the store only holds sums. */
  readonly orderId?: number;
  readonly detail: string;
}

/** What the judge found. Numbers are orders (or, where a store holds only sums, orders of the sum). */
export interface Verdict {
  /** Effects in each subscriber's store, an order counted once. */
  readonly effects: Readonly<Record<string, number>>;
  /** Effects that there should be: orders sent, less its dead letters. */
  readonly expectedEffects: Readonly<Record<string, number>>;
  /** Sent, and neither done nor dead-lettered. */
  readonly lost: readonly Finding[];
  /** Done more than once. */
  readonly doubled: readonly Finding[];
  /** Done after a later order of the same customer, by a subscriber that keeps the order. */
  readonly reordered: readonly Finding[];
  /** Done, and never sent. */
  readonly phantom: readonly Finding[];
  /** Done, but not as it was sent: another amount, another customer. */
  readonly wrong: readonly Finding[];
  /** Seen twice by a system outside that knows no idempotency key: declared, counted, not a fault. */
  readonly repeated: readonly Finding[];
}

/**
 * Compares what was sent with what the stores hold.
 *
 * - `payments`: each order once in the ledger, under one key, in its customer's order, with the customer and the
 *   amount that were sent.
 * - `inventory`: each order once on its own customer's list, from the shelf or as a back order, in its customer's
 *   order; every shelf lighter by what was picked.
 * - `email`, `fraud`: each order at least once; more often is `repeated`, since neither knows an idempotency key. Each
 *   mail to the customer of the order.
 * - `analytics`: each part of a day holds exactly the orders, pieces and cents of what was sent.
 */
export function judge(given: Evidence): Verdict {
  const evidence = settleUncertain(given);
  const found: Findings = { lost: [], doubled: [], reordered: [], phantom: [], wrong: [], repeated: [] };
  const position = new Map(evidence.sent.map((order, index) => [order.orderId, index]));
  const dead = new Map<string, Set<number>>();
  for (const { subscriber, orderId } of evidence.deadLetters) {
    if (orderId === undefined) continue;
    const ids = dead.get(subscriber) ?? new Set();
    dead.set(subscriber, ids.add(orderId));
  }
  const court: Court = { evidence, found, position, dead };

  const picks = [...evidence.pickLists.values()];
  const effects = {
    payments: countEach(court, 'payments', evidence.charges, found.doubled),
    inventory: countEach(court, 'inventory', picks.flat(), found.doubled),
    email: countEach(court, 'email', evidence.mails, found.repeated),
    analytics: judgeRevenue(court),
    fraud: countEach(court, 'fraud', evidence.assessments, found.repeated),
  };
  judgeOrder(court, 'payments', evidence.charges);
  for (const list of picks) judgeOrder(court, 'inventory', list);
  judgeCharges(court);
  judgeMails(court);
  judgeLists(court);
  judgeShelves(court);
  const expectedEffects = Object.fromEntries(
    Object.keys(effects).map((name) => [
      name,
      evidence.sent.filter((order) => !dead.get(name)?.has(order.orderId)).length,
    ]),
  );
  return { effects, expectedEffects, ...found };
}

/** Leaves out the uncertain orders that show in no store and no dead-letter queue. */
function settleUncertain(evidence: Evidence): Evidence {
  if (evidence.uncertain.size === 0) return evidence;
  const seen = new Set<number | undefined>();
  for (const store of [evidence.charges, evidence.mails, evidence.assessments, evidence.deadLetters])
    for (const { orderId } of store) seen.add(orderId);
  for (const list of evidence.pickLists.values()) for (const { orderId } of list) seen.add(orderId);
  return {
    ...evidence,
    sent: evidence.sent.filter(({ orderId }) => !evidence.uncertain.has(orderId) || seen.has(orderId)),
  };
}

type Findings = Record<'lost' | 'doubled' | 'reordered' | 'phantom' | 'wrong' | 'repeated', Finding[]>;

interface Court {
  readonly evidence: Evidence;
  readonly found: Findings;
  /** Where in the sending order each order stands. */
  readonly position: ReadonlyMap<number, number>;
  /** Orders in each subscriber's dead-letter queue. */
  readonly dead: ReadonlyMap<string, ReadonlySet<number>>;
}

/** Counts the effects of each order: none is lost, several go to `several`, one that was never sent is a phantom. */
function countEach(
  { evidence, found, position, dead }: Court,
  subscriber: string,
  effects: readonly { readonly orderId: number }[],
  several: Finding[],
): number {
  const times = new Map<number, number>();
  for (const { orderId } of effects) times.set(orderId, (times.get(orderId) ?? 0) + 1);
  for (const [orderId, count] of times) {
    if (!position.has(orderId)) found.phantom.push({ subscriber, orderId, detail: 'done, never sent' });
    else if (count > 1) several.push({ subscriber, orderId, detail: `done ${count} times` });
  }
  for (const { orderId } of evidence.sent)
    if (!times.has(orderId) && !dead.get(subscriber)?.has(orderId))
      found.lost.push({ subscriber, orderId, detail: 'sent, neither done nor dead-lettered' });
  return times.size;
}

/** Walks the effects in the store's own order: within a customer, each must have been sent after the one before. */
function judgeOrder(
  { evidence, found, position }: Court,
  subscriber: string,
  effects: readonly { readonly orderId: number }[],
) {
  const latest = new Map<number, number>();
  for (const { orderId } of effects) {
    const index = position.get(orderId);
    // A phantom has no place in the order; it is reported as what it is.
    if (index === undefined) continue;
    const { customerId } = evidence.sent[index] as Order;
    const before = latest.get(customerId);
    if (before === undefined || index > before) latest.set(customerId, index);
    else if (index < before) {
      const later = (evidence.sent[before] as Order).orderId;
      found.reordered.push({
        subscriber,
        orderId,
        detail: `customer ${customerId}: done after order ${later}, which was sent later`,
      });
    }
  }
}

/** The order that an effect belongs to, as it was sent; a phantom has none, and is reported as what it is. */
const sentAs = ({ evidence, position }: Court, orderId: number): Order | undefined =>
  evidence.sent[position.get(orderId) ?? -1];

/** Each charge must be to the customer and over the amount that were sent. */
function judgeCharges(court: Court) {
  for (const { orderId, customerId, amountCents } of court.evidence.charges) {
    const order = sentAs(court, orderId);
    if (order === undefined) continue;
    if (customerId === order.customerId && amountCents === order.amountCents) continue;
    court.found.wrong.push({
      subscriber: 'payments',
      orderId,
      detail: `customer ${customerId} was asked for ${amountCents} cents; sent were ${order.amountCents} cents of customer ${order.customerId}`,
    });
  }
}

/** Each mail must have gone to the customer of its order. */
function judgeMails(court: Court) {
  for (const { orderId, to } of court.evidence.mails) {
    const order = sentAs(court, orderId);
    if (order === undefined || to === mailAddress(order.customerId)) continue;
    court.found.wrong.push({
      subscriber: 'email',
      orderId,
      detail: `mailed to ${to}, ordered by customer ${order.customerId}`,
    });
  }
}

/** An order must be on the list of its own customer. */
function judgeLists(court: Court) {
  for (const [key, list] of court.evidence.pickLists)
    for (const { orderId } of list) {
      const order = sentAs(court, orderId);
      if (order === undefined || customerKey(order.customerId) === key) continue;
      court.found.wrong.push({
        subscriber: 'inventory',
        orderId,
        detail: `on the list ${key}, ordered by customer ${order.customerId}`,
      });
    }
}

/** What is left on a shelf must be what was there, less the pieces of the orders that were picked from it. */
function judgeShelves(court: Court) {
  const { evidence, found } = court;
  const expected = new Map(Object.entries(evidence.shelvesBefore));
  const picked = [...evidence.pickLists.values()].flat().filter(({ backOrdered }) => !backOrdered);
  for (const orderId of new Set(picked.map((entry) => entry.orderId))) {
    const order = sentAs(court, orderId);
    if (order === undefined) continue;
    const key = shelfKey(orderId);
    expected.set(key, (expected.get(key) ?? 0) - order.quantity);
  }
  for (const [key, pieces] of expected) {
    const left = evidence.shelves.get(key) ?? 0;
    if (left === pieces) continue;
    const detail = `${key} holds ${left} pieces, ${pieces} would be right`;
    (left > pieces ? found.lost : found.doubled).push({ subscriber: 'inventory', detail });
  }
}

/** Compares each part of a day with what was sent; gives the number of orders counted. */
function judgeRevenue({ evidence, found, dead }: Court): number {
  const subscriber = 'analytics';
  const expected = new Map<string, RevenuePart>();
  for (const order of evidence.sent) {
    if (dead.get(subscriber)?.has(order.orderId)) continue;
    const key = dayKey(order.date, order.orderId);
    const sum = expected.get(key) ?? { orders: 0, pieces: 0, cents: 0 };
    expected.set(key, {
      orders: sum.orders + 1,
      pieces: sum.pieces + order.quantity,
      cents: sum.cents + order.amountCents,
    });
  }
  let counted = 0;
  for (const part of evidence.revenue.values()) counted += part.orders;
  for (const [key, wanted] of expected) {
    const part = evidence.revenue.get(key) ?? { orders: 0, pieces: 0, cents: 0 };
    const describe = (sum: RevenuePart) => `${sum.orders} orders, ${sum.pieces} pieces, ${sum.cents} cents`;
    const same =
      part.orders === wanted.orders && part.pieces === wanted.pieces && part.cents === wanted.cents;
    if (same) continue;
    const detail = `${key}: ${describe(part)}; sent were ${describe(wanted)}`;
    // Sums do not name orders: one finding for each order too few or too many.
    const difference = part.orders - wanted.orders;
    const list = difference === 0 ? found.wrong : difference < 0 ? found.lost : found.doubled;
    for (let count = 0; count < Math.max(1, Math.abs(difference)); count++) list.push({ subscriber, detail });
  }
  for (const [key, part] of evidence.revenue)
    if (!expected.has(key))
      found.phantom.push({ subscriber, detail: `${key}: ${part.orders} orders, none was sent` });
  return counted;
}
