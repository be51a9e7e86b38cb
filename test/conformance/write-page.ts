import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { serverNames } from '../servers/names.ts';
import { groups } from './cases/index.ts';
import { conformancePage, type RecordedSuite } from './page.ts';
import { readRecord } from './results.ts';

/** The page, beside the other documents. */
export const pageFile = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));

const suitesFolder = fileURLToPath(new URL('./suites/', import.meta.url));

/** Sections that others provide: `suites/NAME.md`, the first line is the title. */
function suites(): readonly RecordedSuite[] {
  if (!existsSync(suitesFolder)) return [];
  return readdirSync(suitesFolder)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const [title = '', ...rest] = readFileSync(`${suitesFolder}${name}`, 'utf8').split('\n');
      return { name: title.replace(/^#+\s*/, ''), table: rest.join('\n') };
    });
}

/** The page of what is kept. */
export const presentPage = (): string =>
  conformancePage(
    groups,
    [...serverNames, 'aws' as const].flatMap((name) => readRecord(name) ?? []),
    suites(),
  );

/** Writes docs/conformance.md anew. */
export const writePage = (): void => writeFileSync(pageFile, presentPage());
