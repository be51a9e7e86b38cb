/** What is counted of an entry of a batch: UTF-8 of its body, and of its attributes' names, types and values. */
export interface Measured {
  readonly body: string;
  readonly attributes: Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;
}

/** SNS API reference, PublishBatch: ten entries a call. */
export const entriesPerCall = 10;

/** SNS quotas: 256 KiB for a message, and for the messages of a batch together, unless the topic says otherwise. */
export const defaultByteLimit = 262_144;
/** SNS quotas: the most that a topic's MaximumMessageSize may say. SQS takes as much. */
export const mostBytes = 1_048_576;

/** Bytes of a message as SNS and SQS count them: body and attributes. */
export function messageBytes(message: Measured): number {
  let bytes = Buffer.byteLength(message.body);
  for (const [name, value] of Object.entries(message.attributes))
    bytes +=
      Buffer.byteLength(name) + Buffer.byteLength(value.DataType) + Buffer.byteLength(value.StringValue);
  return bytes;
}

/**
 * Cuts entries into calls: ten at most, within the bytes. Their order is kept: calls are cut, not packed.
 */
export function callsOf<Entry extends { readonly bytes: number }>(
  entries: readonly Entry[],
  byteLimit: number,
): Entry[][] {
  const calls: Entry[][] = [];
  let call: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    if (call.length === entriesPerCall || (call.length > 0 && bytes + entry.bytes > byteLimit)) {
      calls.push(call);
      call = [];
      bytes = 0;
    }
    call.push(entry);
    bytes += entry.bytes;
  }
  if (call.length > 0) calls.push(call);
  return calls;
}

/** Entries in the queues of their groups. A group has at most one entry under way, its earliest. */
export interface GroupQueues<Entry> {
  /** The next call: the heads of up to ten groups, within the bytes. Empty when nothing waits. */
  take(): Entry[];
  /** What was taken is through: its group goes on. */
  goOn(entry: Entry): void;
  /** What was taken is to be taken again, before the later ones of its group. */
  putBack(entry: Entry): void;
  /** Ends the group of what was taken; gives its rest. */
  end(entry: Entry): Entry[];
}

/**
 * Makes the queues, one a group: when a call fails in part, a later event of a group must not have overtaken an
 * earlier one. Every step costs the same, however long the queues are.
 */
export function queuesOf<Entry extends { readonly bytes: number; readonly groupId: string }>(
  entries: readonly Entry[],
  byteLimit: number,
): GroupQueues<Entry> {
  const groups = new Map<string, { readonly members: Entry[]; head: number }>();
  for (const entry of entries) {
    const group = groups.get(entry.groupId);
    if (group === undefined) groups.set(entry.groupId, { members: [entry], head: 0 });
    else group.members.push(entry);
  }
  // Groups whose head may be taken. A list with a head, since shift() moves the rest.
  const ready = [...groups.values()];
  let next = 0;
  const groupOf = (entry: Entry) => groups.get(entry.groupId)!;
  return {
    take() {
      const call: Entry[] = [];
      let bytes = 0;
      for (; next < ready.length && call.length < entriesPerCall; next++) {
        const group = ready[next]!;
        const entry = group.members[group.head]!;
        if (call.length > 0 && bytes + entry.bytes > byteLimit) break;
        call.push(entry);
        bytes += entry.bytes;
      }
      return call;
    },
    goOn(entry) {
      const group = groupOf(entry);
      group.head++;
      if (group.head < group.members.length) ready.push(group);
    },
    putBack: (entry) => void ready.push(groupOf(entry)),
    end(entry) {
      const group = groupOf(entry);
      return group.members.slice(group.head + 1);
    },
  };
}
