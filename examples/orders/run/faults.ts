import type { Random } from 'sluice';
import { orders as messaging } from '../topology.ts';

/** What goes wrong in a run, planned before it starts. Moments are milliseconds from the first arrival. */
export interface FaultPlan {
  /** A busy worker of the subscriber is killed. */
  readonly kills: readonly { readonly at: number; readonly subscriber: string }[];
  /** An acknowledgement of the subscriber's queue is lost: the work is done, the message comes again. */
  readonly lostAcknowledgement?: { readonly at: number; readonly subscriber: string };
  /** The part of the messages that standard queues deliver twice, 0 to 1. */
  readonly duplicateRate: number;
  /** Positions of orders that are published a second time, as if their first publish had been forgotten. */
  readonly publishedTwice?: readonly number[];
  /** When a body that is no event is published. */
  readonly poisonAt?: number;
  /** The position of the order that the payment provider cannot process, ever. */
  readonly brokenOrder?: number;
  /** When the fraud service is down. */
  readonly fraudDown?: { readonly from: number; readonly to: number };
}

/** A run without faults. */
export const noFaults: FaultPlan = { kills: [], duplicateRate: 0 };

/** What can go wrong on purpose. */
export type FaultKind =
  | 'workerKills'
  | 'lostAcknowledgement'
  | 'duplicates'
  | 'poison'
  | 'failingOrder'
  | 'outage';

/** A fault as it was planned, and as it was seen to happen. */
export interface FaultCount {
  /** How often; of `duplicates`, which are a matter of chance, how many are to be expected. */
  readonly planned: number;
  readonly happened: number;
}

/**
 * How often each fault is to happen. A message of a standard queue that is delivered twice is, by even chances, shown to
 * two workers at once or still there after it was deleted; only the second can be counted from outside.
 */
export function plannedFaults(plan: FaultPlan, orders: number): Readonly<Record<FaultKind, number>> {
  return {
    workerKills: plan.kills.length,
    lostAcknowledgement: plan.lostAcknowledgement === undefined ? 0 : 1,
    duplicates:
      Math.round((plan.duplicateRate * orders * standardQueues) / 2) + (plan.publishedTwice?.length ?? 0),
    poison: plan.poisonAt === undefined ? 0 : 1,
    failingOrder: plan.brokenOrder === undefined ? 0 : 1,
    outage: plan.fraudDown === undefined ? 0 : 1,
  };
}

const standardQueues = Object.values(messaging.subscribers).filter(({ fifo }) => !fifo).length;

/** How long the fraud service is down, in seconds; in a shorter run as long as the run, but long enough to be noticed. */
const outageSeconds = { most: 20, least: 3 } as const;

/**
 * The part of the messages of standard queues that is delivered twice. A run of few orders has more of them, so that
 * about {@link expected} can be counted: with a smaller number the chance of none would be no longer negligible.
 */
const duplicates = { rate: 0.002, highestRate: 0.1, expected: 20 } as const;

/**
 * The fewest orders with which a worker is surely seen at work, an acknowledgement under way and the fraud service asked
 * while it is down; they must also come at one a second or more.
 */
export const fewestOrders = 100;

/**
 * The default faults, the same for the same seed:
 *
 * - 6 kills of busy workers between 15 % and 60 % of the run: each subscriber once, payments twice;
 * - one acknowledgement of `email` lost at half time;
 * - 2 of 1,000 messages of standard queues delivered twice, more in a small run;
 * - one poison body at 30 %;
 * - one order among the first third that the payment provider answers with 500;
 * - the fraud service down for 20 seconds from 25 % on.
 *
 * A run of fewer than {@link fewestOrders} has the poison and the failing order only: the others could miss it.
 */
export function defaultFaults(seconds: number, orders: number, random: Random): FaultPlan {
  const length = seconds * 1000;
  const always = {
    poisonAt: 0.3 * length,
    brokenOrder: Math.floor(random.next() * Math.ceil(orders / 3)),
  };
  if (orders < Math.max(fewestOrders, seconds)) return { ...noFaults, ...always };
  const between = (from: number, to: number) => (from + random.next() * (to - from)) * length;
  const victims = ['payments', 'inventory', 'email', 'payments', 'analytics', 'fraud'];
  const kills = victims
    .map((subscriber, index) => {
      const slot = 0.45 / victims.length;
      return { at: between(0.15 + index * slot, 0.15 + (index + 1) * slot), subscriber };
    })
    .sort((a, b) => a.at - b.at);
  const down = 0.25 * length;
  const downFor = Math.max(outageSeconds.least, Math.min(outageSeconds.most, seconds)) * 1000;
  const enough = (2 * duplicates.expected) / (orders * standardQueues);
  return {
    ...always,
    kills,
    lostAcknowledgement: { at: 0.5 * length, subscriber: 'email' },
    duplicateRate: Math.min(duplicates.highestRate, Math.max(duplicates.rate, enough)),
    fraudDown: { from: down, to: down + downFor },
  };
}
