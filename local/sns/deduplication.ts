import type { Clock } from '../../lib/base/index.ts';

/** What a publish answers. */
export interface Published {
  readonly MessageId: string;
  readonly SequenceNumber?: string;
}

/** Remembers the messages of a FIFO topic by their deduplication key. */
export interface Deduplication {
  /** The answer that an earlier message of the same key got, within the window. */
  find(key: string): Published | undefined;
  remember(key: string, published: Published): void;
}

// SNS developer guide, "Message deduplication for FIFO topics": a five-minute interval.
const WINDOW = 5 * 60_000;

/** Starts with an empty memory; keys are forgotten five minutes after their first message. */
export function createDeduplication(clock: Clock): Deduplication {
  // A map keeps the order of insertion, which is the order in which keys end.
  const remembered = new Map<string, { readonly until: number; readonly published: Published }>();
  return {
    find(key) {
      const now = clock.now();
      for (const [oldest, { until }] of remembered) {
        if (until > now) break;
        remembered.delete(oldest);
      }
      return remembered.get(key)?.published;
    },
    remember: (key, published) => {
      remembered.set(key, { until: clock.now() + WINDOW, published });
    },
  };
}
