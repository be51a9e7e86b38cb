import { setTimeout as pause } from 'node:timers/promises';
import type { EventSourceFaults } from 'sluice/local';
import type { World } from '../world/index.ts';
import type { FaultPlan } from './faults.ts';
import type { Monitor } from './monitor.ts';
import type { Stage } from './stage.ts';

/** How often a kill looks for a busy worker, in milliseconds. */
const lookEvery = 10;

/** How long a kill looks for a busy worker, and a loss for an acknowledgement, in milliseconds. */
const lookFor = 20_000;

/** How often the fraud service is asked whether anybody met its outage, in milliseconds. */
const askEvery = 100;

/** The faults of a run while they happen. */
export interface Injection {
  /** Settles when every planned fault has happened, or could not. */
  readonly done: Promise<void>;
  /** Workers killed so far. */
  killed(): number;
  /** Acknowledgements lost so far. */
  lost(): number;
}

/** An acknowledgement that can be told to be lost. */
export interface Loss {
  /** What the event sources are given. */
  readonly faults: EventSourceFaults;
  /**
   * The next acknowledgement of this event source is lost; resolves to `true` when it was. When the signal aborts before,
   * none is lost any more, and it resolves to `false`.
   */
  lose(eventSourceId: string, signal: AbortSignal): Promise<boolean>;
}

/** Makes the fault that loses acknowledgements: it sleeps until it is told to lose one. */
export function createLoss(): Loss {
  const armed = new Map<string, () => void>();
  return {
    faults: {
      beforeAcknowledge(eventSourceId) {
        const happened = armed.get(eventSourceId);
        if (happened === undefined) return 'deliver';
        armed.delete(eventSourceId);
        happened();
        return 'lose';
      },
    },
    lose: (eventSourceId, signal) =>
      new Promise((resolve) => {
        const giveUp = () => {
          armed.delete(eventSourceId);
          resolve(false);
        };
        if (signal.aborted) return resolve(false);
        signal.addEventListener('abort', giveUp, { once: true });
        armed.set(eventSourceId, () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        });
      }),
  };
}

/** Carries out a plan; moments count from the call. */
export function injectFaults(options: {
  readonly plan: FaultPlan;
  readonly stage: Pick<Stage, 'kill' | 'lose'>;
  readonly world: Pick<World, 'setFraudDown' | 'refusedAssessments'>;
  readonly monitor: Pick<Monitor, 'note' | 'trouble'>;
  /** How long a fault may wait for its occasion, in milliseconds. */
  readonly lookFor?: number;
  readonly signal: AbortSignal;
}): Injection {
  const { plan, stage, world, monitor, signal, lookFor: patience = lookFor } = options;
  let killed = 0;
  let lost = 0;
  const wait = (length: number) => pause(length, undefined, { signal });

  const kill = async (at: number, subscriber: string) => {
    await wait(at);
    for (let waited = 0; waited < patience; waited += lookEvery) {
      if (await stage.kill(subscriber)) {
        killed += 1;
        return monitor.note('kill', `${subscriber}: a worker was killed in mid-batch`, subscriber);
      }
      await wait(lookEvery);
    }
    monitor.note('note', `${subscriber}: no worker was busy, so none could be killed`, subscriber);
  };
  const outage = async (from: number, to: number) => {
    await wait(from);
    world.setFraudDown(true);
    monitor.trouble('fraud', 'the fraud service is down');
    monitor.note('outage', 'the fraud service went down', 'fraud');
    await wait(to - from);
    // On a busy machine nobody may have asked yet: an outage that nobody met would prove nothing.
    for (let waited = 0; waited < patience && (await world.refusedAssessments()) === 0; waited += askEvery)
      await wait(askEvery);
    world.setFraudDown(false);
    monitor.trouble('fraud', undefined);
    monitor.note('recovery', 'the fraud service is up again', 'fraud');
  };
  const loseAcknowledgement = async (at: number, subscriber: string) => {
    await wait(at);
    // Held by its timer: a signal of AbortSignal.timeout that only AbortSignal.any knows can be collected, and never fires.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), patience);
    const givenUp = AbortSignal.any([signal, late.signal]);
    const wasLost = await stage.lose(subscriber, givenUp);
    clearTimeout(timer);
    if (wasLost) {
      lost += 1;
      monitor.note('lost-acknowledgement', `${subscriber}: an acknowledgement was lost`, subscriber);
    } else
      monitor.note('note', `${subscriber}: nothing was acknowledged, so nothing could be lost`, subscriber);
  };
  const faults = [
    ...plan.kills.map(({ at, subscriber }) => kill(at, subscriber)),
    plan.fraudDown && outage(plan.fraudDown.from, plan.fraudDown.to),
    plan.lostAcknowledgement &&
      loseAcknowledgement(plan.lostAcknowledgement.at, plan.lostAcknowledgement.subscriber),
  ];
  // Ended by the signal, the faults that have not happened are of no more interest.
  const done = Promise.all(faults).then(
    () => {},
    (error: Error) => {
      if (error.name !== 'AbortError') throw error;
    },
  );
  return { done, killed: () => killed, lost: () => lost };
}
