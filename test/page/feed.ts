import { milliseconds, seconds } from '../../lib/base/index.ts';
import type { RunFeed, RunSample, RunState, RunUpdate } from '../../local/page/index.ts';

const start = 1_767_225_600_000;

/** A feed whose seconds a test plays. */
export interface PlayedFeed extends RunFeed {
  publish(update: RunUpdate): void;
  readonly listeners: ReadonlySet<(update: RunUpdate) => void>;
}

export function playedFeed(state: RunState, samples: RunSample[] = []): PlayedFeed {
  let present = state;
  const listeners = new Set<(update: RunUpdate) => void>();
  return {
    listeners,
    state: () => present,
    samples: () => samples,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    publish(update) {
      present = update.state;
      if (update.sample) samples.push(update.sample);
      for (const listener of listeners) listener(update);
    },
  };
}

const names = ['payments', 'inventory', 'email', 'analytics', 'fraud'];
const acts = ['payment provider', 'stock table', 'mail server', 'revenue table', 'fraud service'];

/** The state of a run some seconds after its start. */
export function runState(changes: Partial<RunState> = {}): RunState {
  return {
    title: 'orders: 40,000 in 90 s',
    phase: 'publishing',
    message: 'orders arrive',
    startedAt: milliseconds(start),
    at: milliseconds(start + 40_000),
    publishingSince: milliseconds(start),
    topology: {
      name: 'orders',
      topics: [{ name: 'orders', fifo: true }],
      subscribers: names.map((name, index) => ({
        name,
        topic: 'orders',
        fifo: index < 2,
        lag: seconds(name === 'fraud' ? 15 : 60),
        concurrency: 5,
        batchSize: 10,
        attempts: 5,
        acts: acts[index] as string,
      })),
    },
    publisher: {
      planned: 40_000,
      published: 21_500,
      failed: 0,
      refused: 0,
      latencyMs: { p50: 3.2, p99: 11.8, max: 31 },
    },
    subscribers: names.map((name, index) => ({
      name,
      arrived: 21_500,
      completed: 20_000 - index * 300,
      duplicatesSuppressed: index * 7,
      retried: 0,
      deadLetters: name === 'payments' ? [{ reason: 'undecodable', count: 1 }] : [],
      peakBacklog: 4_000 + index * 100,
      peakLagSeconds: seconds(6 + index),
      ...(name === 'fraud' ? { trouble: 'the fraud service is down' } : {}),
    })),
    alarms: [
      {
        name: 'orders-payments-E-dead-letters',
        subscriber: 'payments',
        state: 'ALARM',
        since: milliseconds(start + 30_000),
        reason: 'Threshold Crossed',
        changes: [{ at: milliseconds(start + 30_000), from: 'OK', to: 'ALARM' }],
      },
      {
        name: 'orders-email-A-lag',
        subscriber: 'email',
        state: 'OK',
        since: milliseconds(start),
        reason: '',
        changes: [],
      },
    ],
    incidents: [
      {
        at: milliseconds(start + 12_000),
        kind: 'kill',
        subscriber: 'payments',
        text: 'payments: a worker was killed in mid-batch',
      },
      {
        at: milliseconds(start + 20_000),
        kind: 'outage',
        subscriber: 'fraud',
        text: 'the fraud service went <b>down</b>',
      },
    ],
    ...changes,
  };
}

/** One second of a burst that builds up and drains. */
export function runSample(second: number): RunSample {
  const wave = Math.max(0, Math.sin((second / 60) * Math.PI));
  return {
    at: milliseconds(start + second * 1000),
    published: Math.round(300 + 700 * wave),
    publishP99Ms: 4 + 10 * wave,
    subscribers: names.map((_name, index) => ({
      backlog: Math.round(4_000 * wave) + index * 20,
      inFlight: 50,
      oldestSeconds: seconds(6 * wave + index * 3),
      arrived: Math.round(300 + 700 * wave),
      completed: 440,
      duplicatesSuppressed: 0,
      deadLettered: 0,
    })),
  };
}
