import { notEqual, ok } from 'node:assert/strict';
import {
  AddPermissionCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
  RemovePermissionCommand,
} from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';

/** Attributes with a range: the least and the most that is allowed. */
const ranges: readonly (readonly [QueueAttributeName, number, number, what: string])[] = [
  ['VisibilityTimeout', 0, 43_200, '0 to 43,200 seconds (12 hours)'],
  ['DelaySeconds', 0, 900, '0 to 900 seconds (15 minutes)'],
  ['MessageRetentionPeriod', 60, 1_209_600, '60 to 1,209,600 seconds (14 days)'],
  ['ReceiveMessageWaitTimeSeconds', 0, 20, '0 to 20 seconds'],
  ['MaximumMessageSize', 1024, 1_048_576, '1,024 bytes to 1,048,576 bytes (1 MiB)'],
];

const rangeCases: readonly ConformanceCase[] = ranges.map(([name, least, most, what]) =>
  sqsCase(
    `range-of-${name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`,
    `${name} is ${what}; anything else is refused.`,
    api('SetQueueAttributes', `valid values of ${name}: ${what}`),
    async ({ queue, set, attributes, refused }) => {
      const url = await queue();
      for (const value of [least, most]) {
        await set(url, { [name]: String(value) });
        equal((await attributes(url, name))[name], String(value));
      }
      for (const wrong of [String(least - 1), String(most + 1), '1.5', 'x'])
        await refused(
          `${name} ${wrong}`,
          ['InvalidAttributeValue', 'InvalidParameterValue'],
          set(url, { [name]: wrong }),
        );
    },
  ),
);

const statement = (queueArn: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: '*', Action: 'sqs:SendMessage', Resource: queueArn }],
});

