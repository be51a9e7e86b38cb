/** What is counted of an entry of a batch: UTF-8 of its body, and of its attributes' names, types and values. */
export interface Measured {
  readonly body: string;
  readonly attributes: Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;
}

/** SNS API reference, PublishBatch: ten entries a call. */
export const entriesPerCall = 10;

/** SNS quotas: 256 KiB for a message, and for the messages of a batch together. */
export const defaultByteLimit = 262_144;

/** Bytes of a message as SNS and SQS count them: body and attributes. */
export function messageBytes(message: Measured): number {
  let bytes = Buffer.byteLength(message.body);
  for (const [name, value] of Object.entries(message.attributes))
    bytes +=
      Buffer.byteLength(name) + Buffer.byteLength(value.DataType) + Buffer.byteLength(value.StringValue);
  return bytes;
}

/**
 * Takes the next call's entries from the front of the queue: ten at most, within the bytes.
 *
 * With `group`, at most one entry of a group, the earliest: when a call fails in part, a later event of a group
 * must not have overtaken an earlier one.
 *
 * @returns the entries of the call; they are removed from `queue`
 */
export function takeCall<Entry extends { readonly bytes: number }>(
  queue: Entry[],
  byteLimit: number,
  group?: (entry: Entry) => string,
): Entry[] {
  const call: Entry[] = [];
  const passed = new Set<string>();
  let bytes = 0;
  for (let index = 0; index < queue.length && call.length < entriesPerCall; ) {
    const entry = queue[index]!;
    const name = group?.(entry);
    const free = name === undefined || !passed.has(name);
    if (free && bytes + entry.bytes <= byteLimit) {
      call.push(entry);
      bytes += entry.bytes;
      queue.splice(index, 1);
    } else {
      index++;
      // Without groups the order of entries is kept all the same: calls are cut, not packed.
      if (name === undefined) break;
    }
    if (name !== undefined) passed.add(name);
  }
  return call;
}
