import type { Random } from 'sluice';

/** What goes wrong in a run, planned before it starts. Moments are milliseconds from the first arrival. */
export interface FaultPlan {
  /** A busy worker of the subscriber is killed. */
  readonly kills: readonly { readonly at: number; readonly subscriber: string }[];
  /** An acknowledgement of the subscriber's queue is lost: the work is done, the message comes again. */
  readonly lostAcknowledgement?: { readonly at: number; readonly subscriber: string };
  /** The part of the messages that standard queues deliver twice, 0 to 1. */
  readonly duplicateRate: number;
  /** When a body that is no event is published. */
  readonly poisonAt?: number;
  /** The position of the order that the payment provider cannot process, ever. */
  readonly brokenOrder?: number;
  /** When the fraud service is down. */
  readonly fraudDown?: { readonly from: number; readonly to: number };
}

/** A run without faults. */
export const noFaults: FaultPlan = { kills: [], duplicateRate: 0 };

/** How long the fraud service is down, in seconds; in a run that is shorter, as long as the run. */
const outageSeconds = 20;

/**
 * The default faults, the same for the same seed:
 *
 * - 6 kills of busy workers between 15 % and 60 % of the run: each subscriber once, payments twice;
 * - one acknowledgement of `email` lost at half time;
 * - 2 of 1,000 messages of standard queues delivered twice;
 * - one poison body at 30 %;
 * - one order among the first third that the payment provider answers with 500;
 * - the fraud service down for 20 seconds from 25 % on.
 */
export function defaultFaults(seconds: number, orders: number, random: Random): FaultPlan {
  const length = seconds * 1000;
  const between = (from: number, to: number) => (from + random.next() * (to - from)) * length;
  const victims = ['payments', 'inventory', 'email', 'payments', 'analytics', 'fraud'];
  const kills = victims
    .map((subscriber, index) => {
      const slot = 0.45 / victims.length;
      return { at: between(0.15 + index * slot, 0.15 + (index + 1) * slot), subscriber };
    })
    .sort((a, b) => a.at - b.at);
  const down = 0.25 * length;
  return {
    kills,
    lostAcknowledgement: { at: 0.5 * length, subscriber: 'email' },
    duplicateRate: 0.002,
    poisonAt: 0.3 * length,
    brokenOrder: Math.floor(random.next() * Math.ceil(orders / 3)),
    fraudDown: { from: down, to: down + Math.min(outageSeconds, seconds) * 1000 },
  };
}
