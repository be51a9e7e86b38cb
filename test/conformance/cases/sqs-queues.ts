import { ok } from 'node:assert/strict';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';
import type { QueueAttributes } from './kit/sqs.ts';

/** Makes a queue of this name, removed when the case is over. */
async function create({ sqs, after }: World, QueueName: string, Attributes: QueueAttributes = {}) {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  after(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
  return QueueUrl;
}

/** A name of exactly this length. */
const padded = (world: World, length: number, suffix = '') =>
  world.name('q').padEnd(length - suffix.length, 'x') + suffix;

export const sqsQueues = group(
  'sqs-queues',
  'Queues: names, creation, deletion, purge, tags',
  ['sqs'],
  [
    sqsCase(
      'url-and-arn-end-in-the-name',
      'A queue’s URL ends in account and name, its ARN in the same.',
      guide(
        'Queue and message identifiers',
        'the URL holds the account and the name; the ARN holds both too',
      ),
      async ({ arn }, world) => {
        const name = world.name('named');
        const url = await create(world, name);
        const account = /\/(\d{12})\/([^/]+)$/.exec(url)?.[1];
        ok(account !== undefined && url.endsWith(`/${name}`), `The URL is ${url}.`);
        equal(await arn(url), `arn:aws:sqs:${world.region}:${account}:${name}`);
      },
    ),
    sqsCase(
      'get-queue-url',
      'GetQueueUrl finds a queue by its name.',
      api('GetQueueUrl', 'returns the URL of an existing queue'),
      async (_, world) => {
        const QueueName = world.name('found');
        const url = await create(world, QueueName);
        equal((await world.sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl, url);
      },
    ),
    sqsCase(
      'get-queue-url-of-nothing',
      'GetQueueUrl of a name that no queue has is refused.',
      api('GetQueueUrl', 'QueueDoesNotExist when there is no such queue'),
      async ({ refused }, world) => {
        const call = world.sqs.send(new GetQueueUrlCommand({ QueueName: world.name('nowhere') }));
        await refused('The name of no queue', 'QueueDoesNotExist', call);
      },
    ),
    sqsCase(
      'created-twice-is-one-queue',
      'Creating a queue again with the same attributes gives its URL.',
      api('CreateQueue', 'an existing name with exactly the same attributes gives the existing queue’s URL'),
      async (_, world) => {
        const name = world.name('twice');
        const first = await create(world, name, { VisibilityTimeout: '69' });
        equal(await create(world, name, { VisibilityTimeout: '69' }), first);
      },
    ),
    sqsCase(
      'created-again-without-attributes',
      'Creating a queue again without attributes gives its URL, whatever its attributes are.',
      recorded('an attribute that is not given is not compared'),
      async (_, world) => {
        const name = world.name('plain');
        const first = await create(world, name, { VisibilityTimeout: '69', DelaySeconds: '1' });
        equal(await create(world, name), first);
        equal(await create(world, name, { DelaySeconds: '1' }), first);
      },
    ),
    sqsCase(
      'created-again-otherwise',
      'Creating a queue again with another value of an attribute is refused.',
      api('CreateQueue', 'QueueNameExists when the name is taken and the attributes differ'),
      async ({ refused }, world) => {
        const name = world.name('other');
        await create(world, name, { DelaySeconds: '1' });
        await refused('Another delay', 'QueueNameExists', create(world, name, { DelaySeconds: '2' }));
      },
    ),
    sqsCase(
      'created-again-after-a-change',
      'What a second creation is compared with are the attributes as they are now.',
      recorded('after SetQueueAttributes the new value matches and the first one does not'),
      async ({ set, refused }, world) => {
        const name = world.name('changed');
        const url = await create(world, name, { DelaySeconds: '1' });
        await set(url, { DelaySeconds: '2' });
        equal(await create(world, name, { DelaySeconds: '2' }), url);
        await refused('The first delay', 'QueueNameExists', create(world, name, { DelaySeconds: '1' }));
      },
    ),
    sqsCase(
      'created-again-with-messages',
      'Messages in the queue do not stand in the way of creating it again.',
      recorded('counts of messages are no attributes that are compared'),
      async ({ send }, world) => {
        const name = world.name('used');
        const url = await create(world, name);
        await send(url, 'one');
        await send(url, 'later', { DelaySeconds: 1 });
        equal(await create(world, name), url);
      },
    ),
    sqsCase(
      'name-of-80-characters',
      'A name has at most 80 characters.',
      api('CreateQueue', 'a name can have up to 80 characters'),
      async ({ refused }, world) => {
        await create(world, padded(world, 80));
        await refused('A name of 81 characters', 'InvalidParameterValue', create(world, padded(world, 81)));
      },
    ),
    sqsCase(
      'fifo-name-of-80-characters',
      'The suffix .fifo counts towards the 80 characters of a name.',
      guide('Quotas related to queues', 'the suffix .fifo counts towards the 80-character quota of the name'),
      async ({ refused }, world) => {
        const fifo = { FifoQueue: 'true' };
        await create(world, padded(world, 80, '.fifo'), fifo);
        const tooLong = create(world, padded(world, 81, '.fifo'), fifo);
        await refused('A FIFO name of 81 characters', 'InvalidParameterValue', tooLong);
      },
    ),
    sqsCase(
      'name-characters',
      'A name has letters, digits, hyphens and underscores only.',
      api('CreateQueue', 'alphanumeric characters, hyphens and underscores are valid'),
      async ({ refused }, world) => {
        await create(world, `${world.name('Fine')}_-9`);
        for (const wrong of ['!', '.', ' ', '/', 'é'])
          await refused(
            `A name with "${wrong}"`,
            'InvalidParameterValue',
            create(world, `${world.name('q')}${wrong}x`),
          );
      },
    ),
    sqsCase(
      'fifo-needs-its-suffix',
      'A FIFO queue’s name ends in .fifo.',
      api('CreateQueue', 'the name of a FIFO queue must end with the .fifo suffix'),
      async ({ refused }, world) =>
        void (await refused(
          'A FIFO queue without .fifo',
          'InvalidParameterValue',
          create(world, world.name('plain'), { FifoQueue: 'true' }),
        )),
    ),
    sqsCase(
      'suffix-needs-fifo',
      'A standard queue’s name cannot end in .fifo.',
      recorded('InvalidParameterValue: a dot is none of the characters of a standard queue’s name'),
      async ({ refused }, world) =>
        void (await refused(
          'A standard queue with .fifo',
          'InvalidParameterValue',
          create(world, world.name('plain', '.fifo')),
        )),
    ),
    sqsCase(
      'deleted-queue-is-gone',
      'Nothing can be sent to a queue that was deleted.',
      api('DeleteQueue', 'after a deletion the queue and its messages are not available any more'),
      async ({ queue, refused, send }, world) => {
        const QueueUrl = await queue();
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl }));
        // AWS takes up to a minute for it; the servers of this machine do it at once.
        if (world.server === 'aws') await world.pass(60);
        await refused('A message to a deleted queue', 'QueueDoesNotExist', send(QueueUrl, 'late'));
      },
    ),
    sqsCase(
      'deleted-name-is-taken-for-a-minute',
      'The name of a deleted queue can be used again after 60 seconds, not before.',
      api('DeleteQueue', 'wait at least 60 seconds before creating a queue of the same name'),
      async ({ refused }, world) => {
        const name = world.name('again');
        const QueueUrl = await create(world, name);
        await world.sqs.send(new DeleteQueueCommand({ QueueUrl }));
        await world.pass(50);
        await refused('The name after 50 s', 'QueueDeletedRecently', create(world, name));
        await world.pass(10);
        equal(await create(world, name), QueueUrl);
      },
      { hours: true },
    ),
    sqsCase(
      'list-by-prefix',
      'ListQueues gives the queues whose name begins with the prefix.',
      api('ListQueues', 'only queues whose name begins with the string are returned'),
      async (_, world) => {
        const prefix = world.name('listed');
        const urls = [await create(world, `${prefix}-a`), await create(world, `${prefix}-b`)];
        await create(world, world.name('different'));
        const list = (QueueNamePrefix: string) => world.sqs.send(new ListQueuesCommand({ QueueNamePrefix }));
        equal((await list(prefix)).QueueUrls?.join(), urls.join());
        equal((await list(`${prefix}-none`)).QueueUrls?.length ?? 0, 0);
      },
    ),
    sqsCase(
      'list-in-pages',
      'With MaxResults ListQueues gives pages and a token for the next one; the last page has none.',
      api('ListQueues', 'NextToken is given when MaxResults is set and more results are left'),
      async (_, world) => {
        const prefix = world.name('paged');
        for (const suffix of ['a', 'b', 'c']) await create(world, `${prefix}-${suffix}`);
        const all = { QueueNamePrefix: prefix };
        const whole = await world.sqs.send(new ListQueuesCommand(all));
        equal(whole.NextToken, undefined, 'A list without MaxResults has a token.');
        const first = await world.sqs.send(new ListQueuesCommand({ ...all, MaxResults: 2 }));
        equal(first.QueueUrls?.length, 2);
        const { NextToken } = first;
        ok(NextToken, 'The first page has no token.');
        const rest = await world.sqs.send(new ListQueuesCommand({ ...all, MaxResults: 2, NextToken }));
        equal(rest.NextToken, undefined, 'The last page has a token.');
        equal([...(first.QueueUrls ?? []), ...(rest.QueueUrls ?? [])].join(), whole.QueueUrls?.join());
      },
    ),
    sqsCase(
      'purge-removes-everything',
      'A purge removes messages that wait, are in flight or are delayed.',
      api(
        'PurgeQueue',
        'deletes the messages of a queue; recorded on AWS for messages in flight and delayed too',
      ),
      async ({ queue, send, receiveOne, nothing, counts }, world) => {
        const QueueUrl = await queue();
        await send(QueueUrl, 'in flight');
        await receiveOne(QueueUrl, { VisibilityTimeout: 1 });
        await send(QueueUrl, 'waits');
        await send(QueueUrl, 'delayed', { DelaySeconds: 1 });
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl }));
        await world.pass(1.2);
        await nothing(QueueUrl, 'A message outlived the purge');
        equal(`${await counts(QueueUrl)}`, '0,0,0');
      },
    ),
    sqsCase(
      'purge-and-go-on',
      'A queue takes messages after a purge.',
      recorded('messages sent after a purge are received'),
      async ({ queue, send, bodies }, world) => {
        const QueueUrl = await queue();
        await send(QueueUrl, 'before');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl }));
        await send(QueueUrl, 'after');
        equal((await bodies(QueueUrl)).join(), 'after');
      },
    ),
    sqsCase(
      'purge-once-a-minute',
      'A second purge within 60 seconds is refused, later it is not.',
      api('PurgeQueue', 'PurgeQueueInProgress when there was a purge in the last 60 seconds'),
      async ({ queue, refused }, world) => {
        const QueueUrl = await queue();
        const purge = () => world.sqs.send(new PurgeQueueCommand({ QueueUrl }));
        await purge();
        await refused('A second purge at once', 'PurgeQueueInProgress', purge());
        await world.pass(60);
        await purge();
      },
      { hours: true },
    ),
    sqsCase(
      'name-for-the-url',
      'A queue’s bare name is taken for its URL.',
      recorded('SendMessage with the name in QueueUrl reaches the queue'),
      async ({ bodies }, world) => {
        const name = world.name('bare');
        const url = await create(world, name);
        await world.sqs.send(new SendMessageCommand({ QueueUrl: name, MessageBody: 'hello' }));
        equal((await bodies(url)).join(), 'hello');
      },
    ),
    sqsCase(
      'tags',
      'Tags are added, overwritten and removed by name; names differ by case, values may be empty.',
      api('TagQueue', 'tags are case-sensitive; a new tag with an existing key overwrites it'),
      async ({ queue }, world) => {
        const QueueUrl = await queue();
        const tags = async () =>
          Object.entries((await world.sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags ?? {})
            .map((pair) => pair.join('='))
            .sort()
            .join();
        await world.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { Team: 'a', team: 'b', empty: '' } }));
        equal(await tags(), 'Team=a,empty=,team=b');
        await world.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { Team: 'c' } }));
        await world.sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['empty', 'never there'] }));
        equal(await tags(), 'Team=c,team=b');
      },
    ),
    sqsCase(
      'tags-at-creation',
      'Tags can be given when the queue is created; without any, none are listed.',
      api('CreateQueue', 'tags can be added to the queue that is created'),
      async ({ queue }, world) => {
        const { QueueUrl = '' } = await world.sqs.send(
          new CreateQueueCommand({ QueueName: world.name('tagged'), tags: { cost: 'shop' } }),
        );
        world.after(() => world.sqs.send(new DeleteQueueCommand({ QueueUrl })));
        const listed = async (url: string) =>
          (await world.sqs.send(new ListQueueTagsCommand({ QueueUrl: url }))).Tags;
        equal((await listed(QueueUrl))?.cost, 'shop');
        equal(Object.keys((await listed(await queue())) ?? {}).length, 0);
      },
    ),
  ],
);
