import { groupOf, type LambdaSqsRecord } from './record.ts';

/**
 * The message groups that are being worked on here. The queue holds a group back while a message of it is in flight;
 * when a visibility ends too soon, because a function keeps it alive by no heartbeat, this does.
 */
export interface GroupLocks {
  /** Takes the groups of a batch that are free; gives the messages of those, and the rest. */
  take(batch: readonly LambdaSqsRecord[]): {
    readonly taken: readonly LambdaSqsRecord[];
    readonly rest: readonly LambdaSqsRecord[];
  };
  release(taken: readonly LambdaSqsRecord[]): void;
}

export function createGroupLocks(): GroupLocks {
  const held = new Set<string>();
  return {
    take(batch) {
      const isHeld = (record: LambdaSqsRecord) => held.has(groupOf(record));
      const rest = batch.filter(isHeld);
      const taken = rest.length === 0 ? batch : batch.filter((record) => !isHeld(record));
      for (const record of taken) held.add(groupOf(record));
      return { taken, rest };
    },
    release(taken) {
      for (const record of taken) held.delete(groupOf(record));
    },
  };
}

/** What of a batch may be deleted in order: of each group, what comes before its first failure. */
export function beforeFailures(
  batch: readonly LambdaSqsRecord[],
  failed: (record: LambdaSqsRecord) => boolean,
): LambdaSqsRecord[] {
  const ended = new Set<string>();
  return batch.filter((record) => {
    const group = groupOf(record);
    if (failed(record)) ended.add(group);
    return !ended.has(group);
  });
}
