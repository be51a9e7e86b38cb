import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CaseResult } from './play.ts';
import type { World } from './world.ts';

/** How a server did, on a day. */
export interface ServerRecord {
  readonly server: World['server'];
  readonly version: string;
  /** `2026-11-29` */
  readonly date: string;
  /** Of the model: requests by group and service, of which is worked out what a run on AWS costs. */
  readonly requests?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly cases: readonly RecordedCase[];
}

/** A result as it is kept: its group is the first half of its id. */
export type RecordedCase = Pick<CaseResult, 'id' | 'status' | 'note'>;

const folder = new URL('./results/', import.meta.url);
const fileOf = (server: World['server']): string => fileURLToPath(new URL(`${server}.json`, folder));

/** The record of a server, if there is one. */
export function readRecord(server: World['server']): ServerRecord | undefined {
  const file = fileOf(server);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServerRecord) : undefined;
}

/**
 * Keeps how a server did, a case a line. Results of a part of the cases take the place of those that were kept of the
 * same cases; those of cases that no longer exist go.
 */
export function writeRecord(
  { cases, ...about }: Omit<ServerRecord, 'cases'> & { readonly cases: readonly CaseResult[] },
  ids: readonly string[],
): void {
  const found = new Map((readRecord(about.server)?.cases ?? []).map((each) => [each.id, each]));
  for (const { id, status, note } of cases) found.set(id, { id, status, note: lasting(note) });
  const kept = ids.flatMap((id) => found.get(id) ?? []);
  const requests = { ...readRecord(about.server)?.requests, ...about.requests };
  const known = Object.entries(requests).filter(([group]) => ids.some((id) => id.startsWith(`${group}/`)));
  const counted = known.length === 0 ? {} : { requests: Object.fromEntries(known) };
  const text = JSON.stringify({ ...about, ...counted, cases: [] }, undefined, 2).replace(
    '"cases": []',
    () => `"cases": [\n${kept.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`,
  );
  mkdirSync(folder, { recursive: true });
  // Whole or not at all, also when the disk is full.
  const file = fileOf(about.server);
  writeFileSync(`${file}.new`, `${text}\n`);
  renameSync(`${file}.new`, file);
}

/** A note without what is different in every run: addresses, names of the run, ids, times. */
export const lasting = (note: string): string =>
  note
    .replace(/http:\/\/(127\.0\.0\.1|localhost(\.localstack\.cloud)?):\d+/g, 'ENDPOINT')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID')
    .replace(/\b([a-z]+(?:-[a-z]+)*)-(?:[0-9a-f]{8}|model)-\d+/g, '$1-NAME')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:?00)?/g, 'TIME');
