import type { Message } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFixture } from './fixture.ts';

/** One thing that may happen to a queue. Indices pick one of the messages that were received so far. */
type Step =
  | { readonly kind: 'send'; readonly group: number; readonly delay: number }
  | { readonly kind: 'receive'; readonly limit: number; readonly visibility: number }
  | { readonly kind: 'delete'; readonly index: number }
  | { readonly kind: 'change'; readonly index: number; readonly visibility: number }
  | { readonly kind: 'wait'; readonly seconds: number };

const steps = (delays: boolean): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('send' as const),
          group: fc.nat(2),
          delay: delays ? fc.nat(3) : fc.constant(0),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('receive' as const),
          limit: fc.integer({ min: 1, max: 10 }),
          visibility: fc.nat(4),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), index: fc.nat(30) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('change' as const),
          index: fc.nat(30),
          visibility: fc.nat(4),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 5 }) }),
      },
    ),
    { maxLength: 60 },
  );

/** A FIFO queue in the plainest words: a list, and the rule of a group applied to it for every receive. */
function createReference() {
  interface Entry {
    readonly body: string;
    readonly group: number;
    hiddenUntil: number;
    receives: number;
  }
  let entries: Entry[] = [];
  let line: number[] = [];
  const free = (group: number, now: number): Entry[] => {
    const found: Entry[] = [];
    for (const entry of entries.filter((one) => one.group === group)) {
      if (entry.hiddenUntil > now) break;
      found.push(entry);
    }
    return found;
  };
  // A group joins the line at its end when it can give something, and leaves when it cannot.
  const update = (now: number) => {
    line = line.filter((group) => free(group, now).length > 0);
    for (const { group } of entries) {
      if (!line.includes(group) && free(group, now).length > 0) line.push(group);
    }
  };
  return {
    update,
    send(body: string, group: number, now: number) {
      entries.push({ body, group, hiddenUntil: now, receives: 0 });
      update(now);
    },
    receive(limit: number, visibility: number, now: number): string[] {
      const taken: Entry[] = [];
      for (const group of [...line]) {
        if (taken.length === limit) break;
        taken.push(...free(group, now).slice(0, limit - taken.length));
        line = line.filter((one) => one !== group);
        line.push(group);
      }
      for (const entry of taken) {
        entry.receives++;
        entry.hiddenUntil = now + visibility;
      }
      update(now);
      return taken.map(({ body }) => body);
    },
    /** Whether the entry is in flight under this receive. */
    holds(body: string, receive: number, now: number): boolean {
      const entry = entries.find((one) => one.body === body);
      return entry !== undefined && entry.receives === receive && entry.hiddenUntil > now;
    },
    remove(body: string, now: number) {
      entries = entries.filter((entry) => entry.body !== body);
      update(now);
    },
    change(body: string, visibility: number, now: number) {
      for (const entry of entries) if (entry.body === body) entry.hiddenUntil = now + visibility;
      update(now);
    },
  };
}

const succeeds = (run: () => unknown): boolean => {
  try {
    run();
    return true;
  } catch {
    return false;
  }
};

