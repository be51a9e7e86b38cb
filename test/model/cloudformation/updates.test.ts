import { describe, expect, it } from 'vitest';
import { arn, prepareThings, ref, things as template, thing } from './things.ts';

describe('An update changes what changed, and nothing else', () => {
  it('in place, or by a new resource that all who refer to it follow', async () => {
    const { create, update, calls, things, ids, events } = prepareThings();
    const rest = { Same: {}, User: { To: arn('Base') } };
    await create(template({ Base: { Kind: 'a' }, Value: { Value: 1 }, ...rest }));
    calls.length = 0;
    const before = (await events()).length;
    await update(template({ Base: { Kind: 'b' }, Value: { Value: 2 }, ...rest }));
    expect(calls).toEqual(['create Base', 'update Value', 'update User', 'delete Base']);
    expect(await ids()).toEqual({ Base: 'Base-5', Value: 'Value-2', Same: 'Same-3', User: 'User-4' });
    expect([...things.keys()].sort()).toEqual(['Base-5', 'Same-3', 'User-4', 'Value-2']);
    expect(things.get('User-4')).toEqual({ Label: 'User', To: 'arn:Base-5' });
    expect((await events()).slice(before)).toEqual([
      'UPDATE_IN_PROGRESS Shop',
      'UPDATE_IN_PROGRESS Base',
      'UPDATE_COMPLETE Base',
      'UPDATE_IN_PROGRESS Value',
      'UPDATE_COMPLETE Value',
      'UPDATE_IN_PROGRESS User',
      'UPDATE_COMPLETE User',
      'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS Shop',
      'DELETE_IN_PROGRESS Base',
      'DELETE_COMPLETE Base',
      'UPDATE_COMPLETE Shop',
    ]);
  });

  it('removes what left the template last of all, and what needed it before it', async () => {
    const { create, update, calls } = prepareThings();
    await create(template({ A: {}, B: { To: ref('A') }, C: { To: ref('B') } }));
    calls.length = 0;
    await update(template({ New: {}, C: {} }));
    expect(calls).toEqual(['create New', 'update C', 'delete B', 'delete A']);
  });

  it('deletes in the order of the template that was deployed last', async () => {
    const { create, update, remove, calls } = prepareThings();
    await create(template({ A: {} }));
    await update(template({ A: { To: ref('B') }, B: {} }));
    calls.length = 0;
    await remove();
    expect(calls).toEqual(['delete A', 'delete B']);
  });

  it('makes a new resource for any change of a type that cannot be changed in place', async () => {
    const things: string[] = [];
    const { create, update, ids } = prepareThings({
      providers: {
        'Test::Fixed': {
          properties: ['Value'],
          attributes: [],
          create: async ({ Value }) => {
            things.push(`made ${Value}`);
            return { physicalId: `fixed-${Value}`, attributes: {} };
          },
          delete: async ({ physicalId }) => {
            things.push(`removed ${physicalId}`);
          },
        },
      },
    });
    const fixed = (Value: string) => ({ Resources: { F: { Type: 'Test::Fixed', Properties: { Value } } } });
    await create(fixed('a'));
    await update(fixed('b'));
    expect([things, await ids()]).toEqual([['made a', 'made b', 'removed fixed-a'], { F: 'fixed-b' }]);
  });

  it('takes no notice of properties that have no effect, but keeps them', async () => {
    const { create, update, look, calls } = prepareThings();
    await create(template({ A: { Colour: 'red' } }));
    calls.length = 0;
    await update(template({ A: { Colour: 'blue' } }));
    expect(calls).toEqual([]);
    expect((await look(template({ A: { Colour: 'blue' } }))).Status).toBe('FAILED');
  });

  it('keeps what its policies retain, replaced or removed', async () => {
    const { create, update, remove, things } = prepareThings();
    const kept = (Kind: string) =>
      thing({ Kind }, { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    await create(
      template({ A: kept('a'), B: kept('a'), C: thing({ Kind: 'a' }, { DeletionPolicy: 'Retain' }) }),
    );
    await update(template({ A: kept('b'), C: thing({ Kind: 'b' }, { DeletionPolicy: 'Retain' }) }));
    expect([...things.keys()].sort()).toEqual(['A-1', 'A-4', 'B-2', 'C-5']);
    await remove();
    expect([...things.keys()].sort()).toEqual(['A-1', 'A-4', 'B-2', 'C-5']);
  });

  it('refuses another type under the same logical id', async () => {
    const { create, update, look, status, changeSets } = prepareThings();
    await create(template({ A: {} }));
    const other = template({ A: thing({}, { Type: 'Test::Other' }) });
    const message =
      'Update of resource type is not permitted. The new template modifies resource type of the following resources: [A]';
    await expect(update(other)).rejects.toThrow(message);
    await expect(look(other)).rejects.toThrow(message);
    expect([await status(), await changeSets()]).toEqual(['CREATE_COMPLETE', []]);
  });

  it('does not replace what was given a name under the same name', async () => {
    const { create, update, describe: show, call, things } = prepareThings();
    await create(template({ A: { Name: 'mine', Kind: 'a' } }));
    const before = new Map(things);
    await update(template({ A: { Name: 'mine', Kind: 'b' } }));
    expect((await show()).StackStatus).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(things).toEqual(before);
    const { StackEvents } = await call<{ StackEvents: { ResourceStatusReason?: string }[] }>(
      'DescribeStackEvents',
      { StackName: 'Shop' },
    );
    expect(StackEvents.map((event) => event.ResourceStatusReason)).toContain(
      'CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename mine and update the stack again.',
    );
    await update(template({ A: { Name: 'other', Kind: 'b' } }));
    expect([...things.values()]).toEqual([{ Label: 'A', Name: 'other', Kind: 'b' }]);
  });

  it('evaluates conditions anew: what no longer holds is removed, what holds now is made', async () => {
    const { create, update, ids } = prepareThings();
    const conditional = template(
      { A: thing({}, { Condition: 'Big' }), B: thing({ To: { 'Fn::If': ['Big', ref('A'), 'none'] } }) },
      {
        Parameters: { Size: { Type: 'String', Default: 'big' } },
        Conditions: { Big: { 'Fn::Equals': [ref('Size'), 'big'] } },
      },
    );
    await create(conditional);
    expect(Object.keys(await ids())).toEqual(['A', 'B']);
    const size = (ParameterValue: string) => ({ Parameters: [{ ParameterKey: 'Size', ParameterValue }] });
    await update(conditional, size('small'));
    expect(await ids()).toEqual({ B: 'B-2' });
    await update(conditional, size('big'));
    expect(await ids()).toEqual({ A: 'A-3', B: 'B-2' });
  });
});

describe('Parameters and settings go on from one update to the next', () => {
  const sized = template(
    { A: { Value: ref('Size') } },
    {
      Parameters: {
        Size: { Type: 'String', Default: '1' },
        Secret: { Type: 'String', NoEcho: true, Default: 'x' },
      },
    },
  );

  it('with the previous value and the previous template where that is asked for', async () => {
    const { create, call, things, describe: show } = prepareThings();
    await create(sized, { Parameters: [{ ParameterKey: 'Size', ParameterValue: '5' }] });
    const update = (Parameters: object[], rest: object = {}) =>
      call('UpdateStack', { StackName: 'Shop', UsePreviousTemplate: true, Parameters, ...rest });
    await expect(update([{ ParameterKey: 'Size', UsePreviousValue: true }])).rejects.toThrow('No updates');
    await update([{ ParameterKey: 'Size', UsePreviousValue: true }], { Tags: [{ Key: 'a', Value: 'b' }] });
    expect([...things.values()]).toEqual([{ Label: 'A', Value: '5' }]);
    await update([]);
    expect([...things.values()]).toEqual([{ Label: 'A', Value: '1' }]);
    expect((await show()).Tags).toEqual([{ Key: 'a', Value: 'b' }]);
  });

  it('and shows no value that is to be seen by nobody', async () => {
    const { create, look, call, describe: show } = prepareThings();
    const secret = { ...sized, Resources: { A: thing({ Value: ref('Secret') }) } };
    const given = (ParameterValue: string) => ({
      Parameters: [{ ParameterKey: 'Secret', ParameterValue }],
    });
    await create(secret, given('hunter-one'));
    const shown = [
      await show(),
      await look(secret, given('hunter-two')),
      await call('DescribeStackEvents', { StackName: 'Shop' }),
    ];
    expect(JSON.stringify(shown)).not.toContain('hunter');
    expect(shown[0]).toMatchObject({
      Parameters: [
        { ParameterKey: 'Size', ParameterValue: '1' },
        { ParameterKey: 'Secret', ParameterValue: '****' },
      ],
    });
  });

  it('and reads those of SSM when it is asked, in the words of AWS when there is none', async () => {
    const stored = new Map([['/size', '7']]);
    const { ServiceError } = await import('../../../local/service.ts');
    const {
      create,
      things,
      update,
      describe: show,
    } = prepareThings(
      {},
      {
        ssm: {
          operations: {
            GetParameter(input: { Name?: string }) {
              const Value = stored.get(input.Name ?? '');
              if (Value === undefined) throw new ServiceError('ParameterNotFound', 'no');
              return { Parameter: { Value } };
            },
          },
        },
      },
    );
    const fromStore = (Default: string) =>
      template(
        { A: { Value: ref('Size') } },
        { Parameters: { Size: { Type: 'AWS::SSM::Parameter::Value<String>', Default } } },
      );
    await create(fromStore('/size'));
    expect((await show()).Parameters).toEqual([
      { ParameterKey: 'Size', ParameterValue: '/size', ResolvedValue: '7' },
    ]);
    stored.set('/size', '8');
    await update(fromStore('/size'));
    expect([...things.values()]).toEqual([{ Label: 'A', Value: '8' }]);
    await expect(update(fromStore('/cdk-bootstrap/hnb659fds/version'))).rejects.toThrow(
      'Unable to fetch parameters [/cdk-bootstrap/hnb659fds/version] from parameter store for this account.',
    );
  });

  it('and keeps the rules of the template', async () => {
    const { create, look } = prepareThings();
    const ruled = {
      ...sized,
      Rules: {
        Small: {
          Assertions: [
            { Assert: { 'Fn::Contains': [['1', '2'], ref('Size')] }, AssertDescription: 'Size is 1 or 2' },
          ],
        },
      },
    };
    await create(ruled);
    await expect(
      look(ruled, { Parameters: [{ ParameterKey: 'Size', ParameterValue: '3' }] }),
    ).rejects.toThrow('Rule Small: Size is 1 or 2');
  });

  it('and a template with rights asks for the capability', async () => {
    const { create } = prepareThings();
    const role = (RoleName?: string) => ({
      Resources: {
        R: {
          Type: 'AWS::IAM::Role',
          Properties: { AssumeRolePolicyDocument: {}, ...(RoleName === undefined ? {} : { RoleName }) },
        },
      },
    });
    const refused = (capability: string) => ({
      name: 'InsufficientCapabilitiesException',
      message: `Requires capabilities : [${capability}]`,
    });
    await expect(create(role())).rejects.toMatchObject(refused('CAPABILITY_IAM'));
    await expect(create(role('mine'), { Capabilities: ['CAPABILITY_IAM'] })).rejects.toMatchObject(
      refused('CAPABILITY_NAMED_IAM'),
    );
    await create(role('mine'), { Capabilities: ['CAPABILITY_NAMED_IAM'] });
  });
});

describe('What one stack gives, another can count on', () => {
  const exporting = (Value: unknown, Name = 'given') =>
    template({ A: {} }, { Outputs: { Out: { Value, Export: { Name } } } });
  const importing = template({ B: { To: { 'Fn::ImportValue': 'given' } } });

  it('an export in use is neither changed nor removed, and the stack stays as it was', async () => {
    const { create, update, remove, call, describe: show, status } = prepareThings();
    await create(exporting('one'));
    await call('CreateStack', { StackName: 'User', TemplateBody: JSON.stringify(importing) });
    expect(await call('ListImports', { ExportName: 'given' })).toMatchObject({ Imports: ['User'] });
    const before = await show();
    for (const [next, verb] of [
      [exporting('two'), 'updated'],
      [exporting('one', 'renamed'), 'deleted'],
    ] as const) {
      await update(next);
      const { StackStatus, Outputs } = await show();
      expect([StackStatus, Outputs]).toEqual(['UPDATE_ROLLBACK_COMPLETE', before.Outputs]);
      const { StackEvents } = await call<{ StackEvents: { ResourceStatusReason?: string }[] }>(
        'DescribeStackEvents',
        { StackName: 'Shop' },
      );
      expect(StackEvents.map((event) => event.ResourceStatusReason)).toContain(
        `Export given cannot be ${verb} as it is in use by User`,
      );
    }
    await expect(remove()).rejects.toThrow('Export given cannot be deleted as it is in use by User');
    await call('DeleteStack', { StackName: 'User' });
    await expect(call('ListImports', { ExportName: 'given' })).rejects.toThrow(
      'is not imported by any stack',
    );
    await update(exporting('two'));
    expect(await status()).toBe('UPDATE_COMPLETE');
    expect(await call('ListExports', {})).toMatchObject({ Exports: [{ Name: 'given', Value: 'two' }] });
  });
});
