import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import { arn, prepareThings, ref, things as template } from './things.ts';

/** A stack of which one step waits until it is let go. */
async function held(call: string) {
  const shop = prepareThings();
  let letGo = () => {};
  let reached = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const there = new Promise<void>((resolve) => {
    reached = resolve;
  });
  shop.on(call, () => {
    reached();
    return gate;
  });
  return { shop, letGo, there };
}

const one = template({ A: {}, B: { To: ref('A') } });
const two = template({ A: { Value: 2 }, B: { To: ref('A') }, C: {} });

describe('While a deployment runs', () => {
  it('everybody sees how far it is', async () => {
    const { shop, letGo, there } = await held('create B');
    const done = shop.create(one);
    await there;
    expect(await shop.status()).toBe('CREATE_IN_PROGRESS');
    expect(await shop.events()).toEqual([
      'CREATE_IN_PROGRESS Shop',
      'CREATE_IN_PROGRESS A',
      'CREATE_COMPLETE A',
      'CREATE_IN_PROGRESS B',
    ]);
    letGo();
    await done;
    expect(await shop.status()).toBe('CREATE_COMPLETE');
  });

  it('its caller is answered when it is done, and no later than after a second and a half', async () => {
    const { shop, letGo, there } = await held('create B');
    let answered = false;
    const done = shop.create(one).then(() => {
      answered = true;
    });
    await there;
    await shop.clock.advance(milliseconds(1_499));
    expect(answered).toBe(false);
    await shop.clock.advance(milliseconds(1));
    await done;
    expect(await shop.status()).toBe('CREATE_IN_PROGRESS');
    letGo();
    await shop.clock.settle();
    expect(await shop.status()).toBe('CREATE_COMPLETE');
    expect(shop.clock.nextTimer()).toBeUndefined();
  });

  it('no other begins, each is told the state, and the first goes on untouched', async () => {
    const { shop, letGo, there } = await held('update A');
    await shop.create(one);
    const waiting = await shop.look(template({ A: { Value: 9 } }));
    const done = shop.update(two);
    await there;
    const { StackId } = await shop.describe();
    const refused = `Stack:${StackId} is in UPDATE_IN_PROGRESS state and can not be updated.`;
    for (const other of [
      () => shop.update(one),
      () => shop.look(one),
      () => shop.look(one, { ChangeSetType: 'CREATE' }),
      () => shop.deploy(one),
    ])
      await expect(other()).rejects.toThrow(refused);
    await expect(shop.call('ExecuteChangeSet', { ChangeSetName: waiting.ChangeSetId })).rejects.toMatchObject(
      {
        name: 'ChangeSetNotFoundException',
      },
    );
    await expect(shop.remove()).rejects.toThrow(
      'Stack [Shop] cannot be deleted while in status UPDATE_IN_PROGRESS',
    );
    letGo();
    await done;
    expect([await shop.status(), Object.keys(await shop.ids())]).toEqual([
      'UPDATE_COMPLETE',
      ['A', 'B', 'C'],
    ]);
  });

  it('two that begin at the same moment do not mix', async () => {
    const shop = prepareThings();
    const results = await Promise.allSettled([shop.create(one), shop.create(two), shop.deploy(one)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(shop.things.size).toBe(Object.keys(await shop.ids()).length);
    const updates = await Promise.allSettled([shop.deploy(two), shop.deploy(one), shop.deploy(two)]);
    expect(updates.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect([...shop.things.keys()].sort()).toEqual(Object.values(await shop.ids()).sort());
  });
});

describe('Events', () => {
  it('are told in pages, the newest first, none twice while others are added', async () => {
    const shop = prepareThings();
    const many = Array.from({ length: 80 }, (_, index) => [`T${index}`, {}] as const);
    await shop.create(template(Object.fromEntries(many)));
    type Page = { StackEvents: { EventId: string; Timestamp: Date }[]; NextToken?: string };
    const page = (NextToken?: string) =>
      shop.call<Page>('DescribeStackEvents', { StackName: 'Shop', NextToken });
    const { StackEvents, NextToken } = await page();
    expect(StackEvents).toHaveLength(100);
    await shop.update(template({ ...Object.fromEntries(many), New: {} }));
    const rest = await page(NextToken);
    expect(rest.NextToken).toBeUndefined();
    const all = [...StackEvents, ...rest.StackEvents];
    expect(new Set(all.map(({ EventId }) => EventId)).size).toBe(2 * 80 + 2);
    const times = all.map(({ Timestamp }) => Timestamp.getTime());
    expect(times).toEqual(times.toSorted((left, right) => right - left));
    expect(new Set(times).size).toBe(times.length);
  });

  it('of one operation have one id, and the token of the request', async () => {
    const shop = prepareThings();
    await shop.create(one, { ClientRequestToken: 'first' });
    shop.failing.set('update A', 'once');
    await shop.update(two, { ClientRequestToken: 'second' });
    type Told = {
      OperationEvents: { OperationId: string; ClientRequestToken: string; ResourceStatus: string }[];
    };
    const { OperationEvents } = await shop.call<Told>('DescribeEvents', { StackName: 'Shop' });
    const ofToken = (token: string) => OperationEvents.filter((event) => event.ClientRequestToken === token);
    const ids = ['first', 'second'].map((token) => new Set(ofToken(token).map((event) => event.OperationId)));
    expect(ids.map(({ size }) => size)).toEqual([1, 1]);
    const [OperationId] = ids[1]!;
    const failed = await shop.call<Told>('DescribeEvents', { OperationId, Filters: { FailedEvents: true } });
    expect(failed.OperationEvents).toMatchObject([{ ResourceStatus: 'UPDATE_FAILED' }]);
  });
});

describe('A stack that was deleted', () => {
  it('is shown by its ARN and by no name, and its name is free', async () => {
    const shop = prepareThings();
    await shop.create(one, { Tags: [{ Key: 'a', Value: 'b' }] });
    const { StackId } = await shop.describe();
    await shop.remove();
    await expect(shop.describe()).rejects.toThrow('Stack with id Shop does not exist');
    expect(await shop.describe(StackId)).toMatchObject({ StackStatus: 'DELETE_COMPLETE', StackName: 'Shop' });
    expect((await shop.events(StackId)).at(-1)).toBe('DELETE_COMPLETE Shop');
    await expect(shop.call('DescribeStackEvents', { StackName: 'Shop' })).rejects.toThrow(
      'Stack [Shop] does not exist',
    );
    await shop.call('DeleteStack', { StackName: StackId });
    await shop.create(template({ A: {}, B: { To: arn('A') } }));
    const { StackSummaries } = await shop.call<{ StackSummaries: object[] }>('ListStacks', {});
    expect(StackSummaries).toMatchObject([
      { StackName: 'Shop', StackStatus: 'CREATE_COMPLETE' },
      { StackId, StackStatus: 'DELETE_COMPLETE' },
    ]);
    expect(await shop.call('DescribeStacks', {})).toMatchObject({
      Stacks: [{ StackStatus: 'CREATE_COMPLETE' }],
    });
  });
});
