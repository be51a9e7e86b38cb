import { ServiceError } from '../service.ts';
import {
  batchEntryIdsNotDistinct,
  emptyBatchRequest,
  invalidBatchEntryId,
  tooManyEntries,
} from './errors.ts';
import { QUOTAS } from './quotas.ts';

/** One entry that failed, as all batch actions report it. */
export interface FailedEntry {
  Id: string | undefined;
  SenderFault: boolean | undefined;
  Code: string | undefined;
  Message?: string | undefined;
}

/** Checks what all batch actions ask of their entries: 1 to 10 of them, with distinct and legal ids. */
export function checkEntries<T extends { readonly Id: string | undefined }>(
  entries: readonly T[] | undefined,
): readonly T[] {
  if (entries === undefined || entries.length === 0) throw emptyBatchRequest();
  if (entries.length > QUOTAS.batchEntries) throw tooManyEntries(QUOTAS.batchEntries, entries.length);
  const seen = new Set<string>();
  for (const { Id: id } of entries) {
    if (id === undefined || !/^[A-Za-z0-9_-]{1,80}$/.test(id)) throw invalidBatchEntryId();
    if (seen.has(id)) throw batchEntryIdsNotDistinct(id);
    seen.add(id);
  }
  return entries;
}

/** Runs each entry by itself: what one refuses does not touch the others. */
export function runEntries<T extends { readonly Id: string | undefined }, R>(
  entries: readonly T[],
  run: (entry: T) => R,
): { Successful: R[]; Failed: FailedEntry[] | undefined } {
  const successful: R[] = [];
  let failed: FailedEntry[] | undefined;
  for (const entry of entries) {
    try {
      successful.push(run(entry));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      failed ??= [];
      failed.push({
        Id: entry.Id,
        SenderFault: error.statusCode < 500,
        Code: error.queryCode ?? error.name,
        Message: error.message,
      });
    }
  }
  return { Successful: successful, Failed: failed };
}
