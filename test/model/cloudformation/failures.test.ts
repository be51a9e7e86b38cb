import { describe, expect, it } from 'vitest';
import { DeploymentError } from '../../../local/cloudformation/index.ts';
import { arn, prepareThings, ref, things as template, thing } from './things.ts';

const first = template(
  { Base: { Kind: 'a' }, Value: { Value: 1 }, User: { To: arn('Base') } },
  { Outputs: { Out: { Value: ref('Base') } } },
);
/** Replaces one, changes two, adds two. */
const second = template(
  { Base: { Kind: 'b' }, Value: { Value: 2 }, User: { To: arn('Base') }, New: {}, Last: {} },
  { Outputs: { Out: { Value: 'changed' } } },
);

type Shop = ReturnType<typeof prepareThings>;

/** Everything that an update might change. */
async function pictureOf(shop: Shop) {
  const { Outputs, Parameters, Tags, Description } = await shop.describe();
  const { TemplateBody } = await shop.call<{ TemplateBody: string }>('GetTemplate', { StackName: 'Shop' });
  const stack = { Outputs, Parameters, Tags, Description, TemplateBody };
  return { stack, ids: await shop.ids(), things: new Map(shop.things) };
}

const reasonsOf = async (shop: Shop) => {
  const { StackEvents } = await shop.call<{ StackEvents: { ResourceStatusReason?: string }[] }>(
    'DescribeStackEvents',
    { StackName: 'Shop' },
  );
  return StackEvents.map((event) => event.ResourceStatusReason);
};

/** The things that there are, and those that the stack says it has. */
const balanceOf = async ({ things, ids }: Shop) => [
  [...things.keys()].sort(),
  Object.values(await ids()).sort(),
];

