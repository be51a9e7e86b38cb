import { devNull } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { Order } from '../topology.ts';
import { startThread } from './thread.ts';

/** What the shop is given. */
export interface ShopOptions {
  /** In the order in which they arrive. */
  readonly orders: readonly Order[];
  /** When each arrives, in milliseconds from the start. */
  readonly due: Float64Array;
  /** Pieces on each shelf, by its key. */
  readonly shelves: Readonly<Record<string, number>>;
  /** Positions of orders that are published a second time, past the topic's deduplication. */
  readonly publishedTwice?: readonly number[];
  /** When a body that is no event is published, in milliseconds from the start; missing for never. */
  readonly poisonAt?: number;
}

/** Where the shop finds the stack. */
export interface ShopPlace {
  readonly endpoint: string;
  readonly region: string;
  readonly topicArn: string;
  /** The table of stock, whose shelves are filled before the first order. */
  readonly stockTable: string;
}

/** What the shop has done so far. */
export interface ShopProgress {
  readonly published: number;
  readonly failed: number;
  /** Whether the body that is no event was taken. */
  readonly poisoned: boolean;
  /** Latencies of the publishes answered since the last report, in milliseconds. */
  readonly latencies: readonly number[];
}

/** What the shop did in all. */
export interface ShopResult {
  /**
   * For each order, in the order of the input: when its publish was answered (milliseconds since the Unix
   * epoch), 0 when it failed.
   */
  readonly publishedAt: Float64Array;
  /** From the moment an order was due to the answer of its publish, milliseconds; for failed ones too. */
  readonly latencyMs: Float64Array;
  /** Index of the order and what went wrong. */
  readonly failures: readonly { readonly index: number; readonly error: string }[];
  /** Publishes that failed and were tried again. */
  readonly publishRetries: number;
  /** Orders that were published a second time. */
  readonly publishedTwice: number;
  /** Whether the poison was published. */
  readonly poisoned: boolean;
}

/** What the thread of the shop says. */
export type ShopMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ShopProgress }
  | { readonly kind: 'done'; readonly result: ShopResult };

/** A shop that is being built. */
export interface Shop {
  /** Tells it where the stack is; resolves when the shelves are filled and it can open. */
  moveIn(place: ShopPlace): Promise<void>;
  /** Opens it: the orders arrive from now on. Resolves when every publish was answered. */
  open(onProgress: (progress: ShopProgress) => void): Promise<ShopResult>;
  /** Ends it at once. */
  close(): Promise<void>;
}

/**
 * Starts the shop in a thread of its own: neither the model nor the handlers can delay the arrival of an order. It
 * publishes with the real SDK over HTTP, and sees nothing of this process's environment. It may be started before the
 * stack is there: loading the SDK takes its time.
 */
export function startShop(options: ShopOptions): Shop {
  const thread: Worker = startThread('./shop-thread', import.meta.url, {
    workerData: options,
    name: 'shop',
    env: {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      NODE_ENV: 'production',
      // What the SDK says about this version of Node is for whoever develops, not for whoever watches.
      NODE_NO_WARNINGS: '1',
    },
  });
  // Whoever waits for the shop hears of its end; one that ends while nobody waits is reported to the next.
  let ended: Error | undefined;
  let fail: (error: Error) => void = () => {};
  const end = (error: Error) => {
    ended ??= error;
    fail(ended);
  };
  thread.on('error', end);
  thread.on('exit', () => end(new Error('The shop was closed before its last order.')));
  const answer = <Value>(take: (message: ShopMessage, resolve: (value: Value) => void) => void) =>
    new Promise<Value>((resolve, reject) => {
      fail = reject;
      if (ended !== undefined) return reject(ended);
      const listen = (message: ShopMessage) =>
        take(message, (value) => {
          thread.off('message', listen);
          resolve(value);
        });
      thread.on('message', listen);
    });
  return {
    moveIn(place) {
      thread.postMessage(place);
      return answer<void>((message, resolve) => {
        if (message.kind === 'ready') resolve();
      });
    },
    open(onProgress) {
      thread.postMessage('open');
      return answer<ShopResult>((message, resolve) => {
        if (message.kind === 'progress') onProgress(message.progress);
        if (message.kind === 'done') resolve(message.result);
      });
    },
    async close() {
      await thread.terminate();
    },
  };
}
