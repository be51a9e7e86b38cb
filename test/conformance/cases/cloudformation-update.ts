import { equal, notEqual, ok } from 'node:assert/strict';
import { GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { GetTopicAttributesCommand } from '@aws-sdk/client-sns';
import { type ConformanceCase, group } from '../case.ts';
import {
  attribute,
  broken,
  created,
  events,
  physical,
  queueOf,
  type TemplateResource,
  template,
  update,
  updated,
} from './kit/cloudformation.ts';
import { refused } from './kit/refusal.ts';

const behaviors = 'CloudFormation user guide, "Understand update behaviors of stack resources"';
const reference = (type: string) => `CloudFormation template reference, ${type}`;
const api = (action: string) => `CloudFormation API reference, ${action}`;
const invalid = { name: ['ValidationError', 'ValidationException'] } as const;

/** A change of one resource that keeps it, or needs a new one. */
const change = (
  name: string,
  title: string,
  kind: 'in place' | 'replaced',
  type: string,
  before: TemplateResource['Properties'],
  after: TemplateResource['Properties'],
  says: string,
  needs: ConformanceCase['needs'] = ['sqs'],
): ConformanceCase => ({
  name,
  title,
  needs: needs ?? [],
  source: { page: reference(type), says },
  async run(world) {
    const of = (Properties: TemplateResource['Properties']) =>
      template({ Thing: { Type: type, ...(Properties === undefined ? {} : { Properties }) } });
    const stack = await created(world, of(before));
    const { Thing: first } = await physical(world, stack);
    await updated(world, stack, of(after));
    const { Thing: second } = await physical(world, stack);
    if (kind === 'in place') equal(second, first, 'It was replaced, it is to be changed in place.');
    else notEqual(second, first, 'It was changed in place, it is to be replaced.');
  },
});

export const cloudformationUpdate = group(
  'cloudformation-update',
  'Stacks: updates',
  ['cloudformation', 'sqs'],
  [
    change(
      'queue-visibility-in-place',
      'The visibility timeout of a queue is changed in place.',
      'in place',
      'AWS::SQS::Queue',
      { VisibilityTimeout: 30 },
      { VisibilityTimeout: 60 },
      'VisibilityTimeout: no interruption',
    ),
    change(
      'queue-fifo-replaces',
      'A queue that becomes FIFO is a new one.',
      'replaced',
      'AWS::SQS::Queue',
      {},
      { FifoQueue: true },
      'FifoQueue: replacement',
    ),
    change(
      'topic-display-name-in-place',
      'The display name of a topic is changed in place.',
      'in place',
      'AWS::SNS::Topic',
      { DisplayName: 'a' },
      { DisplayName: 'b' },
      'DisplayName: no interruption',
      ['sns'],
    ),
    change(
      'topic-fifo-replaces',
      'A topic that becomes FIFO is a new one.',
      'replaced',
      'AWS::SNS::Topic',
      {},
      { FifoTopic: true },
      'FifoTopic: replacement',
      ['sns'],
    ),
    change(
      'table-key-replaces',
      'A table with another key is a new one.',
      'replaced',
      'AWS::DynamoDB::Table',
      {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'S' }],
      },
      {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'b', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'b', AttributeType: 'S' }],
      },
      'KeySchema: replacement',
      ['dynamodb'],
    ),
    change(
      'table-ttl-in-place',
      'The time to live of a table is switched on in place.',
      'in place',
      'AWS::DynamoDB::Table',
      {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'S' }],
      },
      {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'S' }],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      },
      'TimeToLiveSpecification: no interruption',
      ['dynamodb'],
    ),
    change(
      'alarm-threshold-in-place',
      'The threshold of an alarm is changed in place.',
      'in place',
      'AWS::CloudWatch::Alarm',
      {
        Namespace: 'n',
        MetricName: 'm',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 1,
        ComparisonOperator: 'GreaterThanThreshold',
      },
      {
        Namespace: 'n',
        MetricName: 'm',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 2,
        ComparisonOperator: 'GreaterThanThreshold',
      },
      'Threshold: no interruption',
      ['cloudwatch'],
    ),
    {
      name: 'property-that-is-removed-goes-back-to-its-default',
      title: 'A property that leaves the template goes back to its default.',
      source: {
        page: reference('AWS::SQS::Queue'),
        says: 'VisibilityTimeout: 30 seconds when none is given',
      },
      async run(world) {
        const stack = await created(world, template({ Queue: queueOf({ VisibilityTimeout: 77 }) }));
        await updated(world, stack, template({ Queue: queueOf() }));
        const { Queue = '' } = await physical(world, stack);
        equal(await attribute(world, Queue, 'VisibilityTimeout'), '30');
      },
    },
    {
      name: 'added-and-removed',
      title: 'A resource that is new in the template is made, one that is gone from it is deleted.',
      source: { page: behaviors, says: 'an update adds and removes resources as the template says' },
      async run(world) {
        const stack = await created(world, template({ Old: queueOf() }));
        const { Old = '' } = await physical(world, stack);
        await updated(world, stack, template({ New: queueOf() }));
        const found = await physical(world, stack);
        equal(Object.keys(found).join(), 'New');
        equal(await attribute(world, Old, 'VisibilityTimeout'), undefined, 'The old queue is still there.');
      },
    },
    {
      name: 'reference-follows-a-replacement',
      title: 'What refers to a replaced resource is updated with its new id.',
      needs: ['sqs'],
      source: {
        page: behaviors,
        says: 'references from dependent resources are changed to the new resource',
      },
      async run(world) {
        const of = (letters: object) =>
          template({
            Letters: queueOf({ FifoQueue: true, ...letters }),
            Queue: queueOf({
              FifoQueue: true,
              RedrivePolicy: {
                deadLetterTargetArn: { 'Fn::GetAtt': ['Letters', 'Arn'] },
                maxReceiveCount: 3,
              },
            }),
          });
        const first = world.name('one', '.fifo');
        const second = world.name('two', '.fifo');
        const stack = await created(world, of({ QueueName: first }));
        const before = await physical(world, stack);
        await updated(world, stack, of({ QueueName: second }));
        const after = await physical(world, stack);
        equal(after.Queue, before.Queue, 'The queue that refers was replaced as well.');
        const policy = await attribute(world, after.Queue ?? '', 'RedrivePolicy');
        ok(policy?.includes(second), `The redrive policy is ${policy}.`);
      },
    },
    {
      name: 'new-one-before-the-old-is-deleted',
      title:
        'A replaced resource is deleted at the end, in the cleanup, after everything else has succeeded.',
      source: {
        page: behaviors,
        says: 'the replacement is made first, and the old resource deleted afterwards',
      },
      async run(world) {
        const stack = await created(world, template({ Queue: queueOf() }));
        const { Queue = '' } = await physical(world, stack);
        await updated(world, stack, template({ Queue: queueOf({ FifoQueue: true }) }));
        const order = (await events(world, stack)).toReversed();
        const cleanup = order.findIndex(
          (each) => String(each.ResourceStatus) === 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
        );
        const deletion = order.findIndex(
          (each) => each.ResourceStatus === 'DELETE_COMPLETE' && each.PhysicalResourceId === Queue,
        );
        ok(cleanup >= 0, 'The stack was never in UPDATE_COMPLETE_CLEANUP_IN_PROGRESS.');
        ok(deletion > cleanup, 'The old queue was deleted before the update was complete, or never.');
      },
    },
    {
      name: 'custom-named-replacement-is-refused',
      title: 'A resource with a name of its own that needs replacing under the same name fails the update.',
      needs: ['dynamodb'],
      source: {
        page: reference('AWS::DynamoDB::Table'),
        says: 'with a custom name no update that requires replacement is possible; rename it',
      },
      async run(world) {
        const TableName = world.name('table');
        const of = (key: string) =>
          template({
            Table: {
              Type: 'AWS::DynamoDB::Table',
              Properties: {
                TableName,
                BillingMode: 'PAY_PER_REQUEST',
                KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
                AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
              },
            },
          });
        const stack = await created(world, of('a'));
        const { StackStatus } = await update(world, stack, of('b'));
        equal(StackStatus, 'UPDATE_ROLLBACK_COMPLETE');
        const reasons = (await events(world, stack)).map((each) => each.ResourceStatusReason ?? '').join(' ');
        ok(
          /custom-named resource requires replacing/.test(reasons),
          `The reasons are: ${reasons.slice(0, 200)}`,
        );
      },
    },
    {
      name: 'failed-update-rolls-back',
      title: 'When a part of an update fails, everything goes back to the state before.',
      source: {
        page: api('UpdateStack'),
        says: 'on failure the stack is rolled back to the last known stable state',
      },
      async run(world) {
        const stack = await created(world, template({ Queue: queueOf({ VisibilityTimeout: 30 }) }));
        const { Queue = '' } = await physical(world, stack);
        const { StackStatus } = await update(
          world,
          stack,
          template({
            Queue: queueOf({ VisibilityTimeout: 60 }),
            Extra: queueOf({}, { DependsOn: 'Queue' }),
            Broken: broken({ DependsOn: 'Extra' }),
          }),
        );
        equal(StackStatus, 'UPDATE_ROLLBACK_COMPLETE');
        equal(await attribute(world, Queue, 'VisibilityTimeout'), '30', 'The change was not taken back.');
        equal(Object.keys(await physical(world, stack)).join(), 'Queue', 'What was added is still there.');
      },
    },
    {
      name: 'template-after-a-rolled-back-update',
      title: 'After a rolled back update the template of the stack is the one before.',
      source: { page: api('GetTemplate'), says: 'the template of a running stack' },
      async run(world) {
        const before = template({ Queue: queueOf({ VisibilityTimeout: 30 }) });
        const stack = await created(world, before);
        await update(
          world,
          stack,
          template({ Queue: queueOf({ VisibilityTimeout: 60 }), Broken: broken({ DependsOn: 'Queue' }) }),
        );
        const { TemplateBody = '' } = await world.cloudformation.send(
          new GetTemplateCommand({ StackName: stack }),
        );
        equal(JSON.stringify(JSON.parse(TemplateBody)), before);
      },
    },
    {
      name: 'no-change-is-refused',
      title: 'An update that changes nothing is refused: "No updates are to be performed".',
      source: { page: api('UpdateStack'), says: 'ValidationError: No updates are to be performed' },
      async run(world) {
        const same = template({ Queue: queueOf({ VisibilityTimeout: 30 }) });
        const stack = await created(world, same);
        await refused(
          'an update that changes nothing',
          { ...invalid, message: /No updates are to be performed/ },
          () => update(world, stack, same),
        );
      },
    },
    {
      name: 'update-of-a-missing-stack',
      title: 'The update of a stack that does not exist is refused.',
      source: { page: api('UpdateStack'), says: 'ValidationError: the stack does not exist' },
      async run(world) {
        await refused('an update of no stack', { ...invalid, message: /does not exist/ }, () =>
          update(world, world.name('nothing'), template({ Queue: queueOf() })),
        );
      },
    },
    {
      name: 'previous-template-with-new-parameter',
      title: 'UsePreviousTemplate with another parameter changes what depends on the parameter.',
      source: { page: api('UpdateStack'), says: 'UsePreviousTemplate, and UsePreviousValue of parameters' },
      async run(world) {
        const body = template(
          { Queue: queueOf({ VisibilityTimeout: { Ref: 'Seconds' }, DelaySeconds: { Ref: 'Delay' } }) },
          { Parameters: { Seconds: { Type: 'Number', Default: 30 }, Delay: { Type: 'Number', Default: 0 } } },
        );
        const stack = await created(world, body, {
          Parameters: [{ ParameterKey: 'Delay', ParameterValue: '5' }],
        });
        await updated(world, stack, '', {
          TemplateBody: undefined,
          UsePreviousTemplate: true,
          Parameters: [
            { ParameterKey: 'Seconds', ParameterValue: '45' },
            { ParameterKey: 'Delay', UsePreviousValue: true },
          ],
        });
        const { Queue = '' } = await physical(world, stack);
        equal(
          `${await attribute(world, Queue, 'VisibilityTimeout')} ${await attribute(world, Queue, 'DelaySeconds')}`,
          '45 5',
        );
      },
    },
    {
      name: 'output-follows',
      title: 'Outputs follow an update.',
      source: { page: api('DescribeStacks'), says: 'the outputs of the stack' },
      async run(world) {
        const of = (Value: string) => template({ Queue: queueOf() }, { Outputs: { Answer: { Value } } });
        const stack = await created(world, of('one'));
        const { Outputs = [] } = await updated(world, stack, of('two'));
        equal(
          Outputs.map(({ OutputKey, OutputValue }) => `${OutputKey}=${OutputValue}`).join(),
          'Answer=two',
        );
      },
    },
    {
      name: 'update-replace-policy-retain',
      title: 'With UpdateReplacePolicy Retain the old resource of a replacement stays.',
      source: {
        page: 'CloudFormation user guide, "UpdateReplacePolicy attribute"',
        says: 'Retain keeps the existing physical resource',
      },
      async run(world) {
        const stack = await created(
          world,
          template({ Queue: queueOf({}, { UpdateReplacePolicy: 'Retain' }) }),
        );
        const { Queue = '' } = await physical(world, stack);
        await updated(
          world,
          stack,
          template({ Queue: queueOf({ FifoQueue: true }, { UpdateReplacePolicy: 'Retain' }) }),
        );
        ok(await attribute(world, Queue, 'QueueArn'), 'The old queue is gone.');
        notEqual((await physical(world, stack)).Queue, Queue);
      },
    },
    {
      name: 'deletion-policy-retain-on-removal',
      title: 'With DeletionPolicy Retain a resource that leaves the template stays.',
      source: {
        page: 'CloudFormation user guide, "DeletionPolicy attribute"',
        says: 'Retain applies to removal by an update too',
      },
      async run(world) {
        const stack = await created(
          world,
          template({ Kept: queueOf({}, { DeletionPolicy: 'Retain' }), Other: queueOf() }),
        );
        const { Kept = '' } = await physical(world, stack);
        await updated(world, stack, template({ Other: queueOf() }));
        ok(await attribute(world, Kept, 'QueueArn'), 'The queue is gone.');
        equal(Object.keys(await physical(world, stack)).join(), 'Other');
      },
    },
    {
      name: 'pseudo-parameters-in-an-update',
      title: 'Another display name by Fn::Sub of a pseudo parameter is resolved as at the creation.',
      needs: ['sns'],
      source: {
        page: 'CloudFormation user guide, "Pseudo parameters reference"',
        says: 'AWS::StackName and others in Fn::Sub',
      },
      async run(world) {
        const of = (text: string) =>
          template({ Topic: { Type: 'AWS::SNS::Topic', Properties: { DisplayName: { 'Fn::Sub': text } } } });
        const stack = await created(world, of('a'));
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the substitution is CloudFormation's
        await updated(world, stack, of('${AWS::Region}-${AWS::AccountId}'));
        const { Topic } = await physical(world, stack);
        const { Attributes } = await world.sns.send(new GetTopicAttributesCommand({ TopicArn: Topic }));
        equal(Attributes?.DisplayName, `${world.region}-${world.account}`);
      },
    },
  ],
);
