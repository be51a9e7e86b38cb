import { equal, ok } from 'node:assert/strict';
import {
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  ListExportsCommand,
} from '@aws-sdk/client-cloudformation';
import { group } from '../case.ts';
import {
  attribute,
  broken,
  changeSet,
  create,
  created,
  events,
  gone,
  physical,
  queueOf,
  rested,
  template,
  updated,
} from './kit/cloudformation.ts';
import { refused } from './kit/refusal.ts';

const api = (action: string) => `CloudFormation API reference, ${action}`;
const invalid = { name: ['ValidationError', 'ValidationException'] } as const;
const changes = 'CloudFormation user guide, "Update CloudFormation stacks using change sets"';
const exporting = 'CloudFormation user guide, "Get exported outputs from a deployed stack"';

export const cloudformationStacks = group(
  'cloudformation-stacks',
  'Stacks: creation, change sets, exports, deletion',
  ['cloudformation', 'sqs'],
  [
    {
      name: 'failed-creation-rolls-back',
      title: 'When a resource cannot be made the stack is ROLLBACK_COMPLETE, and what was made is gone.',
      source: { page: api('CreateStack'), says: 'OnFailure: ROLLBACK by default' },
      async run(world) {
        const { name, status } = await create(
          world,
          template({ Good: queueOf(), Broken: broken({ DependsOn: 'Good' }) }),
        );
        equal(status, 'ROLLBACK_COMPLETE');
        const made = (await events(world, name)).find(
          (each) => each.LogicalResourceId === 'Good' && each.ResourceStatus === 'CREATE_COMPLETE',
        );
        equal(
          await attribute(world, made?.PhysicalResourceId ?? 'none', 'QueueArn'),
          undefined,
          'The good queue is still there.',
        );
      },
    },
    {
      name: 'rolled-back-stack-cannot-be-updated',
      title: 'A stack in ROLLBACK_COMPLETE takes no update, only its deletion.',
      source: {
        page: 'CloudFormation user guide, "Stack status codes"',
        says: 'ROLLBACK_COMPLETE: you can only delete the stack',
      },
      async run(world) {
        const { name } = await create(world, template({ Broken: broken() }));
        await refused(
          'an update of a stack that was rolled back',
          { ...invalid, message: /ROLLBACK_COMPLETE/ },
          () => updated(world, name, template({ Queue: queueOf() })),
        );
      },
    },
    {
      name: 'created-twice',
      title: 'A second stack of the same name is refused.',
      source: { page: api('CreateStack'), says: 'AlreadyExistsException' },
      async run(world) {
        const StackName = await created(world, template({ Queue: queueOf() }));
        await refused('a second stack of the same name', { name: 'AlreadyExistsException' }, () =>
          world.cloudformation.send(
            new CreateStackCommand({ StackName, TemplateBody: template({ Queue: queueOf() }) }),
          ),
        );
      },
    },
    {
      name: 'template-without-resources',
      title: 'A template without resources is refused.',
      source: {
        page: 'CloudFormation user guide, "Template anatomy"',
        says: 'Resources is the one section that is needed',
      },
      async run(world) {
        await refused('a template without resources', invalid, () =>
          create(world, '{"Description":"nothing"}'),
        );
      },
    },
    {
      name: 'reference-to-nothing',
      title: 'A template that refers to what it has not is refused before anything is made.',
      source: { page: api('CreateStack'), says: 'ValidationError: unresolved resource dependencies' },
      async run(world) {
        await refused('a reference to a resource that is not there', { ...invalid, message: /Nobody/ }, () =>
          create(world, template({ Queue: queueOf({ QueueName: { Ref: 'Nobody' } }) })),
        );
      },
    },
    {
      name: 'circle-of-resources',
      title: 'Resources that depend on each other in a circle are refused.',
      source: {
        page: 'CloudFormation user guide, "Troubleshooting"',
        says: 'circular dependency between resources',
      },
      async run(world) {
        await refused('a circle of resources', { ...invalid, message: /[Cc]ircular/ }, () =>
          create(world, template({ A: queueOf({}, { DependsOn: 'B' }), B: queueOf({}, { DependsOn: 'A' }) })),
        );
      },
    },
    {
      name: 'missing-parameter',
      title: 'A parameter without default that is not given is refused.',
      source: { page: api('CreateStack'), says: 'Parameters must have values' },
      async run(world) {
        const body = template({ Queue: queueOf() }, { Parameters: { Needed: { Type: 'String' } } });
        await refused('a missing parameter', { ...invalid, message: /Needed/ }, () => create(world, body));
      },
    },
    {
      name: 'yaml-with-short-forms',
      title: 'A template in YAML with the short forms of functions is taken.',
      source: {
        page: 'CloudFormation user guide, "Template formats"',
        says: 'JSON and YAML; !Ref, !Sub, !GetAtt',
      },
      async run(world) {
        const body = [
          'Resources:',
          '  Letters:',
          '    Type: AWS::SQS::Queue',
          '  Queue:',
          '    Type: AWS::SQS::Queue',
          '    Properties:',
          '      RedrivePolicy:',
          '        deadLetterTargetArn: !GetAtt Letters.Arn',
          '        maxReceiveCount: 3',
          'Outputs:',
          '  Url:',
          '    Value: !Ref Queue',
        ].join('\n');
        const { stack, status } = await create(world, body);
        equal(status, 'CREATE_COMPLETE');
        ok(
          stack.Outputs?.[0]?.OutputValue?.startsWith('http'),
          `The output is ${stack.Outputs?.[0]?.OutputValue}.`,
        );
      },
    },
    {
      name: 'order-of-events',
      title:
        'Events tell, newest first, the stack, each resource as it begins and ends, in the order of dependencies.',
      source: { page: api('DescribeStackEvents'), says: 'events in reverse chronological order' },
      async run(world) {
        const { name } = await create(
          world,
          template({ Second: queueOf({}, { DependsOn: 'First' }), First: queueOf() }),
        );
        const told = (await events(world, name)).map(
          (each) =>
            `${each.LogicalResourceId === name ? 'stack' : each.LogicalResourceId} ${each.ResourceStatus}`,
        );
        // A resource may tell of its progress twice.
        const once = told.toReversed().filter((each, index, all) => all.indexOf(each) === index);
        equal(
          once.join(', '),
          'stack CREATE_IN_PROGRESS, First CREATE_IN_PROGRESS, First CREATE_COMPLETE, Second CREATE_IN_PROGRESS, Second CREATE_COMPLETE, stack CREATE_COMPLETE',
        );
      },
    },
    {
      name: 'change-set-of-a-new-stack',
      title:
        'A change set of type CREATE makes a stack in REVIEW_IN_PROGRESS, and nothing else until it is executed.',
      source: { page: changes, says: 'REVIEW_IN_PROGRESS: created without a template or resources' },
      async run(world) {
        const StackName = world.name('stack');
        world.after(() => world.cloudformation.send(new DeleteStackCommand({ StackName })));
        const found = await changeSet(world, StackName, template({ Queue: queueOf() }), {
          ChangeSetType: 'CREATE',
        });
        equal(`${found.Status} ${found.ExecutionStatus}`, 'CREATE_COMPLETE AVAILABLE');
        equal((await rested(world, StackName)).StackStatus, 'REVIEW_IN_PROGRESS');
        await world.cloudformation.send(
          new ExecuteChangeSetCommand({ StackName, ChangeSetName: found.ChangeSetName }),
        );
        await world.eventually('the stack to be made', world.server === 'aws' ? 300 : 30, async () =>
          (await rested(world, StackName)).StackStatus === 'CREATE_COMPLETE' ? true : undefined,
        );
      },
    },
    {
      name: 'change-set-fields',
      title: 'A change set tells what is added, changed in place, replaced and removed.',
      source: {
        page: api('ResourceChange'),
        says: 'Action Add, Modify, Remove; Replacement True, False, Conditional',
      },
      async run(world) {
        const stack = await created(
          world,
          template({ Gone: queueOf(), InPlace: queueOf(), Replaced: queueOf() }),
        );
        const { Changes = [] } = await changeSet(
          world,
          stack,
          template({
            InPlace: queueOf({ VisibilityTimeout: 60 }),
            Replaced: queueOf({ FifoQueue: true }),
            New: queueOf(),
          }),
        );
        const told = Changes.map(({ ResourceChange: each }) =>
          [each?.Action, each?.LogicalResourceId, each?.Replacement]
            .filter((part) => part !== undefined)
            .join(' '),
        );
        equal(told.sort().join(', '), 'Add New, Modify InPlace False, Modify Replaced True, Remove Gone');
      },
    },
    {
      name: 'change-set-without-changes',
      title: 'A change set without changes is FAILED, and says so.',
      source: {
        page: changes,
        says: 'a change set without changes fails: the submitted information didn’t contain changes',
      },
      async run(world) {
        const body = template({ Queue: queueOf() });
        const stack = await created(world, body);
        const { Status, StatusReason = '' } = await changeSet(world, stack, body);
        equal(Status, 'FAILED');
        ok(
          /didn't contain changes|No updates are to be performed/.test(StatusReason),
          `The reason is "${StatusReason}".`,
        );
      },
    },
    {
      name: 'change-set-changes-nothing-by-itself',
      title: 'A change set that is not executed changes nothing.',
      source: { page: changes, says: 'changes are made only when the change set is executed' },
      async run(world) {
        const stack = await created(world, template({ Queue: queueOf({ VisibilityTimeout: 30 }) }));
        const { Queue = '' } = await physical(world, stack);
        const { ChangeSetName } = await changeSet(
          world,
          stack,
          template({ Queue: queueOf({ VisibilityTimeout: 60 }) }),
        );
        equal(await attribute(world, Queue, 'VisibilityTimeout'), '30');
        await world.cloudformation.send(new ExecuteChangeSetCommand({ StackName: stack, ChangeSetName }));
        await world.eventually('the change', world.server === 'aws' ? 300 : 30, async () =>
          (await attribute(world, Queue, 'VisibilityTimeout')) === '60' ? true : undefined,
        );
        await rested(world, stack);
      },
    },
    {
      name: 'exports-are-listed-and-imported',
      title: 'An export is listed, and another stack imports it.',
      source: { page: exporting, says: 'Fn::ImportValue gives the value of an export of the Region' },
      async run(world) {
        const Name = world.name('export');
        const outputs = { Outputs: { Shared: { Value: '41', Export: { Name } } } };
        await created(world, template({ Queue: queueOf() }, outputs));
        const { Exports = [] } = await world.cloudformation.send(new ListExportsCommand({}));
        equal(Exports.find((each) => each.Name === Name)?.Value, '41');
        const other = await created(
          world,
          template({ Queue: queueOf({ VisibilityTimeout: { 'Fn::ImportValue': Name } }) }),
        );
        const { Queue = '' } = await physical(world, other);
        equal(await attribute(world, Queue, 'VisibilityTimeout'), '41');
      },
    },
    {
      name: 'export-in-use-keeps-its-stack',
      title: 'A stack whose export is imported cannot be deleted, and stays as it is.',
      source: {
        page: exporting,
        says: 'a stack cannot be deleted, nor an export changed, while another stack imports it',
      },
      async run(world) {
        const Name = world.name('export');
        const outputs = { Outputs: { Shared: { Value: '41', Export: { Name } } } };
        const stack = await created(world, template({ Queue: queueOf() }, outputs));
        await created(
          world,
          template({ Queue: queueOf({ VisibilityTimeout: { 'Fn::ImportValue': Name } }) }),
        );
        // AWS refuses it at once or ends in DELETE_FAILED: what counts is that it is there.
        await world.cloudformation.send(new DeleteStackCommand({ StackName: stack })).catch(() => undefined);
        await world.pass(1);
        const { Queue = '' } = await physical(world, stack);
        ok(await attribute(world, Queue, 'QueueArn'), 'The queue of the exporting stack is gone.');
      },
    },
    {
      name: 'export-of-the-same-name',
      title: 'Two stacks cannot export the same name.',
      source: { page: exporting, says: 'export names are unique within a Region' },
      async run(world) {
        const Name = world.name('export');
        const body = template(
          { Queue: queueOf() },
          { Outputs: { Shared: { Value: '1', Export: { Name } } } },
        );
        await created(world, body);
        equal((await create(world, body)).status, 'ROLLBACK_COMPLETE');
      },
    },
    {
      name: 'import-of-nothing',
      title: 'An import of an export that does not exist is refused, or fails the stack.',
      source: { page: exporting, says: 'no export named X found' },
      async run(world) {
        const body = template({
          Queue: queueOf({ VisibilityTimeout: { 'Fn::ImportValue': world.name('nothing') } }),
        });
        let status: string | undefined;
        try {
          ({ status } = await create(world, body));
        } catch (error) {
          if (!(error instanceof Error) || !/[Nn]o export named/.test(error.message)) throw error;
          return;
        }
        equal(status, 'ROLLBACK_COMPLETE');
      },
    },
    {
      name: 'deleted',
      title: 'A deleted stack is gone with its resources; it is found by its id alone.',
      source: { page: api('DescribeStacks'), says: 'deleted stacks are described by their id, for 90 days' },
      async run(world) {
        const { name, stack } = await create(world, template({ Queue: queueOf() }));
        const { Queue = '' } = await physical(world, name);
        await world.cloudformation.send(new DeleteStackCommand({ StackName: name }));
        await gone(world, name);
        equal(await attribute(world, Queue, 'QueueArn'), undefined, 'The queue is still there.');
        await refused('a deleted stack by its name', { ...invalid, message: /does not exist/ }, () =>
          world.cloudformation.send(new DescribeStacksCommand({ StackName: name })),
        );
        const { Stacks = [] } = await world.cloudformation.send(
          new DescribeStacksCommand({ StackName: stack.StackId }),
        );
        equal(Stacks[0]?.StackStatus, 'DELETE_COMPLETE');
      },
    },
    {
      name: 'deletion-of-nothing',
      title: 'The deletion of a stack that does not exist is no error.',
      source: { page: api('DeleteStack'), says: 'a stack that is not there is deleted already' },
      async run({ cloudformation, name }) {
        await cloudformation.send(new DeleteStackCommand({ StackName: name('nothing') }));
      },
    },
    {
      name: 'deletion-policy-retain',
      title: 'With DeletionPolicy Retain a resource outlives its stack.',
      source: {
        page: 'CloudFormation user guide, "DeletionPolicy attribute"',
        says: 'Retain keeps the resource when its stack is deleted',
      },
      async run(world) {
        const { name } = await create(
          world,
          template({ Kept: queueOf({}, { DeletionPolicy: 'Retain' }), Other: queueOf() }),
        );
        const { Kept = '', Other = '' } = await physical(world, name);
        await world.cloudformation.send(new DeleteStackCommand({ StackName: name }));
        await gone(world, name);
        ok(await attribute(world, Kept, 'QueueArn'), 'The queue is gone.');
        equal(await attribute(world, Other, 'QueueArn'), undefined, 'The other queue is still there.');
      },
    },
    {
      name: 'iam-needs-a-capability',
      title: 'A template with a role needs CAPABILITY_IAM.',
      needs: ['lambda'],
      source: { page: api('CreateStack'), says: 'InsufficientCapabilitiesException' },
      async run(world) {
        const Statement = [
          { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
        ];
        const Properties = { AssumeRolePolicyDocument: { Version: '2012-10-17', Statement } };
        await refused(
          'a role without a capability',
          { name: ['InsufficientCapabilitiesException', 'InsufficientCapabilities'] },
          () => create(world, template({ Role: { Type: 'AWS::IAM::Role', Properties } })),
        );
      },
    },
  ],
);
