import type { Random } from '../../lib/base/index.ts';

const DIGITS = Buffer.from('0123456789abcdef');
const HYPHEN = 0x2d;

const word = (random: Random): number => Math.floor(random.next() * 4_294_967_296);

// Written byte by byte into one buffer: a text put together from pieces would keep the pieces in memory for as
// long as the message lives.
const text = Buffer.alloc(36, HYPHEN);
const STARTS: readonly number[] = [0, 9, 19, 28];

/** A UUID of version 4 from four draws: one is made for every message. */
export function messageId(random: Random): string {
  for (const start of STARTS) {
    const bits = word(random);
    let offset = start;
    for (let shift = 28; shift >= 0; shift -= 4) {
      if (offset === 13 || offset === 23) offset++;
      let digit = (bits >>> shift) & 15;
      if (offset === 14) digit = 4;
      else if (offset === 19) digit = (digit & 3) | 8;
      text[offset++] = DIGITS[digit]!;
    }
  }
  return text.toString('latin1');
}

/** The first part of a queue's receipt handles. */
export const handlePrefix = (random: Random): string =>
  `AQEB${messageId(random).replaceAll('-', '').slice(0, 16)}/`;

/** What a receipt handle says: which message, and which of its receives. */
export interface Receipt {
  readonly number: number;
  readonly receipt: number;
}

export const formatHandle = (prefix: string, number: number, receipt: number): string =>
  `${prefix}${number.toString(36)}/${receipt.toString(36)}`;

const HANDLE = /^([0-9a-z]{1,11})\/([0-9a-z]{1,11})$/;

/** Reads a handle that a queue with this prefix gave out; `undefined` for any other text. */
export function parseHandle(prefix: string, handle: string): Receipt | undefined {
  if (!handle.startsWith(prefix)) return undefined;
  const match = HANDLE.exec(handle.slice(prefix.length));
  if (match === null) return undefined;
  return { number: Number.parseInt(match[1]!, 36), receipt: Number.parseInt(match[2]!, 36) };
}

/**
 * The SequenceNumber of a FIFO queue's message: AWS's have 20 digits and grow by 256; where they start means
 * nothing. Put together from text because a number holds 16 digits at most.
 */
export const sequenceNumber = (number: number): string => `18870${149_646_046_769_408 + number * 256}`;
