import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { type ConformanceCase, group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import { redrivePolicy } from './kit/sqs.ts';

const page = 'Using dead-letter queues in Amazon SQS';

/** Policies that are refused whatever the dead-letter queue is. */
const wrong: readonly (readonly [name: string, what: string, policy: (arn: string) => string])[] = [
  ['without-a-target', 'without a dead-letter queue', () => '{"maxReceiveCount": 3}'],
  ['without-a-count', 'without a count', (arn) => JSON.stringify({ deadLetterTargetArn: arn })],
  ['with-a-count-of-0', 'with a count of 0', (arn) => redrivePolicy(arn, 0)],
  ['with-a-count-of-1001', 'with a count of 1,001', (arn) => redrivePolicy(arn, 1001)],
  ['with-a-count-of-words', 'with a count that is no number', (arn) => redrivePolicy(arn, 'many')],
  ['with-a-dummy-arn', 'with something that is no ARN', () => redrivePolicy('dummy', 42)],
  ['that-is-no-json', 'that is not JSON', () => 'dead-letters'],
  ['that-is-a-list', 'that is a list', () => '[]'],
];

const refusedPolicies: readonly ConformanceCase[] = wrong.map(([name, what, policy]) =>
  sqsCase(
    `policy-${name}`,
    `A RedrivePolicy ${what} is refused.`,
    api('SetQueueAttributes', 'a JSON object with deadLetterTargetArn and maxReceiveCount, 1 to 1,000'),
    async ({ queue, arn, set, refused }) => {
      const dead = await arn(await queue());
      await refused(
        `A policy ${what}`,
        ['InvalidParameterValue', 'InvalidAttributeValue'],
        set(await queue(), { RedrivePolicy: policy(dead) }),
      );
    },
  ),
);

const allow = (policy: object) => ({ RedriveAllowPolicy: JSON.stringify(policy) });

export const sqsRedrivePolicy = group(
  'sqs-redrive-policy',
  'Who may send dead letters where',
  ['sqs'],
  [
    ...refusedPolicies,
    sqsCase(
      'count-as-text',
      'A count may be written as text.',
      recorded('"42" is taken'),
      async ({ queue, arn, send, bodies, nothing }) => {
        const dead = await queue();
        const RedrivePolicy = redrivePolicy(await arn(dead), '1');
        const url = await queue({ VisibilityTimeout: '0', RedrivePolicy });
        await send(url, 'm');
        await bodies(url);
        await nothing(url, 'The count was not kept');
        equal((await bodies(dead)).join(), 'm');
      },
    ),
    sqsCase(
      'queue-that-is-not-there',
      'A dead-letter queue that does not exist is refused.',
      guide(page, 'the dead-letter queue must exist before it is named'),
      async ({ queue, arn, refused }, world) => {
        const name = world.name('nowhere');
        const missing = (await arn(await queue())).replace(/[^:]+$/, name);
        await refused(
          'A dead-letter queue that is not there',
          ['InvalidParameterValue', 'QueueDoesNotExist'],
          queue({ RedrivePolicy: redrivePolicy(missing, 3) }),
        );
      },
    ),
    sqsCase(
      'standard-letters-to-fifo',
      'A standard queue cannot have a FIFO dead-letter queue.',
      guide(page, 'the dead-letter queue of a standard queue must be a standard queue'),
      async ({ queue, fifo, arn, refused }) => {
        const RedrivePolicy = redrivePolicy(await arn(await fifo()), 3);
        await refused('A FIFO dead-letter queue', 'InvalidParameterValue', queue({ RedrivePolicy }));
      },
    ),
    sqsCase(
      'fifo-letters-to-standard',
      'A FIFO queue cannot have a standard dead-letter queue.',
      guide(page, 'the dead-letter queue of a FIFO queue must also be a FIFO queue'),
      async ({ queue, fifo, arn, refused }) => {
        const RedrivePolicy = redrivePolicy(await arn(await queue()), 3);
        await refused('A standard dead-letter queue', 'InvalidParameterValue', fifo({ RedrivePolicy }));
      },
    ),
    sqsCase(
      'deny-all',
      'A queue that allows nobody cannot be named as dead-letter queue.',
      api('SetQueueAttributes', 'RedriveAllowPolicy denyAll: no source queue can specify this queue'),
      async ({ queue, arn, refused }) => {
        const dead = await queue(allow({ redrivePermission: 'denyAll' }));
        const RedrivePolicy = redrivePolicy(await arn(dead), 3);
        await refused('A queue that denies all', 'InvalidParameterValue', queue({ RedrivePolicy }));
      },
    ),
    sqsCase(
      'by-queue',
      'A queue that allows some is a dead-letter queue for those alone.',
      api('SetQueueAttributes', 'RedriveAllowPolicy byQueue: only the queues of sourceQueueArns'),
      async ({ queue, arn, set, refused }) => {
        const [friend, stranger] = [await queue(), await queue()];
        const dead = await queue(
          allow({ redrivePermission: 'byQueue', sourceQueueArns: [await arn(friend)] }),
        );
        const RedrivePolicy = redrivePolicy(await arn(dead), 3);
        await set(friend, { RedrivePolicy });
        await refused('A stranger', 'InvalidParameterValue', set(stranger, { RedrivePolicy }));
      },
    ),
    sqsCase(
      'allow-all',
      'A queue that allows all is a dead-letter queue for each; so is one that says nothing.',
      api('SetQueueAttributes', 'RedriveAllowPolicy allowAll is the default'),
      async ({ queue, arn }) => {
        for (const attributes of [{}, allow({ redrivePermission: 'allowAll' })]) {
          const dead = await queue(attributes);
          await queue({ RedrivePolicy: redrivePolicy(await arn(dead), 3) });
        }
      },
    ),
    sqsCase(
      'allow-policies-that-are-refused',
      'A RedriveAllowPolicy names one of three permissions, and up to ten queues with byQueue.',
      api('SetQueueAttributes', 'redrivePermission allowAll, denyAll or byQueue; up to 10 source queue ARNs'),
      async ({ queue, arn, set, refused }) => {
        const url = await queue();
        const source = await arn(url);
        for (const [what, policy] of [
          ['No permission', {}],
          ['An unknown permission', { redrivePermission: 'some' }],
          ['byQueue without queues', { redrivePermission: 'byQueue' }],
          ['byQueue with eleven', { redrivePermission: 'byQueue', sourceQueueArns: Array(11).fill(source) }],
          ['allowAll with queues', { redrivePermission: 'allowAll', sourceQueueArns: [source] }],
        ] as const)
          await refused(what, ['InvalidParameterValue', 'InvalidAttributeValue'], set(url, allow(policy)));
      },
    ),
    sqsCase(
      'deny-afterwards',
      'A dead-letter queue that denies its sources afterwards gets nothing more; the messages stay with them.',
      api(
        'SetQueueAttributes',
        'denyAll: no source queue can specify this queue',
        'what happens to sources that named it before is not said; the model moves nothing and loses nothing',
      ),
      async ({ pair, send, set, bodies, nothing }) => {
        const { url, dead } = await pair(1, { VisibilityTimeout: '0' });
        await send(url, 'm');
        await set(dead, allow({ redrivePermission: 'denyAll' }));
        for (let time = 1; time <= 3; time++) equal((await bodies(url)).join(), 'm');
        await nothing(dead, 'It moved although it was denied');
      },
    ),
    sqsCase(
      'dead-letter-queue-deleted',
      'When the dead-letter queue is gone, messages stay in their queue.',
      guide(
        page,
        'messages are moved to an existing queue',
        'not said what happens without it; the model goes on giving the message, so that it is not lost',
      ),
      async ({ pair, send, bodies }, world) => {
        const { url, dead } = await pair(1, { VisibilityTimeout: '0' });
        await send(url, 'm');
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl: dead }));
        for (let time = 1; time <= 3; time++) equal((await bodies(url)).join(), 'm');
      },
    ),
  ],
);
