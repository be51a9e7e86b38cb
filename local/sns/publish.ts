import type { PublishBatchCommandInput, PublishCommandInput } from '@aws-sdk/client-sns';
import { uuid } from '../../lib/base/index.ts';
import type { KeyGuard } from '../kms/index.ts';
import { type Call, type ModelContext, type Principal, ServiceError } from '../service.ts';
import type { Published } from './deduplication.ts';
import type { FanOut } from './delivery.ts';
import { batchRefused, invalidParameter } from './errors.ts';
import { checkAttributes, checkContent, checkIds, messageBytes, type Publication } from './message.ts';
import type { SnsState, Topic } from './state.ts';
import { topicOf } from './topics.ts';

const NAMESPACE = 'AWS/SNS';
// SNS API reference, PublishBatch: ten entries; an entry's id has up to 80 characters.
const LARGEST_BATCH = 10;
const LEGAL_ENTRY_ID = /^[\w-]{1,80}$/;

/** The actions that publish, and the door through which other services do. */
export function publishOperations(
  context: ModelContext,
  state: SnsState,
  fanOut: FanOut,
  keys: KeyGuard | undefined,
) {
  // Every topic's numbers rise with time; AWS's have 20 digits as well.
  let sequence = 0;
  const nextSequenceNumber = () => `1${String(++sequence).padStart(16, '0')}000`;

  const useKey = (topic: Topic, principal: Principal | undefined) => {
    const keyId = topic.attributes.get('KmsMasterKeyId');
    if (keyId !== undefined) keys?.use(keyId, principal, 'encrypt', 'sns', { 'aws:sns:topicArn': topic.arn });
  };

  const accept = (topic: Topic, publication: Publication): Published => {
    const deduplicationId = checkIds(topic, publication);
    const { text, texts, bytes } = checkContent(topic, publication);
    context.metrics.count(NAMESPACE, 'NumberOfMessagesPublished', topic.dimensions, 1, 'Count');
    context.metrics.count(NAMESPACE, 'PublishSize', topic.dimensions, bytes, 'Bytes');
    const key =
      deduplicationId !== undefined && topic.deduplicatesByGroup
        ? `${publication.MessageGroupId}\n${deduplicationId}`
        : deduplicationId;
    const earlier = key === undefined ? undefined : topic.deduplication.find(key);
    if (earlier !== undefined) return earlier;
    const messageId = uuid(context.random);
    const sequenceNumber = topic.fifo ? nextSequenceNumber() : undefined;
    const published: Published =
      sequenceNumber === undefined
        ? { MessageId: messageId }
        : { MessageId: messageId, SequenceNumber: sequenceNumber };
    if (key !== undefined) topic.deduplication.remember(key, published);
    fanOut(topic, {
      messageId,
      sequenceNumber,
      text,
      texts,
      subject: publication.Subject,
      attributes: publication.MessageAttributes,
      groupId: publication.MessageGroupId,
      deduplicationId,
      timestamp: new Date(context.clock.now()).toISOString(),
    });
    return published;
  };

  const publish = (topic: Topic, publication: Publication, principal: Principal | undefined): Published => {
    useKey(topic, principal);
    return accept(topic, publication);
  };

  return {
    operations: {
      Publish(input: PublishCommandInput, { principal }: Call = {}) {
        if (input.PhoneNumber !== undefined)
          throw invalidParameter('PhoneNumber: the local model publishes to topics only');
        return publish(topicOf(state, input.TopicArn ?? input.TargetArn), input, principal);
      },

      PublishBatch(
        { TopicArn, PublishBatchRequestEntries: entries = [] }: PublishBatchCommandInput,
        { principal }: Call = {},
      ) {
        const topic = topicOf(state, TopicArn);
        checkBatch(entries, topic);
        // Recorded on AWS: ids that the topic's kind forbids or misses refuse the whole batch, and so do wrong attributes.
        for (const entry of entries) {
          checkIds(topic, entry);
          checkAttributes(entry.MessageAttributes);
        }
        useKey(topic, principal);
        const Successful: ({ Id: string } & Published)[] = [];
        const Failed: { Id: string; Code: string; Message: string; SenderFault: boolean }[] = [];
        for (const entry of entries) {
          const id = entry.Id ?? '';
          try {
            Successful.push({ Id: id, ...accept(topic, entry) });
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error;
            Failed.push({
              Id: id,
              Code: error.queryCode ?? error.name,
              Message: error.message,
              SenderFault: error.statusCode < 500,
            });
          }
        }
        return { Successful, Failed };
      },
    },
    publish,
  };
}

function checkBatch(
  entries: NonNullable<PublishBatchCommandInput['PublishBatchRequestEntries']>,
  topic: Topic,
): void {
  if (entries.length === 0)
    throw batchRefused('EmptyBatchRequestException', "The batch request doesn't contain any entries.");
  if (entries.length > LARGEST_BATCH)
    throw batchRefused(
      'TooManyEntriesInBatchRequestException',
      `The batch request contains more entries than permissible: ${entries.length}, at most ${LARGEST_BATCH} are allowed.`,
    );
  for (const { Id: id } of entries)
    if (id === undefined || !LEGAL_ENTRY_ID.test(id))
      throw batchRefused(
        'InvalidBatchEntryIdException',
        `The Id of a batch entry has 1 to 80 alphanumeric characters, hyphens and underscores; found '${id}'.`,
      );
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
    throw batchRefused(
      'BatchEntryIdsNotDistinctException',
      'Two or more batch entries in the request have the same Id.',
    );
  const bytes = entries.reduce((sum, entry) => sum + messageBytes(entry), 0);
  if (bytes > topic.maximumMessageSize)
    throw batchRefused(
      'BatchRequestTooLongException',
      `The length of all the batch messages put together is more than the limit: ${bytes} bytes, at most ${topic.maximumMessageSize} are allowed.`,
    );
}