describe('An update that fails leaves the stack as it was', () => {
  it.each([
    ['when something cannot be made', 'create Last', 'The following resource(s) failed to create: [Last].'],
    ['when a change fails half way', 'update Value', 'The following resource(s) failed to update: [Value].'],
    [
      'when a new resource cannot take an old one’s place',
      'create Base',
      'The following resource(s) failed to update: [Base].',
    ],
  ])('%s', async (_when, call, reason) => {
    const shop = prepareThings();
    await shop.create(first);
    const before = await pictureOf(shop);
    shop.failing.set(call, 'once');
    await shop.update(second);
    expect(await shop.status()).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(await pictureOf(shop)).toEqual(before);
    const reasons = await reasonsOf(shop);
    expect(reasons).toContain(`${call} fails`);
    expect(reasons).toContain(reason);
    await shop.update(second);
    expect(await shop.status()).toBe('UPDATE_COMPLETE');
    const [things, ids] = await balanceOf(shop);
    expect(things).toEqual(ids);
  });

  it('when an output has no value', async () => {
    const shop = prepareThings();
    await shop.create(first);
    const before = await pictureOf(shop);
    await shop.update({ ...second, Outputs: { Out: { Value: { 'Fn::ImportValue': 'nothing' } } } });
    expect([await shop.status(), await pictureOf(shop)]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
  });

  it('when it is cancelled', async () => {
    const shop = prepareThings();
    await shop.create(first);
    const before = await pictureOf(shop);
    shop.on('create Base', () => shop.call('CancelUpdateStack', { StackName: 'Shop' }));
    await shop.update(second);
    expect([await shop.status(), await pictureOf(shop)]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
    expect(await reasonsOf(shop)).toContain('The update was cancelled.');
    await expect(shop.call('CancelUpdateStack', { StackName: 'Shop' })).rejects.toThrow(
      'cannot be called from current stack status UPDATE_ROLLBACK_COMPLETE',
    );
  });

  it('also when it is deployed in process, and says why', async () => {
    const shop = prepareThings();
    await shop.deploy(first);
    const before = await pictureOf(shop);
    shop.failing.set('create New', 'once');
    const error = await shop.deploy(second).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeploymentError);
    expect((error as DeploymentError).message).toBe(
      'Stack Shop was not updated. New (Test::Thing): create New fails',
    );
    expect(await pictureOf(shop)).toEqual(before);
    const { outputs } = await shop.deploy(second);
    expect(outputs).toEqual({ Out: 'changed' });
    const { id } = await shop.deploy(second);
    expect([(await shop.describe()).StackId, await shop.status()]).toEqual([id, 'UPDATE_COMPLETE']);
  });

  it('and what it had made with a policy to retain it stays, unless that is not wanted', async () => {
    for (const RetainExceptOnCreate of [false, true]) {
      const shop = prepareThings();
      await shop.create(first);
      shop.failing.set('create Last', 'once');
      const New = thing({}, { DeletionPolicy: 'Retain' });
      await shop.update(template({ New, Last: { To: ref('New') } }), { RetainExceptOnCreate });
      expect(await shop.status()).toBe('UPDATE_ROLLBACK_COMPLETE');
      expect([...shop.things.keys()].some((id) => id.startsWith('New'))).toBe(!RetainExceptOnCreate);
    }
  });
});

describe('A rollback that fails can be continued', () => {
  const stuck = async () => {
    const shop = prepareThings();
    await shop.create(first);
    const before = await pictureOf(shop);
    shop.failing.set('create Last', 'once');
    // The change itself goes well, the way back does not.
    shop.on('create Last', () => shop.failing.set('update User', 'always'));
    await shop.update(second);
    expect(await shop.status()).toBe('UPDATE_ROLLBACK_FAILED');
    return { shop, before };
  };

  it('and ends where it began', async () => {
    const { shop, before } = await stuck();
    await expect(shop.update(second)).rejects.toThrow(
      'is in UPDATE_ROLLBACK_FAILED state and can not be updated',
    );
    await shop.call('ContinueUpdateRollback', { StackName: 'Shop' });
    expect(await shop.status()).toBe('UPDATE_ROLLBACK_FAILED');
    shop.failing.clear();
    await shop.call('ContinueUpdateRollback', { StackName: 'Shop' });
    expect([await shop.status(), await pictureOf(shop)]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
    await expect(shop.call('ContinueUpdateRollback', { StackName: 'Shop' })).rejects.toThrow(
      'is in UPDATE_ROLLBACK_COMPLETE state and can not continue its rollback',
    );
  });

  it.each([
    ['those named', { ResourcesToSkip: ['User'] }],
    ['all that fail', { ForceRollback: true }],
  ])('without %s', async (_which, options) => {
    const { shop, before } = await stuck();
    await expect(
      shop.call('ContinueUpdateRollback', { StackName: 'Shop', ResourcesToSkip: ['Base'] }),
    ).rejects.toThrow('[Base]');
    await shop.call('ContinueUpdateRollback', { StackName: 'Shop', ...options });
    expect(await shop.status()).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(await reasonsOf(shop)).toContain('Resource skipped during UpdateRollback');
    expect(await shop.ids()).toEqual(before.ids);
    const [things, ids] = await balanceOf(shop);
    expect(things).toEqual(ids);
  });

  it('and the stack can be deleted with everything that was made', async () => {
    const { shop } = await stuck();
    shop.failing.clear();
    await shop.remove();
    expect([...shop.things.keys()]).toEqual([]);
  });
});

describe('A creation that fails', () => {
  const broken = template({ A: {}, Kept: thing({}, { DeletionPolicy: 'Retain' }), B: { To: ref('A') } });
  const failed = async (rest: object = {}) => {
    const shop = prepareThings();
    shop.failing.set('create B', 'once');
    await shop.create(broken, rest);
    return shop;
  };

  it('leaves a stack that can only be deleted, and what is retained', async () => {
    const shop = await failed();
    expect(await shop.status()).toBe('ROLLBACK_COMPLETE');
    expect([...shop.things.keys()]).toEqual(['Kept-2']);
    expect(await shop.events()).toEqual([
      'CREATE_IN_PROGRESS Shop',
      'CREATE_IN_PROGRESS A',
      'CREATE_COMPLETE A',
      'CREATE_IN_PROGRESS Kept',
      'CREATE_COMPLETE Kept',
      'CREATE_IN_PROGRESS B',
      'CREATE_FAILED B',
      'ROLLBACK_IN_PROGRESS Shop',
      'DELETE_SKIPPED Kept',
      'DELETE_IN_PROGRESS A',
      'DELETE_COMPLETE A',
      'ROLLBACK_COMPLETE Shop',
    ]);
    expect(await reasonsOf(shop)).toContain(
      'The following resource(s) failed to create: [B]. Rollback requested by user.',
    );
    for (const again of [() => shop.update(first), () => shop.look(first)])
      await expect(again()).rejects.toThrow('is in ROLLBACK_COMPLETE state and can not be updated');
    await expect(shop.create(first)).rejects.toThrow('Stack [Shop] already exists');
    await shop.remove();
    await shop.create(first);
    expect(await shop.status()).toBe('CREATE_COMPLETE');
  });

  it('removes also what is retained when that is wanted', async () => {
    const shop = await failed({ RetainExceptOnCreate: true });
    expect([...shop.things.keys()]).toEqual([]);
  });

  it('is left as far as it came without rollback, goes on with the next template, or is rolled back', async () => {
    const options = [{ DisableRollback: true }, { OnFailure: 'DO_NOTHING' }];
    for (const rest of options) {
      const shop = await failed(rest);
      expect(await shop.status()).toBe('CREATE_FAILED');
      expect([...shop.things.keys()]).toEqual(['A-1', 'Kept-2']);
      await expect(shop.update(broken)).rejects.toThrow('non-terminal [CREATE_FAILED] state');
      await shop.update(broken, { DisableRollback: true });
      expect(await shop.status()).toBe('UPDATE_COMPLETE');
      expect([...shop.things.keys()]).toEqual(['A-1', 'Kept-2', 'B-3']);
    }
    const shop = await failed(options[0]);
    await shop.call('RollbackStack', { StackName: 'Shop', RetainExceptOnCreate: true });
    expect([await shop.status(), shop.things.size]).toEqual(['ROLLBACK_COMPLETE', 0]);
    await expect(shop.call('RollbackStack', { StackName: 'Shop' })).rejects.toThrow('can not be rolled back');
  });

  it('takes the stack with it when that is wanted', async () => {
    const shop = await failed({ OnFailure: 'DELETE' });
    await expect(shop.status()).rejects.toThrow('Stack with id Shop does not exist');
    expect([...shop.things.keys()]).toEqual(['Kept-2']);
  });

  it('is no hindrance for the next deployment in process', async () => {
    const shop = prepareThings();
    shop.failing.set('create B', 'once');
    await expect(shop.deploy(broken)).rejects.toThrow(
      'Stack Shop was not created. B (Test::Thing): create B fails',
    );
    // As `cdk deploy` does: what is to be retained stays from the first deployment on.
    expect([...shop.things.keys()]).toEqual(['Kept-2']);
    await shop.deploy(broken);
    expect([await shop.status(), shop.things.size]).toEqual(['CREATE_COMPLETE', 4]);
  });
});

describe('An update without rollback', () => {
  const failed = async () => {
    const shop = prepareThings();
    await shop.create(first);
    const before = await pictureOf(shop);
    shop.failing.set('update User', 'once');
    await shop.update(second, { DisableRollback: true });
    expect(await shop.status()).toBe('UPDATE_FAILED');
    return { shop, before };
  };

  it('stays where it failed, and goes on from there', async () => {
    const { shop } = await failed();
    await expect(shop.update(second)).rejects.toThrow('non-terminal [UPDATE_FAILED] state');
    await shop.update(second, { DisableRollback: true });
    expect(await shop.status()).toBe('UPDATE_COMPLETE');
    const [things, ids] = await balanceOf(shop);
    expect(things).toEqual(ids);
    expect(shop.things.get('User-3')).toEqual({ Label: 'User', To: `arn:${(await shop.ids()).Base}` });
  });

  it('forgets nothing of what it left half done', async () => {
    const shop = prepareThings();
    await shop.create(template({ A: { Value: 1, To: 'x' } }));
    shop.failing.set('update A', 'once');
    await shop.update(template({ A: { Value: 2, To: 'y' } }), { DisableRollback: true });
    expect(shop.things.get('A-1')).toEqual({ Label: 'A', Value: 2, To: 'x' });
    await shop.update(template({ A: { Value: 1, To: 'y' } }), { DisableRollback: true });
    expect([await shop.status(), shop.things.get('A-1')]).toEqual([
      'UPDATE_COMPLETE',
      { Label: 'A', Value: 1, To: 'y' },
    ]);
  });

  it('is taken back to the last good state, also after several', async () => {
    const { shop, before } = await failed();
    shop.failing.set('create New', 'once');
    const third = template({ ...second.Resources, Base: { Kind: 'c' } });
    await shop.update(third, { DisableRollback: true });
    expect(await shop.status()).toBe('UPDATE_FAILED');
    await shop.call('RollbackStack', { StackName: 'Shop' });
    expect([await shop.status(), await pictureOf(shop)]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before]);
  });

  it('leaves a stack that can be deleted with everything that was made, at the second try too', async () => {
    const { shop } = await failed();
    shop.failing.set('delete Value', 'once');
    await shop.remove();
    expect(await shop.status()).toBe('DELETE_FAILED');
    await shop.remove();
    expect([...shop.things.keys()]).toEqual([]);
    await expect(shop.status()).rejects.toThrow('does not exist');
  });
});

describe('What cannot be deleted', () => {
  it('after an update is left, and the update is a success', async () => {
    const shop = prepareThings();
    await shop.create(first);
    shop.failing.set('delete Value', 'always');
    await shop.update(template({ Base: { Kind: 'a' } }));
    expect(await shop.status()).toBe('UPDATE_COMPLETE');
    expect(await shop.events()).toContain('DELETE_FAILED Value');
    expect([...shop.things.keys()].sort()).toEqual(['Base-1', 'Value-2']);
  });

  it('keeps its stack, which can be deleted again', async () => {
    const shop = prepareThings();
    await shop.create(first);
    shop.failing.set('delete Value', 'always');
    await shop.remove();
    expect([await shop.status(), await shop.ids()]).toEqual(['DELETE_FAILED', { Value: 'Value-2' }]);
    expect((await shop.describe()).StackStatusReason).toBe(
      'The following resource(s) failed to delete: [Value]. ',
    );
    await expect(shop.update(first)).rejects.toThrow('is in DELETE_FAILED state');
    const { StackId } = await shop.describe();
    shop.failing.clear();
    await shop.remove();
    expect([...shop.things.keys()]).toEqual([]);
    await expect(shop.status()).rejects.toThrow('Stack with id Shop does not exist');
    expect(await shop.status(StackId)).toBe('DELETE_COMPLETE');
  });

  it.each([
    ['by its name', { RetainResources: ['Value'] }],
    ['by force', { DeletionMode: 'FORCE_DELETE_STACK' }],
  ])('is left %s', async (_how, options) => {
    const shop = prepareThings();
    await shop.create(first);
    const { StackId } = await shop.describe();
    await expect(shop.remove({ RetainResources: ['Value'] })).rejects.toThrow(
      'only when the stack is in DELETE_FAILED',
    );
    shop.failing.set('delete Value', 'always');
    await shop.remove();
    await expect(shop.remove({ RetainResources: ['Nothing'] })).rejects.toThrow('[Nothing]');
    await shop.remove(options);
    expect([await shop.status(StackId), [...shop.things.keys()]]).toEqual(['DELETE_COMPLETE', ['Value-2']]);
  });

  it('may be a stack that is protected', async () => {
    const shop = prepareThings();
    await shop.create(first, { EnableTerminationProtection: true });
    await expect(shop.remove()).rejects.toThrow(
      'Stack [Shop] cannot be deleted while TerminationProtection is enabled',
    );
    const off = { StackName: 'Shop', EnableTerminationProtection: false };
    await shop.call('UpdateTerminationProtection', off);
    await shop.remove();
    expect(shop.things.size).toBe(0);
  });
});
