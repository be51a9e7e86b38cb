import type { DescribeChangeSetCommandOutput } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import { arn, prepareThings, ref, thing, things, told } from './things.ts';

describe('A change set says what will happen, and nothing happens until it is executed', () => {
  it('adds everything to a new stack, which waits for it', async () => {
    const { look, status, calls, call, ids } = prepareThings();
    const shown = await look(things({ A: {}, B: { To: ref('A') } }), { ChangeSetType: 'CREATE' });
    expect(shown).toMatchObject({
      Status: 'CREATE_COMPLETE',
      ExecutionStatus: 'AVAILABLE',
      StackName: 'Shop',
    });
    expect(told(shown)).toEqual(['Add A', 'Add B']);
    expect(await status()).toBe('REVIEW_IN_PROGRESS');
    expect(calls).toEqual([]);
    await call('ExecuteChangeSet', { ChangeSetName: shown.ChangeSetId });
    expect(await status()).toBe('CREATE_COMPLETE');
    expect(await ids()).toEqual({ A: 'A-1', B: 'B-2' });
  });

  it('tells what is changed in place, what is replaced for certain and what maybe, and what is removed', async () => {
    const { create, look, calls } = prepareThings();
    const rest = { To: { Type: 'Test::Other', Properties: { To: ref('Kind') } } };
    await create(
      things({
        Value: { Value: 1 },
        Kind: { Kind: 'a' },
        ...rest,
        Maybe: { Kind: arn('Kind') },
        Gone: {},
        Same: {},
      }),
    );
    calls.length = 0;
    const shown = await look(
      things({
        Value: { Value: 2 },
        Kind: { Kind: 'b' },
        ...rest,
        Maybe: { Kind: arn('Kind') },
        Same: {},
        New: {},
      }),
    );
    expect(told(shown)).toEqual([
      'Modify Value False',
      'Modify Kind True',
      'Modify To False',
      'Modify Maybe Conditional',
      'Add New',
      'Remove Gone',
    ]);
    const change = (logicalId: string) =>
      shown.Changes!.find(({ ResourceChange }) => ResourceChange!.LogicalResourceId === logicalId)!
        .ResourceChange;
    expect(change('Value')).toMatchObject({
      Scope: ['Properties'],
      PhysicalResourceId: 'Value-1',
      Details: [
        {
          Evaluation: 'Static',
          ChangeSource: 'DirectModification',
          Target: { Name: 'Value', RequiresRecreation: 'Never', BeforeValue: '1', AfterValue: '2' },
        },
      ],
    });
    expect(change('Kind')).toMatchObject({
      PolicyAction: 'ReplaceAndDelete',
      Details: [{ Target: { Name: 'Kind', RequiresRecreation: 'Always' } }],
    });
    expect(change('To')).toMatchObject({
      Details: [{ Evaluation: 'Static', ChangeSource: 'ResourceReference', CausingEntity: 'Kind' }],
    });
    expect(change('Maybe')).toMatchObject({
      Details: [{ Evaluation: 'Dynamic', ChangeSource: 'ResourceAttribute', CausingEntity: 'Kind.Arn' }],
    });
    expect(change('Gone')).toMatchObject({ PolicyAction: 'Delete', PhysicalResourceId: 'Gone-5' });
    expect(calls).toEqual([]);
  });

  it('names the parameter that a change comes from', async () => {
    const { create, look } = prepareThings();
    const template = things(
      { A: { Value: ref('Size') } },
      { Parameters: { Size: { Type: 'String', Default: '1' } } },
    );
    await create(template);
    const shown = await look(template, { Parameters: [{ ParameterKey: 'Size', ParameterValue: '2' }] });
    expect(shown.Changes![0]!.ResourceChange!.Details).toMatchObject([
      { ChangeSource: 'ParameterReference', CausingEntity: 'Size', Evaluation: 'Static' },
    ]);
  });

  it('fails in the words of CloudFormation when there is nothing to change, in which 30 is "30"', async () => {
    const { create, look, update, status } = prepareThings();
    await create(things({ A: { Value: 30 } }));
    const shown = await look(things({ A: { Value: '30' } }));
    expect(shown).toMatchObject({
      Status: 'FAILED',
      ExecutionStatus: 'UNAVAILABLE',
      StatusReason:
        "The submitted information didn't contain changes. Submit different information to create a change set.",
    });
    await expect(update(things({ A: { Value: '30' } }))).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'No updates are to be performed.',
    });
    expect(await status()).toBe('CREATE_COMPLETE');
  });

  it.each([
    ['an output', { Outputs: { X: { Value: 'x' } } }, {}],
    ['a tag', {}, { Tags: [{ Key: 'a', Value: 'b' }] }],
  ])('can be executed when only %s is new', async (_what, part, rest) => {
    const { create, look, call, describe: show } = prepareThings();
    await create(things({ A: {} }));
    const shown = await look(things({ A: {} }, part), rest);
    expect(shown).toMatchObject({ Status: 'CREATE_COMPLETE', Changes: [] });
    await call('ExecuteChangeSet', { ChangeSetName: shown.ChangeSetId });
    const stack = await show();
    expect(stack.StackStatus).toBe('UPDATE_COMPLETE');
    expect([stack.Outputs, stack.Tags]).toEqual([
      'Outputs' in part ? [{ OutputKey: 'X', OutputValue: 'x' }] : [],
      'Tags' in rest ? rest.Tags : [],
    ]);
  });

  it('shows a change of metadata or of a policy alone, and makes no call for it', async () => {
    const { create, look, call, calls } = prepareThings();
    await create(things({ A: {}, B: {} }));
    calls.length = 0;
    const shown = await look(
      things({ A: thing({}, { Metadata: { path: 'a' } }), B: thing({}, { DeletionPolicy: 'Retain' }) }),
    );
    expect(told(shown)).toEqual(['Modify A False', 'Modify B False']);
    expect(shown.Changes!.map(({ ResourceChange }) => ResourceChange!.Scope)).toEqual([
      ['Metadata'],
      ['DeletionPolicy'],
    ]);
    await call('ExecuteChangeSet', { ChangeSetName: shown.ChangeSetId });
    expect(calls).toEqual([]);
    await call('DeleteStack', { StackName: 'Shop' });
    expect(calls).toEqual(['delete A']);
  });

  it('comes in pages', async () => {
    const { look, call } = prepareThings();
    const many = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`T${index}`, {}]));
    const first = await look(things(many), { ChangeSetType: 'CREATE' });
    const found = told(first);
    for (let token = first.NextToken; token !== undefined; ) {
      const page = await call<DescribeChangeSetCommandOutput>('DescribeChangeSet', {
        ChangeSetName: first.ChangeSetId,
        NextToken: token,
      });
      found.push(...told(page));
      token = page.NextToken;
    }
    expect(found).toEqual(Object.keys(many).map((logicalId) => `Add ${logicalId}`));
    await expect(
      call('DescribeChangeSet', { ChangeSetName: first.ChangeSetId, NextToken: 'mine' }),
    ).rejects.toThrow('NextToken mine is not one that the model gave');
  });
});

