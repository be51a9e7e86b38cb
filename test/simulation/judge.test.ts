import { describe, expect, test } from 'vitest';
import { type Finding, judge } from './judge.ts';

const clean: Finding = {
  subscriber: 's',
  ordered: true,
  expected: [
    { id: 'a1', group: 'a', fate: 'effect' },
    { id: 'b1', group: 'b', fate: 'letter' },
    { id: 'a2', group: 'a', fate: 'effect' },
  ],
  effects: ['a1', 'a2'],
  letters: ['b1', undefined],
  poison: 1,
  left: 0,
};

describe('the judge finds each broken promise, and no other', () => {
  test.each<[string, Partial<Finding>, string[]]>([
    ['nothing', {}, []],
    ['copies of a letter', { letters: ['b1', 'b1', undefined] }, []],
    ['stuck', { left: 2 }, ['2 messages are stuck']],
    ['lost', { effects: ['a1'] }, ['lost: a2 has neither effect nor dead letter']],
    ['lost poison', { letters: ['b1'] }, ['lost: 1 of 1 poison messages have no dead letter']],
    ['doubled', { effects: ['a1', 'a2', 'a2'] }, ['doubled: the effect of a2 happened 2 times']],
    ['reordered', { effects: ['a2', 'a1'] }, ['reordered: in group a a1 came after a2']],
    ['not ordered', { effects: ['a2', 'a1'], ordered: false }, []],
    ['buried', { effects: ['a1'], letters: ['b1', 'a2', undefined] }, ['buried: a2 could have been done']],
    [
      'done and buried',
      { letters: ['b1', 'a2', undefined] },
      ['contradicted: a2 has its effect and a dead letter'],
    ],
    [
      'done though it had to fail',
      { effects: ['a1', 'b1', 'a2'], letters: [undefined] },
      ['wrong: b1 had to fail and has an effect'],
    ],
    ['invented', { effects: ['a1', 'a2', 'c1'] }, ['invented: nobody published c1']],
  ])('%s', (_name, change, faults) => {
    expect(judge([{ ...clean, ...change }])).toEqual(faults.map((fault) => `s: ${fault}`));
  });
});
