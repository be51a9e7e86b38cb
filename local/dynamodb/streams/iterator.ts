import { minutes, toMilliseconds } from '../../../lib/base/index.ts';
import { ServiceError } from '../../service.ts';
import { validation } from '../errors.ts';

/** A place in a shard from which to read on. */
export interface Position {
  readonly arn: string;
  readonly shardId: string;
  /** The number of the next change to read. */
  readonly next: number;
}

/** How long an iterator is good for (API reference, GetShardIterator). */
const iteratorLife = toMilliseconds(minutes(15));

/** Writes a position as the text that callers hand back. */
export function writeIterator({ arn, shardId, next }: Position, now: number): string {
  const place = Buffer.from(JSON.stringify([shardId, next, now])).toString('base64url');
  return `${arn}|1|${place}`;
}

/**
 * Reads an iterator.
 *
 * @throws ServiceError `ExpiredIteratorException`; `ValidationException` for a text that no stream gave out
 */
export function readIterator(text: string, now: number): Position {
  const [arn = '', version, place = '', ...rest] = text.split('|');
  const parts = version === '1' && rest.length === 0 ? parse(place) : undefined;
  if (parts === undefined)
    throw validation('Invalid ShardIterator: it is not one that GetShardIterator gave');
  const [shardId, next, madeAt] = parts;
  if (now - madeAt > iteratorLife)
    throw new ServiceError(
      'ExpiredIteratorException',
      `The shard iterator is ${Math.floor((now - madeAt) / 1_000)} s old; it can be used for ${iteratorLife / 1_000} s. Get a new one.`,
    );
  return { arn, shardId, next };
}

function parse(place: string): readonly [string, number, number] | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(place, 'base64url').toString());
  } catch {
    // The caller answers that this is no iterator.
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [shardId, next, madeAt]: unknown[] = parts;
  if (typeof shardId !== 'string' || !Number.isSafeInteger(next) || typeof madeAt !== 'number')
    return undefined;
  return [shardId, next as number, madeAt];
}
