import type {
  AddPermissionCommandInput,
  CreateQueueCommandInput,
  DeleteQueueCommandInput,
  GetQueueAttributesCommandInput,
  GetQueueUrlCommandInput,
  ListDeadLetterSourceQueuesCommandInput,
  ListQueuesCommandInput,
  ListQueueTagsCommandInput,
  PurgeQueueCommandInput,
  RemovePermissionCommandInput,
  SetQueueAttributesCommandInput,
  TagQueueCommandInput,
  UntagQueueCommandInput,
} from '@aws-sdk/client-sqs';
import type { Call } from '../service.ts';
import {
  asksForFifo,
  changeAttributes,
  describeAttributes,
  firstDifference,
  settingsOf,
} from './attributes.ts';
import {
  invalidParameter,
  invalidValue,
  missingParameter,
  purgeQueueInProgress,
  queueDeletedRecently,
  queueDoesNotExist,
  queueNameExists,
} from './errors.ts';
import { createFifoShelf } from './fifo.ts';
import { handlePrefix } from './identifiers.ts';
import { paginate } from './pages.ts';
import { addPermission, removePermission } from './permissions.ts';
import { createDueHeap, createTotals, delayAnew, empty, type Queue } from './queue.ts';
import { QUOTAS } from './quotas.ts';
import { isScopePerGroup } from './send.ts';
import { createStandardShelf } from './standard.ts';
import { queueOf, type World } from './world.ts';

