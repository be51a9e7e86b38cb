import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqsRecord } from 'sluice/lambda';

/** What becomes of an entry: its handler runs, it is acknowledged as something, or it is dead-lettered for a reason. */
export type Fate = 'handled' | 'unwanted' | 'expired' | 'undecodable' | 'schema';

/** A message that can come in. Where it is handled, `data.orderId` is its name. */
export interface Entry {
  readonly name: string;
  readonly fate: Fate;
  readonly body: string;
  readonly messageAttributes: SqsRecord['messageAttributes'];
  /** Where its letter tells the reason: in attributes of its own, in one packed attribute, or only in the log. */
  readonly letter: 'attributes' | 'packed' | 'log';
}

const fates: readonly Fate[] = ['handled', 'unwanted', 'expired', 'undecodable', 'schema'];
const folder = import.meta.dirname;

/**
 * The corpus: bodies in the folder that says what becomes of them, records with attributes, and those that are too
 * large to be kept as files.
 */
export function corpus(): Entry[] {
  return [
    ...fates.flatMap((fate) =>
      filesOf(fate).map((file) =>
        entry(file.replace(/\.body$/, ''), fate, readFileSync(join(folder, fate, file), 'utf8')),
      ),
    ),
    ...filesOf('records').map((file) => {
      const record = JSON.parse(readFileSync(join(folder, 'records', file), 'utf8')) as Entry;
      return { ...record, letter: record.letter ?? 'attributes', name: file.replace(/\.json$/, '') };
    }),
    ...large(),
  ];
}

/** SQS quotas: bytes of a message, its attributes included. */
export const mostBytes = 1_048_576;

/** How deep data are nested: far deeper than any stack. */
const depth = 100_000;

function large(): Entry[] {
  const filled = (name: string) => {
    const frame = eventWith(name, '""');
    return eventWith(name, JSON.stringify('ä'.repeat((mostBytes - 1 - frame.length) / 2)));
  };
  const members = Array.from({ length: 20_000 }, (_, index) => `"extension${index}":${index}`).join(',');
  return [
    entry('lists-nested-deep', 'handled', eventWith('lists-nested-deep', nested('[', ']'))),
    entry('objects-nested-deep', 'handled', eventWith('objects-nested-deep', nested('{"a":', '}', '1'))),
    entry('lists-nested-deep-alone', 'undecodable', nested('[', ']')),
    entry('lists-nested-deep-and-cut', 'undecodable', '['.repeat(depth)),
    entry('objects-nested-deep-alone', 'undecodable', nested('{"a":', '}', '1')),
    entry('mebibyte-event', 'handled', filled('mebibyte-event')),
    entry('mebibyte-text', 'undecodable', 'x'.repeat(mostBytes), 'log'),
    entry('mebibyte-text-but-for-a-reason', 'undecodable', 'y'.repeat(mostBytes - 200)),
    entry('mebibyte-schema', 'schema', filled('mebibyte-schema').replace('"orderId"', '"order_id"'), 'log'),
    entry('mebibyte-id', 'handled', eventWith('mebibyte-id', '1', 'i'.repeat(900_000))),
    entry(
      'members-by-the-thousand',
      'handled',
      eventWith('members-by-the-thousand', '1').replace('{', `{${members},`),
    ),
  ];
}

const eventWith = (name: string, extra: string, id = `corpus:${name}`): string =>
  `{"specversion":"1.0","id":"${id}","source":"sluice/shop","type":"order.placed","data":{"orderId":"${name}","extra":${extra}}}`;

const nested = (open: string, close: string, core = ''): string =>
  open.repeat(depth) + core + close.repeat(depth);

const entry = (name: string, fate: Fate, body: string, letter: Entry['letter'] = 'attributes'): Entry => ({
  name,
  fate,
  body,
  messageAttributes: {},
  letter,
});

const filesOf = (name: string): string[] =>
  readdirSync(join(folder, name)).filter((file) => !file.startsWith('.'));