describe('What the model cannot do is told by the change set, and nothing is left behind', () => {
  const broken = {
    Resources: {
      Net: { Type: 'AWS::EC2::VPC' },
      A: { ...thing({ Label: 'A' }), Properties: { Size: 3, Value: '{{resolve:secretsmanager:x}}' } },
    },
  };
  const faults = [
    'Net (AWS::EC2::VPC): the model does not have this type of resource.',
    'A (Test::Thing): property Size is not supported by the model.',
    'A (Test::Thing): the dynamic reference {{resolve:secretsmanager:x}} is not supported by the model.',
  ];

  it('all at once, with each logical id', async () => {
    const { look, call, calls, changeSets, create, status } = prepareThings();
    const shown = await look(broken, { ChangeSetType: 'CREATE' });
    expect(shown.Status).toBe('FAILED');
    expect(shown.StatusReason).toBe(`3 faults:\n- ${faults.join('\n- ')}`);
    const { OperationEvents } = await call<{ OperationEvents: object[] }>('DescribeEvents', {
      StackName: 'Shop',
      ChangeSetName: 'change',
      Filters: { FailedEvents: true },
    });
    expect(OperationEvents).toMatchObject(
      faults.map((text) => ({ EventType: 'VALIDATION_ERROR', ValidationStatusReason: text })),
    );
    await expect(call('ExecuteChangeSet', { ChangeSetName: shown.ChangeSetId })).rejects.toMatchObject({
      name: 'InvalidChangeSetStatusException',
    });
    expect(await changeSets()).toHaveLength(1);
    const again = await look(things({ A: {} }), { ChangeSetType: 'CREATE' });
    await call('ExecuteChangeSet', { ChangeSetName: again.ChangeSetId });
    expect([calls, await status()]).toEqual([['create A'], 'CREATE_COMPLETE']);
    await expect(create(broken)).rejects.toMatchObject({ name: 'AlreadyExistsException' });
  });

  it('and by the direct actions, which make nothing then', async () => {
    const { create, update, call, status } = prepareThings();
    await expect(create(broken)).rejects.toThrow(faults[0]);
    await expect(call('DescribeStacks', { StackName: 'Shop' })).rejects.toThrow('does not exist');
    await create(things({ A: {} }));
    await expect(update(broken)).rejects.toThrow(faults[1]);
    expect(await status()).toBe('CREATE_COMPLETE');
  });

  it.each([
    [
      'a reference to nothing',
      things({ A: { To: ref('Nothing') } }),
      /Nothing is neither a resource nor a parameter/,
    ],
    ['a cycle', things({ A: { To: ref('B') }, B: { To: ref('A') } }), /Circular dependency.*A -> B -> A/],
    [
      'a value that is missing',
      things({ A: {} }, { Parameters: { P: { Type: 'String' } } }),
      /^Parameters: \[P\] must have values$/,
    ],
  ])('%s is refused at once, as on AWS', async (_what, template, message) => {
    const { look, call } = prepareThings();
    await expect(look(template, { ChangeSetType: 'CREATE' })).rejects.toMatchObject({
      name: 'ValidationError',
      message: expect.stringMatching(message),
    });
    await expect(call('DescribeStacks', { StackName: 'Shop' })).rejects.toThrow('does not exist');
  });

  it.each([
    [{ ChangeSetType: 'IMPORT' }, /imports no resources/],
    [{ DeploymentMode: 'REVERT_DRIFT' }, /detects no drift/],
  ])('%j is refused', async (rest, message) => {
    const { create, look } = prepareThings();
    await create(things({ A: {} }));
    await expect(look(things({ A: {}, B: {} }), rest)).rejects.toThrow(message);
  });
});

