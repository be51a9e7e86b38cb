import type { BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { Clock, Milliseconds, Seconds } from '../../lib/base/index.ts';
import { type Claim, recordEnd } from './claim.ts';
import { asError, describeError, mostLogLength } from './errors.ts';
import type { Logger } from './logger.ts';
import { type RecordView, type State, state } from './record.ts';
import type { Statements } from './statements.ts';
import type { RecordStore, Written } from './store.ts';

/** How a claim is to end. */
export type Ending =
  | { readonly kind: 'complete' }
  | {
      readonly kind: 'release';
      readonly attempts: number;
      readonly failure?: { readonly error: string; readonly firstFailedAt: Milliseconds };
    }
  | { readonly kind: 'fail'; readonly reason: string; readonly error: string; readonly messageId: string };

/**
 * How it ended:
 * - `done`: as wanted;
 * - `completed`: the record is COMPLETED, by another owner or by a commit whose reply was lost;
 * - `taken`: another owner has the event, nothing was written;
 * - `unknown`: the table did not say, not even when it was read.
 */
export type Ended = 'done' | 'completed' | 'taken' | 'unknown';

/** Ends claims, many in one call, each under its owner and fence. */
export interface Settlements {
  /** Queues the end of a claim; resolves when a flush has written it. */
  add(claim: Claim, ending: Ending): Promise<Ended>;
  /** Writes what is queued; resolves when it, and every earlier flush, is through. Never rejects. */
  flush(): Promise<void>;
}

interface Queued {
  readonly claim: Claim;
  readonly ending: Ending;
  readonly resolve: (ended: Ended) => void;
}

const targets: Readonly<Record<Ending['kind'], State>> = {
  complete: state.completed,
  release: state.released,
  fail: state.failed,
};

export function createSettlements(context: {
  readonly store: RecordStore;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly recordLife: Seconds;
  readonly logger: Logger;
}): Settlements {
  const { store, statements, clock, recordLife, logger } = context;
  let queue: Queued[] = [];
  let flushing: Promise<void> = Promise.resolve();

  function statement({ claim, ending }: Queued): BatchStatementRequest {
    const now = clock.now();
    const ttl = recordEnd(now, recordLife);
    switch (ending.kind) {
      case 'complete':
        return statements.complete(claim, now, ttl);
      case 'release':
        return statements.release(
          claim,
          ending.attempts,
          ttl,
          ending.failure,
          claim.started ? {} : { suspicion: claim.alone, mark: claim.begun !== undefined },
        );
      case 'fail':
        return statements.fail(claim, { ...ending, attempts: claim.attempts }, now, ttl);
    }
  }

  async function write(batch: readonly Queued[]) {
    const results = await store.write(batch.map(statement));
    // No reply, or a refusal that does not tell: the record is read, never guessed.
    const silent = batch.filter((_, index) => !tells(results[index]!));
    const records = silent.length === 0 ? undefined : await look(silent);
    for (const [index, queued] of batch.entries()) {
      const result = results[index]!;
      const found = result.kind === 'refused' && result.found ? result.found : records?.get(queued.claim.key);
      const ended = result.kind === 'done' ? 'done' : interpret(queued, found, records !== undefined, result);
      queued.claim.phase = ended === 'taken' ? 'taken' : 'settled';
      queued.resolve(ended);
    }
  }

  async function look(batch: readonly Queued[]): Promise<Map<string, RecordView> | undefined> {
    try {
      return await store.read(batch.map((queued) => queued.claim.key));
    } catch (thrown) {
      logger.warn('The outcome of writes on the records is unknown, and they cannot be read', {
        error: describeError(asError(thrown), mostLogLength),
        count: batch.length,
      });
      return undefined;
    }
  }

  return {
    add(claim, ending) {
      claim.phase = 'ending';
      return new Promise((resolve) => queue.push({ claim, ending, resolve }));
    },
    flush() {
      flushing = flushing.then(async () => {
        if (queue.length === 0) return;
        const batch = queue;
        queue = [];
        await write(batch);
      });
      return flushing;
    },
  };
}

const tells = (result: Written): boolean =>
  result.kind === 'done' || (result.kind === 'refused' && result.found !== undefined);

function interpret(queued: Queued, found: RecordView | undefined, wasRead: boolean, result: Written): Ended {
  if (found === undefined) return result.kind === 'refused' || wasRead ? 'taken' : 'unknown';
  const { claim, ending } = queued;
  const ours = found.owner === claim.owner && found.fence === claim.fence;
  if (ours && found.state === targets[ending.kind]) return 'done';
  // Not written, or not yet.
  if (ours && found.state === claim.holds) return 'unknown';
  return found.state === state.completed ? 'completed' : 'taken';
}
