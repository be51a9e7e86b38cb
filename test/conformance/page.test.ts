import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serverNames } from '../servers/names.ts';
import { groups } from './cases/index.ts';
import { lasting, readRecord } from './results.ts';
import { pageFile, presentPage } from './write-page.ts';

const ids = groups.flatMap((group) => group.cases.map((one) => `${group.name}/${one.name}`));

describe('docs/conformance.md tells what was found', () => {
  it('it is what the kept results make (if not: npm run conformance -- --page)', () => {
    expect(existsSync(pageFile), 'docs/conformance.md is missing').toBe(true);
    expect(readFileSync(pageFile, 'utf8')).toBe(presentPage());
  });

  it('the model was played with every case of today, and passed (if not: npm run conformance -- --server model --record)', () => {
    const record = readRecord('model');
    expect(record?.cases.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(record?.cases.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  it('no record has a case that does not exist', () => {
    const unknown = [...serverNames, 'aws' as const].flatMap((server) =>
      (readRecord(server)?.cases ?? [])
        .filter(({ id }) => !ids.includes(id))
        .map(({ id }) => `${server}: ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it('a group has a name of its own, and so has each of its cases', () => {
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9-]*\/[a-z0-9-]+$/);
  });

  it('each case rests on a page, and says what that says', () => {
    for (const group of groups)
      for (const { name, title, source } of group.cases) {
        expect(title, `${group.name}/${name}`).toMatch(/[.…]$/);
        expect(source.page.length, `${group.name}/${name}`).toBeGreaterThan(5);
        expect(source.says.length, `${group.name}/${name}`).toBeGreaterThan(1);
      }
  });

  it('a note is kept without what differs from run to run', () => {
    expect(
      lasting('http://127.0.0.1:46287/0/queue-1ee43f6b-145 of 5ffbaa48-dd1b-4b1e-b0f5-d0b9a1d0f1b4'),
    ).toBe('ENDPOINT/0/queue-NAME of UUID');
    expect(lasting('p50 is 50.5, it should be 50.')).toBe('p50 is 50.5, it should be 50.');
  });
});
