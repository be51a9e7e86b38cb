import { ServiceError } from '../service.ts';

/** One page of a list; the marker is the place where the next begins. */
export function pageOf<Item>(
  items: readonly Item[],
  { Limit = 100, Marker }: { readonly Limit?: number | undefined; readonly Marker?: string | undefined },
): {
  readonly page: readonly Item[];
  readonly more: { readonly Truncated: boolean; readonly NextMarker?: string };
} {
  const start = Marker === undefined ? 0 : Number(Marker);
  if (!Number.isInteger(start) || start < 0 || start > items.length)
    throw new ServiceError('InvalidMarkerException', `The marker '${Marker}' is not one of this list.`);
  const end = start + Limit;
  return {
    page: items.slice(start, end),
    more: end < items.length ? { Truncated: true, NextMarker: String(end) } : { Truncated: false },
  };
}
