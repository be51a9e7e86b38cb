import { type RuntimeParts, standardParts } from '../../../lambda/runtime/assembly.ts';
import { milliseconds, seconds } from '../../../lib/base/index.ts';
import { type Break, broken } from './break.ts';

/*
 * What a worker does while it works, and what its attempts count for.
 */

type ClaimAll = RuntimeParts['claimAll'];
type Claimable = Parameters<ClaimAll>[1][number];
type Statement = ReturnType<ReturnType<RuntimeParts['statementsFor']>['extend']>;
type Claim = Extract<Awaited<ReturnType<ClaimAll>>[number], { kind: 'won' }>['claim'];

/** Claims as they are made, each with some of what is known of it overwritten. */
const claiming =
  (change: (claim: Claim, wanted: Claimable) => Partial<Claim>): ClaimAll =>
  async (context, wanted) => {
    const claimed = await standardParts.claimAll(context, wanted);
    for (const [index, each] of claimed.entries())
      if (each.kind === 'won') Object.assign(each.claim, change(each.claim, wanted[index] as Claimable));
    return claimed;
  };

/** A claim as one sees it who is never told that it has ended. */
const alwaysHeld = (claim: Claim): Claim =>
  new Proxy(claim, {
    get: (target, name) => {
      if (name === 'phase') return 'held';
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** The extension of a lease as a claim that is written anew. */
function writtenAsHeld(request: Statement): Statement {
  const [leaseEnd, key] = request.Parameters ?? [];
  return {
    ...request,
    Statement: request.Statement?.replace(/ WHERE .*$/, ' SET "state"=? WHERE "pk"=?'),
    Parameters: [leaseEnd!, { S: 'IN_PROGRESS' }, key!],
  };
}

export const brokenWorkers: readonly Break[] = [
  {
    name: 'cacheLiveStates',
    what: 'An environment remembers that an event is being worked on elsewhere, and asks no more.',
    hazards: [39],
    expected: ['stuck', 'letter'],
    within: 60,
    build: broken(() => {
      const live = new Set<string>();
      return {
        claimAll: async (context, wanted) => {
          const claimed = await standardParts.claimAll(
            context,
            wanted.filter(({ key }) => !live.has(key)),
          );
          return wanted.map(({ key }) => {
            if (live.has(key)) return { kind: 'live', until: milliseconds(context.leaseEnd()) };
            const answer = claimed.shift()!;
            if (answer.kind === 'live') live.add(key);
            return answer;
          });
        },
      };
    }),
  },
  {
    name: 'receiveCountAsAttempts',
    what: 'The queue’s receive count passes for the number of attempts.',
    hazards: [43],
    expected: ['letter'],
    within: 20,
    build: broken(({ messaging, subscriber }) => ({
      claimAll: claiming((claim, { receives }) => {
        const most = messaging.subscribers[subscriber]?.attempts ?? 1;
        return {
          attempts: receives - 1,
          // Whose attempts are used up is given up where it passes for a killer.
          alone: claim.alone || receives > most,
        };
      }),
    })),
  },
  {
    name: 'attemptsNotCounted',
    what: 'The record does not count the attempts that failed.',
    hazards: [13],
    expected: ['stuck', 'letter'],
    within: 20,
    build: broken(() => ({
      claimAll: claiming((claim) => ({ attempts: claim.alone ? claim.attempts : 0 })),
    })),
  },
  {
    name: 'unknownOutcomeRetried',
    what: 'A run that its worker did not survive is run again, although the subscriber parks what is unknown.',
    hazards: [50],
    expected: ['doubled'],
    within: 80,
    build: broken(() => ({ claimAll: claiming(() => ({ begun: undefined })) })),
  },
  {
    name: 'killerRunsInTheCrowd',
    what: 'What was taken over from a worker that died runs beside the others, and is not marked before.',
    hazards: [42],
    expected: ['stuck', 'letter'],
    within: 20,
    build: broken(() => ({ claimAll: claiming(() => ({ alone: false })) })),
  },
  {
    name: 'acknowledgeBeforeEffect',
    what: 'The handler is begun, and not waited for: its message is done.',
    hazards: [1],
    expected: ['lost'],
    within: 20,
    build: broken(() => ({
      createWork: (context) =>
        standardParts.createWork({
          ...context,
          handler: (...values) => {
            const running = Promise.resolve(context.handler(...values));
            running.catch(() => undefined);
          },
        }),
    })),
  },
  {
    name: 'heartbeatAfterDelete',
    what: 'The heartbeat goes on when its batch is over, and writes its claims as held, whatever has become of them.',
    hazards: [9],
    expected: ['doubled'],
    within: 40,
    build: broken(() => ({
      openSession: () => ({ open: (client) => client, close: () => undefined }),
      startHeartbeat: (context) => {
        const { statements } = context;
        const heartbeat = standardParts.startHeartbeat({
          ...context,
          bound: milliseconds(Number.MAX_SAFE_INTEGER),
          statements: { ...statements, extend: (...values) => writtenAsHeld(statements.extend(...values)) },
        });
        return {
          ...heartbeat,
          hold: (claims) => heartbeat.hold(claims.map(alwaysHeld)),
          stop: async () => undefined,
        };
      },
    })),
  },
  {
    name: 'visibilityBeforeLease',
    what: 'A beat shows the messages again at once, before their leases and their work are over.',
    hazards: [7],
    expected: ['reordered'],
    within: 80,
    build: broken(() => ({
      startHeartbeat: (context) =>
        standardParts.startHeartbeat({
          ...context,
          shortens: true,
          changeVisibility: (changes, stop) =>
            context.changeVisibility(
              changes.map((change) => ({ ...change, visibility: seconds(0) })),
              stop,
            ),
        }),
    })),
  },
];
