import { describe, expect, it } from 'vitest';
import { type AlarmState, judge, type MissingData } from '../../../local/cloudwatch/alarm-state.ts';

const RETAINED: AlarmState = 'INSUFFICIENT_DATA';
const range = (text: string) =>
  text.split(' ').map((sign) => (sign === '-' ? Number.NaN : sign === 'X' ? 1 : 0));

const judged = (points: string, needed: number, missing: MissingData) =>
  judge(range(points), { evaluated: 3, needed, missing, breaches: (value) => value > 0 }, RETAINED).state;

describe('missing data is treated as the tables of the CloudWatch user guide say', () => {
  // Columns: missing, ignore, breaching, notBreaching. X breaches, 0 does not, - is missing.
  const INSUFFICIENT = 'INSUFFICIENT_DATA';
  it.each([
    ['0 - X - X', 3, 'OK', 'OK', 'OK', 'OK'],
    ['- - - - 0', 3, 'OK', 'OK', 'OK', 'OK'],
    ['- - - - -', 3, INSUFFICIENT, RETAINED, 'ALARM', 'OK'],
    ['0 X X - X', 3, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    ['- - X - -', 3, 'ALARM', RETAINED, 'ALARM', 'OK'],
    ['0 - X - X', 2, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    ['0 0 X 0 X', 2, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    ['0 - X - -', 2, 'OK', 'OK', 'ALARM', 'OK'],
    ['- - - - 0', 2, 'OK', 'OK', 'ALARM', 'OK'],
    ['- - - X -', 2, 'ALARM', RETAINED, 'ALARM', 'OK'],
    ['- - - - X', 2, 'OK', 'OK', 'ALARM', 'OK'],
  ] as const)('%s, %i of 3', (points, needed, missing, ignore, breaching, notBreaching) => {
    expect({
      missing: judged(points, needed, 'missing'),
      ignore: judged(points, needed, 'ignore'),
      breaching: judged(points, needed, 'breaching'),
      notBreaching: judged(points, needed, 'notBreaching'),
    }).toEqual({ missing, ignore, breaching, notBreaching });
  });

  it('with N real points in the longer range, the treatment plays no part', () => {
    for (const missing of ['missing', 'ignore', 'breaching', 'notBreaching'] as const) {
      expect(judged('X - X - X', 3, missing)).toBe('ALARM');
      expect(judged('0 - 0 - X', 2, missing)).toBe('OK');
    }
  });

  it('tells which points decided, oldest first', () => {
    const rule = {
      evaluated: 2,
      needed: 1,
      missing: 'missing',
      breaches: (value: number) => value > 0,
    } as const;
    expect(judge(range('0 X - 0'), rule, 'OK')).toEqual({
      state: 'ALARM',
      points: [
        { index: 1, value: 1 },
        { index: 3, value: 0 },
      ],
      filled: 0,
    });
  });
});
