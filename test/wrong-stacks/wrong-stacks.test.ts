import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { catalogue, type RuleId } from '../../lib/rules/index.ts';
import { declare, judgeByHand, judgeHatched, type Specimen } from './support/specimen.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
const rules = new Map(catalogue().map((rule) => [rule.id, rule]));
const specimens = await Promise.all(
  files.map(async (file): Promise<readonly [RuleId, Specimen]> => {
    const { specimen } = (await import(/* @vite-ignore */ `./${file}`)) as { specimen: Specimen };
    return [file.replace(/\.ts$/, '') as RuleId, specimen];
  }),
);

describe('Every rule has its wrong stack, and every wrong stack its rule', () => {
  it('by name', () => {
    expect(specimens.map(([id]) => id).sort()).toEqual([...rules.keys()].sort());
  });

  it.each(specimens)('%s: for each that it judges', (id, { byHand, hatched, declared }) => {
    const subjects = [
      ...(declared === undefined ? [] : ['declaration']),
      ...(byHand === undefined && hatched === undefined ? [] : ['stack']),
    ];
    expect(subjects).toEqual([...rules.get(id)!.subjects]);
  });
});

describe('A wrong stack is refused, or warned of, by its one rule; mended it passes', () => {
  it.each(specimens.filter(([, { byHand }]) => byHand !== undefined))(
    '%s, made by hand',
    (id, { byHand }) => {
      const { errors, warnings } = judgeByHand((stack) => byHand!.wrong(stack));
      const severity = rules.get(id)!.severity;
      expect([...new Set(severity === 'error' ? errors : warnings)]).toEqual([id]);
      if (severity === 'warning') expect(errors).toEqual([]);
      const mended = judgeByHand((stack) => byHand!.mended(stack));
      expect([mended.errors, mended.warnings]).toEqual([[], []]);
    },
  );

  it.each(specimens.filter(([, { hatched }]) => hatched !== undefined))(
    '%s, by an escape hatch',
    (id, { hatched }) => {
      const { errors, warnings } = judgeHatched(hatched!);
      expect([...new Set([...errors, ...warnings])]).toEqual([id]);
    },
  );

  it('a stack of this package that nobody changed passes', () => {
    expect(judgeHatched(() => undefined)).toEqual({ errors: [], warnings: [], message: '' });
  });
});

describe('A wrong declaration is refused by its one rule; mended it is accepted', () => {
  it.each(specimens.filter(([, { declared }]) => declared !== undefined))('%s', (id, { declared }) => {
    expect(declare(declared!.wrong)).toEqual([id]);
    expect(declare(declared!.mended)).toEqual([]);
  });
});
