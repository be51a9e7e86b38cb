import { invalidRange, notModelled, notModified, preconditionFailed } from './errors.ts';
import type { Version } from './store.ts';

interface ReadConditions {
  readonly IfMatch?: string | undefined;
  readonly IfNoneMatch?: string | undefined;
  readonly IfModifiedSince?: Date | undefined;
  readonly IfUnmodifiedSince?: Date | undefined;
}

const bare = (etag: string): string => etag.replaceAll('"', '');
const names = (list: string, etag: string): boolean =>
  list.split(',').some((entry) => entry.trim() === '*' || bare(entry.trim()) === bare(etag));
/** Headers know whole seconds. */
const second = (moment: number): number => Math.floor(moment / 1000);

/** Whether a version may be read under the request's conditions; tags win over times (RFC 9110, section 13.2.2). */
export function checkRead(version: Version, input: ReadConditions): void {
  const { IfMatch, IfNoneMatch, IfModifiedSince, IfUnmodifiedSince } = input;
  const modified = second(version.modifiedAt);
  if (IfMatch !== undefined) {
    if (!names(IfMatch, version.etag)) throw preconditionFailed('If-Match');
  } else if (IfUnmodifiedSince !== undefined && modified > second(IfUnmodifiedSince.getTime()))
    throw preconditionFailed('If-Unmodified-Since');
  if (IfNoneMatch !== undefined) {
    if (names(IfNoneMatch, version.etag)) throw notModified();
  } else if (IfModifiedSince !== undefined && modified <= second(IfModifiedSince.getTime()))
    throw notModified();
}

/** Whether an object may be written over what is there (S3 user guide, "Conditional writes"). */
export function checkWrite(
  present: Version | undefined,
  input: { readonly IfMatch?: string | undefined; readonly IfNoneMatch?: string | undefined },
): void {
  const there = present !== undefined && !present.isMarker ? present : undefined;
  if (input.IfNoneMatch !== undefined) {
    if (input.IfNoneMatch !== '*')
      throw notModelled('If-None-Match of a write takes "*" only: the object must not exist.');
    if (there !== undefined) throw preconditionFailed('If-None-Match');
  }
  if (input.IfMatch !== undefined && (there === undefined || !names(input.IfMatch, there.etag)))
    throw preconditionFailed('If-Match');
}

/** The first byte and the one behind the last; `undefined` for the whole object, as for a range that S3 cannot read. */
export function rangeOf(range: string | undefined, size: number): readonly [number, number] | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start >= size || (first === '' && Number(last) === 0)) throw invalidRange(range ?? '', size);
  return [start, end];
}
