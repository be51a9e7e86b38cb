import type { Reply } from './provider.ts';

/** An assessment that the fraud service made. */
export interface Assessment {
  readonly orderId: number;
  readonly score: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A fraud service: assesses orders, unless it is down. */
export interface FraudService {
  assess(orderId: number, body: unknown): Reply;
  setDown(down: boolean): void;
  /** Every assessment made, in order; an order assessed again is there again. */
  readonly log: readonly Assessment[];
  /** Requests that came while it was down. */
  readonly refused: number;
}

/** Makes a fraud service that is up. */
export function createFraudService(now: () => number): FraudService {
  const log: Assessment[] = [];
  let down = false;
  let refused = 0;
  return {
    log,
    get refused() {
      return refused;
    },
    setDown(value) {
      down = value;
    },
    assess(orderId, body) {
      if (down) {
        refused += 1;
        return { status: 503, headers: { 'retry-after': '5' }, body: { error: 'service unavailable' } };
      }
      const { amountCents } = (typeof body === 'object' && body !== null ? body : {}) as Record<
        string,
        unknown
      >;
      if (!Number.isInteger(orderId) || typeof amountCents !== 'number')
        return { status: 400, body: { error: 'orderId and amountCents must be numbers' } };
      const score = Math.min(99, Math.floor(amountCents / 1000));
      log.push({ orderId, score, at: now() });
      return { status: 200, body: { score } };
    },
  };
}
