import { hash } from 'node:crypto';
import { type Clock, minutes, toMilliseconds } from '../../lib/base/index.ts';
import { ServiceError } from '../service.ts';
import { constraint } from './errors.ts';

/** How long a token stands for its transaction (API reference, TransactWriteItems, ClientRequestToken). */
const lifetime = toMilliseconds(minutes(10));
const maximumLength = 36;

interface Outcome<Reply> {
  readonly reply: Reply;
  /** What a repetition answers. */
  readonly repeated: Reply;
}

/** Remembers the transactions of the last ten minutes by their tokens. */
export interface Tokens {
  /**
   * Runs a transaction unless its token has been used: then a repetition of the same answers without writing,
   * and another one is refused. A transaction that throws leaves its token free.
   *
   * @throws IdempotentParameterMismatchException
   */
  once<Reply>(token: string, payload: unknown, options: unknown, run: () => Outcome<Reply>): Reply;
}

/** Tokens on the given clock. */
export function createTokens(clock: Clock): Tokens {
  const used = new Map<
    string,
    { readonly digest: string; readonly until: number; readonly repeated: unknown }
  >();
  return {
    once<Reply>(token: string, payload: unknown, options: unknown, run: () => Outcome<Reply>): Reply {
      if (token.length < 1 || token.length > maximumLength)
        throw constraint(token, 'clientRequestToken', `have length less than or equal to ${maximumLength}`);
      const now = clock.now();
      // The map is in the order of time, so that the oldest stand in front.
      for (const [old, { until }] of used) {
        if (until > now) break;
        used.delete(old);
      }
      // The digest tells payloads apart and keeps ten minutes of them small.
      const digest = hash('sha1', JSON.stringify([payload, options]), 'base64');
      const before = used.get(token);
      if (before === undefined) {
        const { reply, repeated } = run();
        used.set(token, { digest, until: now + lifetime, repeated });
        return reply;
      }
      if (before.digest === digest) return before.repeated as Reply;
      throw new ServiceError(
        'IdempotentParameterMismatchException',
        'DynamoDB rejected the request because you retried a request with a different payload but with an idempotent token that was already used.',
      );
    },
  };
}
