import { describe, expect, it } from 'vitest';
import { prepareThings, ref, things as template, thing } from './things.ts';

describe('A stack never stays under way', () => {
  it('even when the engine itself fails: it says so, and can be deleted', async () => {
    const shop = prepareThings();
    const { clock } = shop;
    const now = clock.now;
    let looks = 0;
    // The third look at the clock after the last resource is made is the stack's own, at its end.
    shop.on('create B', () => {
      clock.now = () => {
        if (++looks === 3) throw new Error('the clock is broken');
        return now();
      };
    });
    await shop.create(template({ A: {}, B: { To: ref('A') } }));
    expect(looks).toBeGreaterThanOrEqual(3);
    const { StackStatus, StackStatusReason } = await shop.describe();
    expect([StackStatus, StackStatusReason]).toEqual([
      'ROLLBACK_FAILED',
      'Internal failure: the clock is broken',
    ]);
    await shop.remove();
    expect(shop.things.size).toBe(0);
  });
});

describe('What a template says of itself, a stack is asked for', () => {
  it('one resource, several, all, or the one that has a physical id', async () => {
    const shop = prepareThings();
    await shop.create(template({ A: thing({}, { Metadata: { path: 'a/b' } }), B: {} }));
    const StackName = 'Shop';
    expect(await shop.call('DescribeStackResource', { StackName, LogicalResourceId: 'A' })).toMatchObject({
      StackResourceDetail: {
        PhysicalResourceId: 'A-1',
        ResourceStatus: 'CREATE_COMPLETE',
        Metadata: '{"path":"a/b"}',
      },
    });
    const found = async (input: object) => {
      const { StackResources } = await shop.call<{ StackResources: { LogicalResourceId: string }[] }>(
        'DescribeStackResources',
        input,
      );
      return StackResources.map((resource) => resource.LogicalResourceId);
    };
    expect(await found({ StackName })).toEqual(['A', 'B']);
    expect(await found({ StackName, LogicalResourceId: 'B' })).toEqual(['B']);
    expect(await found({ PhysicalResourceId: 'A-1' })).toEqual(['A', 'B']);
    await expect(found({ PhysicalResourceId: 'none' })).rejects.toThrow('Stack for none does not exist');
    await expect(found({ StackName, LogicalResourceId: 'C' })).rejects.toThrow('Resource C does not exist');
  });
});

describe('A stack of many resources', () => {
  it('is made, changed and looked at in milliseconds', async () => {
    const shop = prepareThings();
    const many = (Value: number) =>
      template(
        Object.fromEntries(
          Array.from({ length: 400 }, (_, index) => [
            `T${index}`,
            index === 0 ? { Value } : { Value, To: ref(`T${index - 1}`) },
          ]),
        ),
      );
    const began = performance.now();
    await shop.create(many(1));
    await shop.update(many(2));
    expect(await shop.status()).toBe('UPDATE_COMPLETE');
    // Some 150 ms on an idle machine; the bound holds on a busy one, and fails for work that grows with the square.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(shop.calls).toHaveLength(800);
  });
});
