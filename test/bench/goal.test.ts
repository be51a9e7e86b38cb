import { describe, expect, it } from 'vitest';
import { goalCells, judged, summary } from '../../bench/goal.ts';

describe('The benchmark judges its goals', () => {
  it.each([
    ['below the goal', 0.19, 0.2, true],
    ['exactly at it', 0.2, 0.2, true],
    ['above it by less than is printed', 0.2001, 0.2, false],
    ['twice the goal', 50, 25, false],
    ['what was never measured', Number.NaN, 25, false],
    ['what never came to an end', Number.POSITIVE_INFINITY, 45, false],
  ])('%s', (_, found, most, met) => {
    expect(judged('figure', found, most).met).toBe(met);
  });

  it('a goal that is missed says by how much, in its unit and as a part of it', () => {
    const goal = judged('size', 30, 25, 'KB');
    expect(goal.missedBy).toBeCloseTo(0.2);
    expect(goalCells(goal)).toEqual(['<= 25 KB', 'missed by 5.00 KB (20%)']);
    expect(goalCells(judged('ratio', 0.75, 0.5))).toEqual(['<= 0.5', 'missed by 0.25 (50%)']);
    expect(goalCells(judged('size', Number.NaN, 25))[1]).toBe('missed: not measured');
  });

  it('a goal that is met, and a figure without one', () => {
    const goal = judged('load', 3, 5, 'ms');
    expect(goal.missedBy).toBe(0);
    expect(goalCells(goal)).toEqual(['<= 5 ms', 'met']);
    expect(goalCells(undefined)).toEqual(['', '']);
  });

  it('the summary counts all and names what is missed', () => {
    expect(summary([judged('load', 3, 5, 'ms'), judged('size', 30, 25, 'KB')])).toBe(
      '1 of 2 goals met.\n  size: missed by 5.00 KB (20%)',
    );
    expect(summary([judged('load', 3, 5, 'ms')])).toBe('1 of 1 goals met.');
  });
});
