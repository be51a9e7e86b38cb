import { seconds } from 'sluice';
import { subscriberAlarms } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { alarmsWanted } from '../../../lib/constructs/watched.ts';
import { announcing } from '../../../lib/monitoring/index.ts';

const full = subscriberAlarms({ name: 'it', lag: seconds(60), fifo: true, concurrency: 10, alarms: 'full' });
const keysOf = (...which: Parameters<typeof alarmsWanted>) => alarmsWanted(...which).map(({ key }) => key);

describe('The switches of a stack on the full set', () => {
  it('all: as it is declared', () => {
    expect(alarmsWanted(full, 'all', 'lambda')).toEqual(full);
  });

  it('workers have no function that Lambda could tell of; the composites stay', () => {
    const absent = full.map(({ key }) => key).filter((key) => !keysOf(full, 'all', 'worker').includes(key));
    expect(absent).toEqual(['it-K-throttled', 'it-K-recursion', 'it-K-errors']);
  });

  it('plain: one metric as it is, and since no composite speaks for them, each for itself', () => {
    const plain = alarmsWanted(full, 'plain', 'lambda');
    expect(plain.map(({ key }) => key)).toEqual([
      'it-A-lag',
      'it-E-dead-letters',
      'it-E-undelivered',
      'it-K-recursion',
    ]);
    expect([...announcing(plain)]).toEqual(plain.map(({ key }) => key));
  });

  it('none: none', () => {
    expect(alarmsWanted(full, 'none', 'lambda')).toEqual([]);
  });
});