describe('whatever happens to a queue', () => {
  it('a FIFO queue gives what the rule of the group gives, in that order, and its handles hold as long', async () => {
    await fc.assert(
      fc.asyncProperty(steps(false), async (history) => {
        const { create, send, receive, remove, change, wait, clock } = createFixture();
        const url = create('q.fifo');
        const reference = createReference();
        const start = clock.now();
        const now = () => (clock.now() - start) / 1000;
        const received: Message[] = [];
        let sent = 0;
        for (const step of history) {
          const message = 'index' in step ? received[step.index % Math.max(1, received.length)] : undefined;
          const body = message?.Body ?? '';
          const count = Number(message?.Attributes?.ApproximateReceiveCount);
          if (step.kind === 'send') {
            const next = String(sent++);
            send(url, next, { MessageGroupId: `g${step.group}` });
            reference.send(next, step.group, now());
          } else if (step.kind === 'receive') {
            const messages = await receive(url, step.limit, { VisibilityTimeout: step.visibility });
            expect(messages.map(({ Body }) => Body)).toEqual(
              reference.receive(step.limit, step.visibility, now()),
            );
            received.push(...messages);
          } else if (step.kind === 'wait') {
            // Second by second: several timeouts may end on the way, and groups line up as they do.
            for (let second = 0; second < step.seconds; second++) {
              await wait(1);
              reference.update(now());
              receiveNothing(url);
            }
          } else if (message !== undefined) {
            const holds = reference.holds(body, count, now());
            const ok =
              step.kind === 'delete'
                ? succeeds(() => remove(url, message))
                : succeeds(() => change(url, message, step.visibility));
            if (step.kind === 'change') expect(ok).toBe(holds);
            if (holds && step.kind === 'delete') reference.remove(body, now());
            if (holds && step.kind === 'change') reference.change(body, step.visibility, now());
          }
        }
        function receiveNothing(queue: string) {
          // A look is enough for the queue to catch up with the clock.
          succeeds(() => remove(queue, { ReceiptHandle: 'none' }));
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    { name: 'q', duplicateRate: 0 },
    { name: 'q', duplicateRate: 0.3 },
    { name: 'q.fifo', duplicateRate: 0 },
  ])(
    '$name (duplicates: $duplicateRate) loses no message and invents none',
    async ({ name, duplicateRate }) => {
      await fc.assert(
        fc.asyncProperty(steps(name === 'q'), fc.nat(), async (history, seed) => {
          const { create, send, receive, remove, change, wait, sqs, arnOf, redrive } = createFixture({
            duplicateRate,
            reorderWindow: 3,
            seed,
          });
          const dead = name.replace('q', 'dead');
          create(dead);
          const url = create(name, { ...redrive(dead, 2), MessageRetentionPeriod: '60' });
          const received: Message[] = [];
          let sent = 0;
          for (const step of history) {
            const message = 'index' in step ? received[step.index % Math.max(1, received.length)] : undefined;
            if (step.kind === 'send') {
              const delay = name === 'q' ? { DelaySeconds: step.delay } : {};
              send(url, String(sent++), { MessageGroupId: `g${step.group}`, ...delay });
            } else if (step.kind === 'receive') {
              received.push(...(await receive(url, step.limit, { VisibilityTimeout: step.visibility })));
            } else if (step.kind === 'wait') await wait(step.seconds * 3);
            else if (message !== undefined) {
              succeeds(() =>
                step.kind === 'delete' ? remove(url, message) : change(url, message, step.visibility),
              );
            }
            const queue = sqs.queue(arnOf(name));
            const letters = sqs.queue(arnOf(dead));
            if (queue === undefined || letters === undefined) throw new Error('The queues are gone.');
            const { totals } = queue;
            expect(totals.sent).toBe(sent);
            expect(totals.sent + totals.duplicated).toBe(
              totals.deleted +
                totals.expired +
                totals.deadLettered +
                queue.visible +
                queue.inFlight +
                queue.delayed,
            );
            expect(letters.totals.movedIn).toBe(totals.deadLettered);
            expect(letters.visible + letters.totals.expired).toBe(totals.deadLettered);
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  it('a FIFO group is handed over in the order of sending, when each message is deleted or given back before the next', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 10 }), fc.double({ min: 0, max: 1, noNaN: true })), {
          minLength: 1,
          maxLength: 40,
        }),
        async (groups, rounds) => {
          const { create, send, receive, remove, change } = createFixture();
          const url = create('q.fifo');
          groups.forEach((group, index) => {
            send(url, String(index), { MessageGroupId: `g${group}` });
          });
          const done = new Map<string, number[]>();
          for (const [limit, failure] of rounds) {
            const failed = new Set<string>();
            const back: Message[] = [];
            const messages = await receive(url, limit);
            messages.forEach((message, rank) => {
              const group = message.Attributes?.MessageGroupId ?? '';
              // After the first failure of a group the rest of it goes back untouched.
              if (failed.has(group) || (rank + 1) / messages.length <= failure / 2) {
                failed.add(group);
                back.push(message);
                return;
              }
              done.set(group, [...(done.get(group) ?? []), Number(message.Body)]);
              remove(url, message);
            });
            for (const message of back.reverse()) change(url, message, 0);
          }
          for (const bodies of done.values()) expect(bodies).toEqual([...bodies].sort((a, b) => a - b));
        },
      ),
      { numRuns: 100 },
    );
  });
});
