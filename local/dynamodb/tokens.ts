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
    { readonly digest: number; readonly until: number; readonly repeated: unknown }
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
      const digest = digestOf(JSON.stringify([payload, options]));
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

/** A 53-bit digest of a text: two rounds of a multiplicative hash, for telling payloads apart, not for secrets. */
function digestOf(text: string): number {
  let low = 0x9e3779b1;
  let high = 0x85ebca6b;
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0xc2b2ae35) ^ (high >>> 13);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
