import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Break, breaks } from '../../ops/simulation/breaks/index.ts';
import { hazards } from '../hazards/list.ts';
import { hazardsPage, numberOf } from '../hazards/page.ts';
import { pages, root } from './support.ts';

const folder = join(root, 'test/hazards');

/** The suites of the files, as they are written there. */
const suites = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:describe|test|it)\('((?:[^'\\]|\\.)+)'/gm),
    ].map(([, name = '']) => ({ file, name: name.replaceAll("\\'", "'") })),
  );

/** The page with its counts left out: they are of the run that wrote it. */
const withoutCounts = (text: string): string => text.replace(/\| \d+ passed \|$/gm, '|');

describe('docs/hazards.md tells what the suites hold', () => {
  it.each(hazards.map(({ number }) => number))('hazard %i has a suite', (number) => {
    expect(suites.filter(({ name }) => numberOf(name) === number)).not.toEqual([]);
  });

  it('every suite is about the hazard of its file', () => {
    for (const { file, name } of suites)
      expect([file, numberOf(name)]).toEqual([file, Number(file.slice(0, 2))]);
  });

  it('the page has every hazard with its suites, all passed', () => {
    const text = pages.get('docs/hazards.md') ?? '';
    const [table = ''] = text.split('\n\n## ');
    const [expected = ''] = hazardsPage(
      suites.map(({ name }) => ({ name, passed: 1, failed: 0 })),
      '',
    ).split('\n\n## ');
    expect(withoutCounts(table).trim()).toBe(withoutCounts(expected).trim());
  });

  it('the page has every broken runtime, each found out', () => {
    const [, table = ''] = (pages.get('docs/hazards.md') ?? '').split('| mutation |');
    const rows = [...table.matchAll(/^\| `(\w+)` \|.*\| (.+) \| (.+) \|$/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(breaks).sort());
    for (const [, name = '', kinds = '', seed = ''] of rows) {
      const { expected, within } = breaks[name] as Break;
      expect(
        expected.some((kind) => kinds.split(', ').includes(kind)),
        name,
      ).toBe(true);
      expect(Number(seed), name).toBeLessThanOrEqual(within);
    }
  });
});
