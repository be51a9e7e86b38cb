import type { Reply } from './provider.ts';

/** A mail that went out. */
export interface Mail {
  readonly orderId: number;
  readonly to: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A mail server: whatever it is given goes out, twice if it is given twice. */
export interface MailServer {
  accept(body: unknown): Reply;
  readonly outbox: readonly Mail[];
}

/** Makes a mail server with an empty outbox. */
export function createMailServer(now: () => number): MailServer {
  const outbox: Mail[] = [];
  return {
    outbox,
    accept(body) {
      const { orderId, to } = (typeof body === 'object' && body !== null ? body : {}) as Record<
        string,
        unknown
      >;
      if (typeof orderId !== 'number' || typeof to !== 'string')
        return { status: 400, body: { error: 'orderId must be a number, to a text' } };
      outbox.push({ orderId, to, at: now() });
      return { status: 202, body: { queued: true } };
    },
  };
}
