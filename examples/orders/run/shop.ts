import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Order } from '../topology.ts';
import { startThread } from './thread.ts';

/** What the shop is given. */
export interface ShopOptions {
  /** In the order in which they arrive. */
  readonly orders: readonly Order[];
  /** When each arrives, in milliseconds from the start. */
  readonly due: Float64Array;
  /** The endpoint of the model and the topic to publish to. */
  readonly endpoint: string;
  readonly region: string;
  readonly topicArn: string;
  /** The table of stock, whose shelves are filled before the first order. */
  readonly stockTable: string;
  /** Pieces on each shelf, by its key. */
  readonly shelves: Readonly<Record<string, number>>;
  /** When a body that is no event is published, in milliseconds from the start; missing for never. */
  readonly poisonAt?: number;
}

/** What the shop has done so far. */
export interface ShopProgress {
  readonly published: number;
  readonly failed: number;
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
  /** Whether the poison was published. */
  readonly poisoned: boolean;
}

/** What the thread of the shop says. */
export type ShopMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: ShopProgress }
  | { readonly kind: 'done'; readonly result: ShopResult };

/** A shop that is ready to open. */
export interface Shop {
  /** Opens it: the orders arrive from now on. Resolves when every publish was answered. */
  open(onProgress: (progress: ShopProgress) => void): Promise<ShopResult>;
  /** Ends it at once. */
  close(): Promise<void>;
}

/**
 * Starts the shop in a thread of its own: neither the model nor the handlers can delay the arrival of an order. It
 * publishes with the real SDK over HTTP, with no environment but the one it is given.
 */
export async function startShop(options: ShopOptions): Promise<Shop> {
  const thread: Worker = startThread('./shop-thread', import.meta.url, {
    workerData: options,
    name: 'shop',
    env: {
      AWS_ENDPOINT_URL: options.endpoint,
      AWS_REGION: options.region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      SLUICE_TOPIC_ARN_ORDERS: options.topicArn,
      NODE_ENV: 'production',
    },
  });
  await once(thread, 'message');
  return {
    open: (onProgress) =>
      new Promise((resolve, reject) => {
        thread.on('error', reject);
        thread.on('exit', () => reject(new Error('The shop was closed before its last order.')));
        thread.on('message', (message: ShopMessage) => {
          if (message.kind === 'progress') onProgress(message.progress);
          if (message.kind === 'done') resolve(message.result);
        });
        thread.postMessage('open');
      }),
    async close() {
      await thread.terminate();
    },
  };
}
