/** A charge as the provider's ledger holds it, in the order in which charges were made. */
export interface Charge {
  readonly key: string;
  readonly orderId: number;
  readonly customerId: number;
  readonly amountCents: number;
  readonly outcome: 'charged' | 'declined';
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** How the payment provider behaves. */
export interface ProviderOptions {
  /** Charges a second that it takes; beyond it answers 429 and says when to come again. */
  readonly ratePerSecond: number;
  /** Amounts from here on are declined, in cents; so is an amount of 0. */
  readonly declineFromCents: number;
  /** Orders to which it answers 500, for ever. */
  readonly brokenOrders: readonly number[];
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** An answer of one of the systems outside. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What the provider knows. */
export interface Provider {
  charge(key: string | undefined, body: unknown): Reply;
  readonly ledger: readonly Charge[];
  /** Requests under a key that was known already. */
  readonly replays: number;
  /** Requests that were told to come again. */
  readonly refused: number;
  /** Requests for broken orders, each answered with 500. */
  readonly failed: number;
}

/** How many charges may come at once: a tenth of a second's worth. */
const burstSeconds = 0.1;

/**
 * A payment provider: a ledger by idempotency key behind a token bucket.
 *
 * - The first charge under a key is decided and written down; the same key again gets the same answer.
 * - The same key with another amount or order is refused (409): that would be a mistake of the caller.
 * - Beyond the rate it answers 429; the times to come again that it hands out are spread at its rate.
 */
export function createProvider(options: ProviderOptions): Provider {
  const ledger: Charge[] = [];
  const byKey = new Map<string, Charge>();
  const broken = new Set(options.brokenOrders);
  const burst = options.ratePerSecond * burstSeconds;
  let tokens = burst;
  let filledAt = options.now();
  let invitedUntil = 0;
  let replays = 0;
  let refused = 0;
  let failed = 0;

  const admit = (): Reply | undefined => {
    const now = options.now();
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * options.ratePerSecond);
    filledAt = now;
    if (tokens >= 1) {
      tokens -= 1;
      return undefined;
    }
    refused += 1;
    invitedUntil = Math.max(now, invitedUntil) + 1000 / options.ratePerSecond;
    const wait = Math.min(1000, Math.ceil(invitedUntil - now));
    return {
      status: 429,
      headers: { 'retry-after': String(Math.ceil(wait / 1000)), 'retry-after-ms': String(wait) },
      body: { error: 'too many requests' },
    };
  };

  return {
    ledger,
    get replays() {
      return replays;
    },
    get refused() {
      return refused;
    },
    get failed() {
      return failed;
    },
    charge(key, body) {
      if (key === undefined || key === '')
        return { status: 400, body: { error: 'the header idempotency-key is missing' } };
      const request = asCharge(body);
      if (request === undefined)
        return { status: 400, body: { error: 'orderId, customerId and amountCents must be numbers' } };
      const full = admit();
      if (full !== undefined) return full;
      if (broken.has(request.orderId)) {
        failed += 1;
        return { status: 500, body: { error: 'internal error, incident 4711' } };
      }
      const known = byKey.get(key);
      if (known !== undefined) {
        if (known.orderId !== request.orderId || known.amountCents !== request.amountCents)
          return { status: 409, body: { error: 'the key was used for another charge' } };
        replays += 1;
        return { status: 201, body: { outcome: known.outcome } };
      }
      const declined = request.amountCents === 0 || request.amountCents >= options.declineFromCents;
      const charge: Charge = {
        key,
        ...request,
        outcome: declined ? 'declined' : 'charged',
        at: options.now(),
      };
      byKey.set(key, charge);
      ledger.push(charge);
      return { status: 201, body: { outcome: charge.outcome } };
    },
  };
}

function asCharge(body: unknown): Pick<Charge, 'orderId' | 'customerId' | 'amountCents'> | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { orderId, customerId, amountCents } = body as Record<string, unknown>;
  if (typeof orderId !== 'number' || typeof customerId !== 'number' || typeof amountCents !== 'number')
    return undefined;
  return { orderId, customerId, amountCents };
}
