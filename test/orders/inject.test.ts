import { describe, expect, it } from 'vitest';
import { type FaultPlan, noFaults } from '../../examples/orders/run/faults.ts';
import { createLoss, injectFaults } from '../../examples/orders/run/inject.ts';

/** Carries out a plan on a stack in which nothing goes on but what the test does. */
function inject(
  plan: Partial<FaultPlan>,
  options: { busy?: boolean; met?: () => number; signal?: AbortSignal } = {},
) {
  const notes: string[] = [];
  const loss = createLoss();
  const injection = injectFaults({
    plan: { ...noFaults, ...plan },
    stage: {
      kill: () => options.busy ?? false,
      lose: (_subscriber, signal) => loss.lose('source', signal),
    },
    world: {
      setFraudDown: (down) => notes.push(down ? 'down' : 'up'),
      refusedAssessments: async () => {
        notes.push('asked');
        return options.met?.() ?? 0;
      },
    },
    monitor: { note: (kind, text) => notes.push(`${kind}: ${text}`), trouble: () => {} },
    lookFor: options.met === undefined ? 30 : 10_000,
    signal: options.signal ?? new AbortController().signal,
  });
  return { injection, loss, notes };
}

describe('a fault is counted when it happened, not when it was planned', () => {
  const lostAcknowledgement = { at: 0, subscriber: 'email' };

  it('an acknowledgement that there was', async () => {
    const { injection, loss, notes } = inject({ lostAcknowledgement });
    const acknowledge = () => loss.faults.beforeAcknowledge?.('source', []);
    let answer = acknowledge();
    while (answer !== 'lose') {
      await new Promise((resolve) => setImmediate(resolve));
      answer = acknowledge();
    }
    await injection.done;
    expect(injection.lost()).toBe(1);
    expect(notes).toEqual(['lost-acknowledgement: email: an acknowledgement was lost']);
    expect(acknowledge()).toBe('deliver');
  });

  it('no acknowledgement in time: none is lost, then or later', async () => {
    const { injection, loss, notes } = inject({ lostAcknowledgement });
    await injection.done;
    expect(injection.lost()).toBe(0);
    expect(notes).toEqual(['note: email: nothing was acknowledged, so nothing could be lost']);
    expect(loss.faults.beforeAcknowledge?.('source', [])).toBe('deliver');
  });

  it('a kill that met a worker, and one that met none', async () => {
    const kills = [{ at: 0, subscriber: 'email' }];
    const met = inject({ kills }, { busy: true });
    await met.injection.done;
    expect(met.injection.killed()).toBe(1);
    const missed = inject({ kills });
    await missed.injection.done;
    expect(missed.injection.killed()).toBe(0);
    expect(missed.notes).toEqual(['note: email: no worker was busy, so none could be killed']);
  });

  it('an outage lasts until somebody met it', async () => {
    const fraudDown = { from: 0, to: 1 };
    let asked = 0;
    const { injection, notes } = inject({ fraudDown }, { met: () => asked++ });
    await injection.done;
    expect(notes.filter((note) => !note.includes(':'))).toEqual(['down', 'asked', 'asked', 'up']);
  });

  it('ends at once when the run is stopped', async () => {
    const stopping = new AbortController();
    const { injection, notes } = inject(
      { lostAcknowledgement: { at: 60_000, subscriber: 'email' }, fraudDown: { from: 60_000, to: 61_000 } },
      { signal: stopping.signal },
    );
    stopping.abort();
    await injection.done;
    expect(notes).toEqual([]);
  });
});
