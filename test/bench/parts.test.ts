import { describe, expect, it } from 'vitest';
import { calls } from '../../bench/calls/index.ts';
import type { Table } from '../../bench/part.ts';
import { recovery } from '../../bench/recovery/index.ts';
import { createTrack } from '../../bench/runtime/track.ts';

const quick = { quick: true, say: () => {} };

/** A row by its name, its cells by their columns; columns of one name are numbered. */
function rowOf({ columns, rows }: Table, name: string): Record<string, string | number> {
  const row = rows.find(([first]) => first === name);
  if (row === undefined) throw new Error(`There is no row "${name}".`);
  const met = new Map<string, number>();
  return Object.fromEntries(
    row.map((cell, index) => {
      const column = columns[index] as string;
      const count = (met.get(column) ?? 0) + 1;
      met.set(column, count);
      return [count === 1 ? column : `${column} ${count}`, cell];
    }),
  );
}

describe('The benchmark counts what a message costs in DynamoDB', () => {
  it('calls and write units of first delivery, duplicate, retry and commit, ours and theirs', async () => {
    const [table] = await calls.measure(quick);
    expect(rowOf(table!, 'first delivery')).toMatchObject({
      'calls: sluice': 0.2,
      Powertools: 2,
      'write units: sluice': 2,
      'Powertools 2': 2,
    });
    expect(rowOf(table!, 'duplicate: delivered again')).toMatchObject({ 'write units: sluice': 0 });
    // Put, delete, put, update.
    expect(rowOf(table!, 'a failed try, then done')).toMatchObject({ Powertools: 4, 'Powertools 2': 4 });
    // A claim, and twice the units for record and effect in one transaction.
    expect(rowOf(table!, 'first delivery, commitWith')).toMatchObject({
      'calls: sluice': 1.1,
      'write units: sluice': 5,
      'Powertools 2': 3,
    });
    expect(rowOf(table!, 'first delivery, transactional')).toMatchObject({
      'calls: sluice': 0.1,
      'write units: sluice': 4,
    });
  });

  it('each row has its goal, and the first deliveries one for the calls', async () => {
    const [{ goals, rows }] = (await calls.measure(quick)) as [Table];
    expect(goals?.filter(({ name }) => name.startsWith('calls, ')).map(({ name }) => name)).toEqual([
      'calls, first delivery, of Powertools',
      'calls, first delivery, commitWith, of Powertools',
      'calls, first delivery, transactional, of Powertools',
    ]);
    expect(goals).toHaveLength(rows.length + 3);
    expect(goals?.[0]).toMatchObject({ found: 0.1, most: 0.3, met: true });
  });
});

describe('The benchmark recovers killed jobs', () => {
  it('in the time of a lease after the first heartbeat, and of the visibility before it', async () => {
    const [table] = await recovery.measure(quick);
    const wait = (name: string) => rowOf(table!, name)['runs again after, s'] as number;
    expect(wait('killed after its first heartbeat')).toBeLessThanOrEqual(45);
    expect(wait('killed in the middle')).toBeLessThanOrEqual(45);
    expect(wait('killed before its first heartbeat')).toBeGreaterThan(5_000);
    expect(wait('no heartbeat, six-fold visibility')).toBe(5_398);
    expect(table!.goals?.map(({ met }) => met)).toEqual([true, true]);
  });
});

describe('The benchmark plays recorded answers', () => {
  it('by action, in the order of the requests, over and over, refusals too', async () => {
    let served = 0;
    const track = createTrack(
      (request: string) => request.split(' ')[0] as string,
      async (request) => {
        served += 1;
        if (request.endsWith('bad')) throw new Error(request);
        return `${request} answered`;
      },
    );
    await track.record(async () => {
      await track.play('put 1');
      await track.play('get 1');
      await track.play('put bad').catch(() => undefined);
    });
    expect(await track.play('put x')).toBe('put 1 answered');
    expect(await track.play('get x')).toBe('get 1 answered');
    await expect(track.play('put x')).rejects.toThrow('put bad');
    expect(await track.play('put x')).toBe('put 1 answered');
    expect(served).toBe(3);
    expect(track.requests()).toBe(7);
    await expect(track.play('delete x')).rejects.toThrow('delete was not called while the tape was recorded');
  });
});
