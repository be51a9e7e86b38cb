/** What the runtime says about a subscriber, added up. For display only: no verdict rests on it. */
export interface Counters {
  processed: number;
  failed: number;
  duplicates: number;
  deferred: number;
  readonly deadLettered: Map<string, number>;
}

/** Adds up the runtime's metrics as they pass by in the functions' logs. */
export interface CounterBook {
  /** Takes one line of a function's log; lines that are no metrics are left alone. */
  read(line: string): void;
  of(subscriber: string): Counters;
}

interface EmbeddedMetrics {
  readonly _aws?: {
    readonly CloudWatchMetrics?: readonly {
      readonly Namespace?: string;
      readonly Metrics?: readonly { readonly Name?: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

/**
 * Reads the metrics in CloudWatch's embedded metric format (CloudWatch user guide, "Embedded metric format
 * specification") out of log lines.
 */
export function createCounterBook(namespace: string): CounterBook {
  const books = new Map<string, Counters>();
  const of = (subscriber: string): Counters => {
    const known = books.get(subscriber);
    if (known !== undefined) return known;
    const fresh: Counters = { processed: 0, failed: 0, duplicates: 0, deferred: 0, deadLettered: new Map() };
    books.set(subscriber, fresh);
    return fresh;
  };
  return {
    of,
    read(line) {
      if (!line.includes('"_aws"')) return;
      const entry = parse(line);
      const { subscriber } = entry ?? {};
      if (entry === undefined || typeof subscriber !== 'string') return;
      const counters = of(subscriber);
      for (const { Namespace, Metrics = [] } of entry._aws?.CloudWatchMetrics ?? []) {
        if (Namespace !== namespace) continue;
        for (const { Name } of Metrics) {
          const value = total(entry[Name ?? '']);
          if (Name === 'processed' || Name === 'failed' || Name === 'duplicates' || Name === 'deferred')
            counters[Name] += value;
          if (Name === 'deadLettered' && value > 0) {
            const reason = typeof entry.reason === 'string' ? entry.reason : 'unknown';
            counters.deadLettered.set(reason, (counters.deadLettered.get(reason) ?? 0) + value);
          }
        }
      }
    },
  };
}

function parse(line: string): EmbeddedMetrics | undefined {
  try {
    return JSON.parse(line) as EmbeddedMetrics;
  } catch {
    // A line of text that happens to hold the word: not a metric.
    return undefined;
  }
}

const total = (value: unknown): number =>
  Array.isArray(value)
    ? value.reduce<number>((sum, part) => sum + total(part), 0)
    : typeof value === 'number'
      ? value
      : 0;