/** The actions on queues. `onCreate` and `onDelete` tell who publishes the gauges. */
export function createQueueOperations(
  world: World,
  onCreate: (queue: Queue) => void,
  onDelete: (queue: Queue) => void,
) {
  const apply = (queue: Queue, attributes: ReadonlyMap<string, string>) => {
    const now = world.clock.now();
    const perGroup = isScopePerGroup(queue, now);
    queue.attributes.clear();
    for (const [name, value] of attributes) queue.attributes.set(name, value);
    queue.settings = settingsOf(queue.attributes, queue.fifo);
    if (queue.settings.deduplicationPerGroup === perGroup) queue.formerScope = undefined;
    else queue.formerScope ??= { perGroup, until: now + QUOTAS.propagation * 1000 };
    queue.modifiedAt = now;
  };

  return {
    CreateQueue(input: CreateQueueCommandInput) {
      const name = input.QueueName;
      if (name === undefined || name === '') throw missingParameter('QueueName');
      const wanted = input.Attributes ?? {};
      const fifo = checkName(name, asksForFifo(wanted));
      const existing = world.queues.get(name);
      if (existing !== undefined) {
        const difference = firstDifference(existing, wanted);
        if (difference !== undefined) throw queueNameExists(difference);
        return { QueueUrl: existing.url };
      }
      const now = world.clock.now();
      const deletedAt = world.deletedNames.get(name);
      if (deletedAt !== undefined && now < deletedAt + QUOTAS.quarantine * 1000) throw queueDeletedRecently();
      const arn = `arn:aws:sqs:${world.region}:${world.account}:${name}`;
      const attributes = changeAttributes({ arn, fifo, attributes: new Map() }, wanted, world.queueByArn);
      const queue: Queue = {
        name,
        url: `${world.queueUrls ?? world.endpoint}/${world.account}/${name}`,
        arn,
        fifo,
        handlePrefix: handlePrefix(world.random),
        dimensions: { QueueName: name },
        encryptionContext: { 'aws:sqs:arn': arn },
        createdAt: now,
        modifiedAt: now,
        attributes,
        settings: settingsOf(attributes, fifo),
        tags: new Map(Object.entries(input.tags ?? {})),
        shelf: fifo
          ? createFifoShelf(world.quotas.fifoSearch)
          : createStandardShelf(world.random, world.reorderWindow),
        messages: new Map(),
        due: createDueHeap(),
        oldest: undefined,
        newest: undefined,
        nextNumber: 0,
        visible: 0,
        inFlight: 0,
        delayed: 0,
        movedIn: 0,
        deduplication: new Map(),
        formerScope: undefined,
        attempts: new Map(),
        waiters: new Set(),
        purgedAt: Number.NEGATIVE_INFINITY,
        deleted: false,
        totals: createTotals(),
      };
      world.queues.set(name, queue);
      world.deletedNames.delete(name);
      onCreate(queue);
      return { QueueUrl: queue.url };
    },

    DeleteQueue(input: DeleteQueueCommandInput, { principal }: Call = {}) {
      const queue = queueOf(world, input.QueueUrl);
      queue.deleted = true;
      world.queues.delete(queue.name);
      // CloudFormation ends a deletion when the name is free again. The model has nobody wait for that: it is free at once.
      if (principal?.service !== 'cloudformation.amazonaws.com') {
        world.deletedNames.set(queue.name, world.clock.now());
      }
      empty(queue);
      world.polls.dismiss(queue);
      onDelete(queue);
      return {};
    },

    GetQueueUrl(input: GetQueueUrlCommandInput) {
      if (input.QueueName === undefined || input.QueueName === '') throw missingParameter('QueueName');
      const queue = world.queues.get(input.QueueName);
      if (queue === undefined || (input.QueueOwnerAWSAccountId ?? world.account) !== world.account) {
        throw queueDoesNotExist();
      }
      return { QueueUrl: queue.url };
    },

    ListQueues(input: ListQueuesCommandInput) {
      const prefix = input.QueueNamePrefix ?? '';
      const urls = [...world.queues.values()]
        .filter(({ name }) => name.startsWith(prefix))
        .map(({ url }) => url)
        .sort();
      const page = paginate(urls, input.MaxResults, input.NextToken);
      return {
        ...(page.items.length > 0 && { QueueUrls: page.items }),
        ...(page.nextToken !== undefined && { NextToken: page.nextToken }),
      };
    },

    ListDeadLetterSourceQueues(input: ListDeadLetterSourceQueuesCommandInput) {
      const target = queueOf(world, input.QueueUrl);
      const urls = [...world.queues.values()]
        .filter(({ settings }) => settings.redrive?.targetArn === target.arn)
        .map(({ url }) => url)
        .sort();
      const page = paginate(urls, input.MaxResults, input.NextToken);
      return {
        queueUrls: page.items,
        ...(page.nextToken !== undefined && { NextToken: page.nextToken }),
      };
    },

    GetQueueAttributes(input: GetQueueAttributesCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      const attributes = describeAttributes(queue, input.AttributeNames ?? []);
      return Object.keys(attributes).length === 0 ? {} : { Attributes: attributes };
    },

    SetQueueAttributes(input: SetQueueAttributesCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      const { Attributes: wanted } = input;
      if (wanted === undefined) throw missingParameter('Attributes');
      const { delay } = queue.settings;
      apply(queue, changeAttributes(queue, wanted, world.queueByArn));
      if (queue.fifo && queue.settings.delay !== delay) delayAnew(queue, world.clock.now());
      world.polls.serve(queue);
      return {};
    },

    PurgeQueue(input: PurgeQueueCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      const now = world.clock.now();
      if (now < queue.purgedAt + QUOTAS.quarantine * 1000) throw purgeQueueInProgress(queue.name);
      queue.purgedAt = now;
      queue.totals.purged += empty(queue);
      return {};
    },

    TagQueue(input: TagQueueCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      const tags = Object.entries(input.Tags ?? {});
      if (tags.length === 0) throw missingParameter('Tags');
      const names = new Set([...queue.tags.keys(), ...tags.map(([name]) => name)]);
      if (names.size > 50) throw invalidParameter('Too many tags added for queue. The limit is 50.');
      for (const [name, value] of tags) queue.tags.set(name, value);
      return {};
    },

    UntagQueue(input: UntagQueueCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      for (const name of input.TagKeys ?? []) queue.tags.delete(name);
      return {};
    },

    ListQueueTags(input: ListQueueTagsCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      return queue.tags.size === 0 ? {} : { Tags: Object.fromEntries(queue.tags) };
    },

    AddPermission(input: AddPermissionCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      const text = addPermission(queue, input);
      apply(queue, new Map(queue.attributes).set('Policy', text));
      return {};
    },

    RemovePermission(input: RemovePermissionCommandInput) {
      const queue = queueOf(world, input.QueueUrl);
      const text = removePermission(queue, input.Label);
      const attributes = new Map(queue.attributes);
      if (text === undefined) attributes.delete('Policy');
      else attributes.set('Policy', text);
      apply(queue, attributes);
      return {};
    },
  };
}

// A name with the suffix and the attribute FifoQueue go together; the suffix counts towards the 80 characters.
function checkName(name: string, fifo: boolean): boolean {
  if (fifo && !name.endsWith('.fifo')) {
    throw invalidParameter(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length',
    );
  }
  const rest = fifo ? name.slice(0, -'.fifo'.length) : name;
  if (!/^[A-Za-z0-9_-]+$/.test(rest) || name.length > 80) {
    throw invalidValue(
      name,
      'QueueName',
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
    );
  }
  return fifo;
}