export const sqsAttributes = group(
  'sqs-attributes',
  'Attributes of queues, policies and permissions',
  ['sqs'],
  [
    ...rangeCases,
    sqsCase(
      'defaults',
      'A new queue has the documented defaults.',
      api('CreateQueue', 'defaults: visibility 30 s, delay 0, retention 4 days, wait 0, and 1 MiB a message'),
      async ({ queue, attributes }) => {
        const found = await attributes(await queue());
        equal(found.VisibilityTimeout, '30');
        equal(found.DelaySeconds, '0');
        equal(found.MessageRetentionPeriod, '345600');
        equal(found.ReceiveMessageWaitTimeSeconds, '0');
        equal(found.MaximumMessageSize, '1048576', 'The largest message is not 1 MiB.');
        equal(found.SqsManagedSseEnabled, 'true', 'A new queue is not encrypted by SQS.');
      },
    ),
    sqsCase(
      'only-those-asked-for',
      'GetQueueAttributes gives the attributes that were asked for and no others.',
      api('GetQueueAttributes', 'a list of attributes for which to retrieve information'),
      async ({ queue, attributes }) => {
        const found = await attributes(await queue(), 'QueueArn', 'VisibilityTimeout');
        equal(Object.keys(found).sort().join(), 'QueueArn,VisibilityTimeout');
      },
    ),
    sqsCase(
      'nothing-to-show',
      'Asked for an attribute that the queue does not have, GetQueueAttributes leaves it out.',
      recorded('no Attributes at all in the answer for the policy of a queue without one'),
      async ({ queue }, world) => {
        const call = new GetQueueAttributesCommand({ QueueUrl: await queue(), AttributeNames: ['Policy'] });
        equal((await world.sqs.send(call)).Attributes?.Policy, undefined);
      },
    ),
    sqsCase(
      'unknown-attribute',
      'An attribute that SQS does not know is refused, asked for and set.',
      api('GetQueueAttributes', 'InvalidAttributeName when the attribute does not exist'),
      async ({ queue, attributes, set, refused }) => {
        const url = await queue();
        const name = 'Colour' as QueueAttributeName;
        await refused('A question for it', 'InvalidAttributeName', attributes(url, name));
        await refused('Setting it', 'InvalidAttributeName', set(url, { [name]: 'red' }));
      },
    ),
    sqsCase(
      'nothing-changes-when-one-is-wrong',
      'When one of several attributes is wrong, none of them is set.',
      api(
        'SetQueueAttributes',
        'an error is given for an invalid attribute',
        'it is not said whether the others are set; the model sets none, as an action that failed',
      ),
      async ({ queue, set, attributes, refused }) => {
        const url = await queue();
        await refused(
          'A wrong delay beside a right visibility',
          ['InvalidAttributeValue', 'InvalidParameterValue'],
          set(url, { VisibilityTimeout: '5', DelaySeconds: '901' }),
        );
        equal((await attributes(url, 'VisibilityTimeout')).VisibilityTimeout, '30');
      },
    ),
    sqsCase(
      'timestamps',
      'The time of the last change moves with a change, the time of creation does not.',
      api('GetQueueAttributes', 'CreatedTimestamp and LastModifiedTimestamp are in seconds since 1970'),
      async ({ queue, set, attributes }, world) => {
        const url = await queue();
        const before = await attributes(url);
        ok(
          Math.abs(Number(before.CreatedTimestamp) - world.now() / 1000) < 60,
          `CreatedTimestamp is ${before.CreatedTimestamp}, no time of now in seconds.`,
        );
        await world.pass(1.1);
        await set(url, { DelaySeconds: '1' });
        const after = await attributes(url);
        equal(after.CreatedTimestamp, before.CreatedTimestamp);
        notEqual(after.LastModifiedTimestamp, before.LastModifiedTimestamp, 'The change left no trace.');
      },
    ),
    sqsCase(
      'true-in-any-case',
      'True is taken for true, and shown as true.',
      recorded('a FIFO queue was created with FifoQueue True, and shows true'),
      async ({ fifo, attributes }) => {
        const found = await attributes(await fifo({ ContentBasedDeduplication: 'True' }));
        equal(found.ContentBasedDeduplication, 'true');
      },
    ),
    sqsCase(
      'fifo-attributes-on-standard',
      'A standard queue cannot have attributes of FIFO queues, not even as false.',
      recorded('InvalidAttributeName for FifoQueue, ContentBasedDeduplication and the high-throughput pair'),
      async ({ queue, refused }) => {
        for (const wrong of [
          { FifoQueue: 'false' },
          { ContentBasedDeduplication: 'false' },
          { DeduplicationScope: 'queue' },
          { FifoThroughputLimit: 'perQueue' },
        ])
          await refused(JSON.stringify(wrong), 'InvalidAttributeName', queue(wrong));
      },
    ),
    sqsCase(
      'kind-cannot-change',
      'A queue’s kind cannot be changed.',
      guide('Amazon SQS FIFO queues', 'an existing standard queue cannot be converted into a FIFO queue'),
      async ({ queue, fifo, set, refused }) => {
        const standard = await queue();
        const ordered = await fifo();
        await refused('Standard to FIFO', 'InvalidAttributeName', set(standard, { FifoQueue: 'true' }));
        await refused('FIFO to standard', 'InvalidAttributeValue', set(ordered, { FifoQueue: 'false' }));
        await set(ordered, { FifoQueue: 'true' });
      },
    ),
    sqsCase(
      'high-throughput-pair',
      'A throughput limit for each group needs deduplication by group.',
      guide(
        'High throughput for FIFO queues',
        'perMessageGroupId is allowed only when the deduplication scope is messageGroup',
      ),
      async ({ fifo, attributes, refused }) => {
        await refused(
          'perMessageGroupId alone',
          ['InvalidParameterValue', 'InvalidAttributeValue'],
          fifo({ FifoThroughputLimit: 'perMessageGroupId' }),
        );
        const pair = { FifoThroughputLimit: 'perMessageGroupId', DeduplicationScope: 'messageGroup' };
        const found = await attributes(await fifo(pair));
        equal(found.FifoThroughputLimit, 'perMessageGroupId');
      },
    ),
    sqsCase(
      'one-encryption-at-a-time',
      'A key of KMS ends the encryption by SQS; both at once are refused.',
      recorded('InvalidAttributeName for both; with a key alone SqsManagedSseEnabled shows false'),
      async ({ queue, set, attributes, refused }) => {
        const url = await queue();
        const both = { KmsMasterKeyId: 'some-key', SqsManagedSseEnabled: 'true' };
        await refused('Both kinds of encryption', 'InvalidAttributeName', set(url, both));
        await set(url, { KmsMasterKeyId: 'some-key' });
        equal((await attributes(url, 'SqsManagedSseEnabled')).SqsManagedSseEnabled, 'false');
      },
    ),
    sqsCase(
      'key-reuse-period',
      'The period for which a KMS key is reused is shown as long as there is a key.',
      recorded('gone from the attributes once KmsMasterKeyId was set to an empty text'),
      async ({ queue, set, attributes }) => {
        const url = await queue({ KmsMasterKeyId: 'some-key', KmsDataKeyReusePeriodSeconds: '6000' });
        equal((await attributes(url)).KmsDataKeyReusePeriodSeconds, '6000');
        await set(url, { KmsMasterKeyId: '', KmsDataKeyReusePeriodSeconds: '300' });
        const found = await attributes(url);
        equal(found.KmsMasterKeyId, undefined);
        equal(found.KmsDataKeyReusePeriodSeconds, undefined);
      },
    ),
    sqsCase(
      'policy-set-and-removed',
      'A policy is shown as it was set; an empty text removes it.',
      recorded('Policy set to an empty text is no attribute any more'),
      async ({ queue, arn, set, attributes }) => {
        const url = await queue();
        await set(url, { Policy: JSON.stringify(statement(await arn(url))) });
        const { Policy = '{}' } = await attributes(url, 'Policy');
        equal(JSON.parse(Policy).Statement[0].Action, 'sqs:SendMessage');
        await set(url, { Policy: '' });
        equal((await attributes(url)).Policy, undefined);
      },
    ),
    sqsCase(
      'policy-must-be-json',
      'A policy that is not JSON is refused.',
      api('SetQueueAttributes', 'the value of Policy must be a valid policy in JSON'),
      async ({ queue, set, refused }) => {
        const call = set(await queue(), { Policy: '{"Statement": [' });
        await refused('Half a policy', ['InvalidAttributeValue', 'InvalidParameterValue'], call);
      },
    ),
    sqsCase(
      'add-permission',
      'AddPermission writes a statement into the policy, under its label.',
      recorded('Version 2008-10-17; accounts as root ARNs, one or a list; actions as SQS:Action'),
      async ({ queue, arn, attributes }, world) => {
        const QueueUrl = await queue();
        await world.sqs.send(
          new AddPermissionCommand({
            QueueUrl,
            Label: 'partner',
            AWSAccountIds: ['111122223333'],
            Actions: ['SendMessage'],
          }),
        );
        const { Policy = '{}' } = await attributes(QueueUrl, 'Policy');
        const { Version, Statement } = JSON.parse(Policy);
        equal(Version, '2008-10-17');
        equal(
          JSON.stringify(Statement),
          JSON.stringify([
            {
              Sid: 'partner',
              Effect: 'Allow',
              Principal: { AWS: 'arn:aws:iam::111122223333:root' },
              Action: 'SQS:SendMessage',
              Resource: await arn(QueueUrl),
            },
          ]),
        );
      },
    ),
    sqsCase(
      'labels-of-permissions',
      'A label is used once; a label that is not there cannot be removed; the last one takes the policy along.',
      recorded('InvalidParameterValue for both; without statements the queue has no policy'),
      async ({ queue, attributes, refused }, world) => {
        const QueueUrl = await queue();
        const add = (Label: string) =>
          world.sqs.send(
            new AddPermissionCommand({
              QueueUrl,
              Label,
              AWSAccountIds: ['111122223333'],
              Actions: ['ReceiveMessage'],
            }),
          );
        const drop = (Label: string) => world.sqs.send(new RemovePermissionCommand({ QueueUrl, Label }));
        await add('one');
        await refused('The same label again', 'InvalidParameterValue', add('one'));
        await add('two');
        await drop('one');
        const { Policy = '{}' } = await attributes(QueueUrl, 'Policy');
        equal(JSON.parse(Policy).Statement.length, 1);
        await drop('two');
        equal((await attributes(QueueUrl)).Policy, undefined);
        await refused('Removing it again', 'InvalidParameterValue', drop('two'));
      },
    ),
    sqsCase(
      'counts-by-state',
      'The counts tell messages that wait, are in flight and are delayed apart.',
      api('GetQueueAttributes', 'approximate numbers of messages available, in flight and delayed'),
      async ({ queue, send, receiveOne, counts }, world) => {
        const url = await queue();
        for (const body of ['a', 'b', 'c']) await send(url, body);
        await send(url, 'later', { DelaySeconds: 60 });
        await receiveOne(url);
        // Approximate: on AWS they take up to a minute to settle.
        await world.eventually('counts of 2, 1 and 1', world.server === 'aws' ? 90 : 1, async () =>
          `${await counts(url)}` === '2,1,1' ? true : undefined,
        );
      },
    ),
  ],
);