describe('Change sets are kept with their stack', () => {
  it('and void once another was executed', async () => {
    const { create, call, changeSets } = prepareThings();
    await create(things({ A: {} }));
    for (const ChangeSetName of ['one', 'two']) {
      const TemplateBody = JSON.stringify(things({ A: { Value: ChangeSetName } }));
      await call('CreateChangeSet', { StackName: 'Shop', ChangeSetName, TemplateBody });
    }
    await call('ExecuteChangeSet', { StackName: 'Shop', ChangeSetName: 'one' });
    expect(await changeSets()).toMatchObject([{ ChangeSetName: 'one', ExecutionStatus: 'EXECUTE_COMPLETE' }]);
    const missing = { StackName: 'Shop', ChangeSetName: 'two' };
    for (const action of ['ExecuteChangeSet', 'DescribeChangeSet'])
      await expect(call(action, missing)).rejects.toMatchObject({
        name: 'ChangeSetNotFoundException',
        message: 'ChangeSet [two] does not exist',
      });
    await call('DeleteChangeSet', missing);
    await expect(call('ExecuteChangeSet', { StackName: 'Shop', ChangeSetName: 'one' })).rejects.toMatchObject(
      {
        name: 'InvalidChangeSetStatusException',
      },
    );
  });

  it('under names of their own, and of a stack that is there or is to be there', async () => {
    const { call, create } = prepareThings();
    const TemplateBody = JSON.stringify(things({ A: {} }));
    const input = { StackName: 'Shop', ChangeSetName: 'one', TemplateBody };
    await expect(call('CreateChangeSet', input)).rejects.toThrow('Stack [Shop] does not exist');
    await call('CreateChangeSet', { ...input, ChangeSetType: 'CREATE' });
    await expect(call('CreateChangeSet', { ...input, ChangeSetType: 'CREATE' })).rejects.toMatchObject({
      name: 'AlreadyExistsException',
    });
    await call('DeleteStack', { StackName: 'Shop' });
    await create(things({ A: {} }));
    await expect(call('CreateChangeSet', { ...input, ChangeSetType: 'CREATE' })).rejects.toThrow(
      'Stack [Shop] already exists and cannot be created again with the changeSet [one].',
    );
    await expect(call('CreateChangeSet', { ...input, ChangeSetName: '1 x' })).rejects.toThrow(
      'failed to satisfy constraint',
    );
  });
});
