import type { Random } from '../../lib/base/index.ts';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const word = (random: Random): number => Math.floor(random.next() * 4_294_967_296);

const hex = (value: number): string =>
  HEX[value >>> 24]! + HEX[(value >>> 16) & 255]! + HEX[(value >>> 8) & 255]! + HEX[value & 255]!;

/** A UUID of version 4 from four draws: one is made for every message. */
export function messageId(random: Random): string {
  const second = hex((word(random) & 0xffff0fff) | 0x4000);
  const third = hex((word(random) & 0x3fffffff) | 0x80000000);
  return `${hex(word(random))}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hex(word(random))}`;
}

/** The first part of a queue's receipt handles. */
export const handlePrefix = (random: Random): string => `AQEB${hex(word(random))}${hex(word(random))}/`;

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
