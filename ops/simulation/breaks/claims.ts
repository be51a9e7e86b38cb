import { type RuntimeParts, standardParts } from '../../../lambda/runtime/assembly.ts';
import { type Milliseconds, milliseconds, seconds } from '../../../lib/base/index.ts';
import { type Break, broken } from './break.ts';

/*
 * Who may work on an event, and what counts as its end.
 */

type ClaimAll = RuntimeParts['claimAll'];
type Claimable = Parameters<ClaimAll>[1][number];
type Claimed = Awaited<ReturnType<ClaimAll>>[number];

/** Claims as they are made, but for what is asked for or what is answered. */
const claims =
  (change: {
    readonly asked?: (wanted: Claimable) => Claimable;
    readonly answered?: (claimed: Claimed, wanted: Claimable) => Claimed;
  }): ClaimAll =>
  async (context, wanted) => {
    const { asked = (each) => each, answered = (each) => each } = change;
    const claimed = await standardParts.claimAll(context, wanted.map(asked));
    return claimed.map((each, index) => answered(each, wanted[index] as Claimable));
  };

/** A statement of a claim on a record that exists: nothing but the key is in its condition. */
const unconditional = (request: ReturnType<ReturnType<RuntimeParts['statementsFor']>['renew']>) => ({
  ...request,
  Statement: request.Statement?.replace(/ AND "fence"=\? AND "ttl"<\?$/, ''),
  Parameters: request.Parameters?.slice(0, -2),
});

/** When to ask again for an event whose claim has no end that is known. */
const later = (now: Parameters<RuntimeParts['judge']>[2]) => milliseconds(now + 60_000);

export const brokenClaims: readonly Break[] = [
  {
    name: 'keyFromMessageId',
    what: 'The record’s key is the queue’s message id instead of the event’s source and id.',
    hazards: [24],
    expected: ['doubled'],
    within: 30,
    build: broken(() => ({
      claimAll: claims({ asked: (wanted) => ({ ...wanted, key: `${wanted.key}#${wanted.messageId}` }) }),
    })),
  },
  {
    name: 'noPayloadHash',
    what: 'The record does not hold what the event says: another payload under its id passes for the same.',
    hazards: [25],
    expected: ['lost'],
    within: 30,
    build: broken(() => ({ payloadHash: () => 'any' })),
  },
  {
    name: 'claimWithoutCondition',
    what: 'A claim overwrites the record that it meets, whatever that says.',
    hazards: [3, 4],
    expected: ['doubled'],
    within: 30,
    build: broken(() => ({
      judge: (seen, claim, now) => {
        const verdict = standardParts.judge(seen, claim, now);
        return verdict.kind === 'own' ? verdict : { kind: 'renew', seen };
      },
      statementsFor: (table) => {
        const statements = standardParts.statementsFor(table);
        return { ...statements, renew: (...values) => unconditional(statements.renew(...values)) };
      },
    })),
  },
  {
    name: 'sequenceIgnored',
    what: 'An event that is older than the last one applied of its key is applied all the same.',
    hazards: [17],
    expected: ['reordered'],
    within: 40,
    build: broken(() => ({ guardOf: () => undefined })),
  },
  {
    name: 'loserAcknowledges',
    what: 'Who meets a live owner acknowledges the message instead of waiting for what becomes of it.',
    hazards: [4],
    expected: ['lost'],
    within: 30,
    build: broken(() => ({
      claimAll: claims({
        answered: (claimed) => (claimed.kind === 'live' ? { kind: 'completed' } : claimed),
      }),
    })),
  },
  {
    name: 'leaseNeverEnds',
    what: 'A claim has no end of its own: the event of a worker that died stays claimed.',
    hazards: [38],
    expected: ['stuck'],
    within: 20,
    build: broken(() => ({
      judge: (seen, claim, now) => {
        const verdict = standardParts.judge(seen, claim, now);
        return verdict.kind === 'takeOver' && seen.state === 'IN_PROGRESS'
          ? { kind: 'live', until: later(now) }
          : verdict;
      },
    })),
  },
  {
    name: 'ttlTrusted',
    what: 'A claim ends when DynamoDB deletes its item: TTL is the lease, and nobody looks at the time.',
    hazards: [22],
    expected: ['stuck'],
    within: 20,
    build: broken(() => ({
      judge: (seen, claim, now) => {
        const verdict = standardParts.judge(seen, claim, now);
        const held = seen.state === 'IN_PROGRESS' && verdict.kind !== 'own' && verdict.kind !== 'conflict';
        return held ? { kind: 'live', until: later(now) } : verdict;
      },
      statementsFor: (table) => {
        const statements = standardParts.statementsFor(table);
        const leased = <Claiming extends { readonly leaseEnd: Milliseconds }>(claim: Claiming) => ({
          ...claim,
          ttl: seconds(Math.ceil(claim.leaseEnd / 1_000)),
        });
        return {
          ...statements,
          insert: (claim) => statements.insert(leased(claim)),
          takeOver: (claim, ...rest) => statements.takeOver(leased(claim), ...rest),
        };
      },
    })),
  },
];
