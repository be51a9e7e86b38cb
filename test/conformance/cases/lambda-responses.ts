import { equal, ok } from 'node:assert/strict';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { type ConformanceCase, Difference, group } from '../case.ts';
import {
  bodiesOf,
  emptied,
  firstRecord,
  give,
  recorder,
  sinceFirstReceive,
  sourceQueue,
  subscribe,
} from './kit/lambda.ts';

const page = 'Lambda developer guide, "Handling errors for an SQS event source in Lambda"';

/** A response after which the message is done. */
const success = (name: string, words: string, answer: unknown, says: string): ConformanceCase => ({
  name,
  title: `${words}: the whole batch succeeded, and is deleted.`,
  source: { page, says },
  functions: 'recorder',
  async run(world) {
    const { name: functionName, ended, begun, quiet } = await recorder(world);
    const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
    await give(world, url, [{ answer }]);
    await subscribe(world, functionName, arn);
    await ended(1);
    await emptied(world, url, 5);
    await quiet(0);
    equal((await begun(1)).length, 1, 'The message came again.');
  },
});

/** A response after which the message comes back. */
const failure = (
  name: string,
  words: string,
  answer: unknown,
  source: Omit<ConformanceCase['source'], 'page'>,
): ConformanceCase => ({
  name,
  title: `${words}: the whole batch failed, and comes back.`,
  source: { page, ...source },
  functions: 'recorder',
  async run(world) {
    const { name: functionName, ended, begun } = await recorder(world);
    const { url, arn } = await sourceQueue(world);
    await give(world, url, [{ answer }]);
    await subscribe(world, functionName, arn);
    await ended(1);
    let again: Awaited<ReturnType<typeof begun>>;
    try {
      again = await begun(2, 8);
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      throw new Difference('The message was deleted, although the response was none.');
    }
    equal(firstRecord(again[1]).attributes.ApproximateReceiveCount, '2');
    await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
  },
});

const failed = 'an entry whose identifier is missing, empty or null makes the batch a complete failure';
const silent = (what: string) =>
  `The page names invalid JSON, and identifiers that are empty, null or under a bad key; ${what} is not named. The model takes the safe side: nothing is deleted that no valid response calls done.`;

export const lambdaResponses = group(
  'lambda-responses',
  'Event sources: partial batch responses',
  ['lambda', 'sqs'],
  [
    {
      name: 'named-failures-alone-come-back',
      title: 'Only the messages that the response names come back; the others are deleted.',
      source: { page, says: 'with ReportBatchItemFailures only the failed messages become visible again' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '5' });
        await give(world, url, ['good', { fail: true }, 'good too']);
        await subscribe(world, name, arn, { MaximumBatchingWindowInSeconds: 1 });
        const all = await begun(2);
        if (bodiesOf(all[0]).length !== 3)
          throw new Difference('Three waiting messages came in several batches.');
        equal(bodiesOf(all[1]).join(), '{"fail":true}', 'Other messages than the failed one came back.');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'failed-message-waits-for-its-visibility',
      title: 'A message that the response names comes back when its visibility ends, not at once.',
      source: { page, says: 'it becomes visible again after the visibility timeout of the queue' },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '3' });
        await give(world, url, [{ fail: true }]);
        await subscribe(world, name, arn);
        const [, second] = await begun(2);
        const apart = sinceFirstReceive(second);
        ok(apart >= 2900, `It came again ${apart} ms after its receive, its visibility is 3 s.`);
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
    {
      name: 'ignored-without-report-batch-item-failures',
      title: 'Without ReportBatchItemFailures a response is not looked at: the batch is deleted.',
      source: {
        page,
        says: 'the response counts only when FunctionResponseTypes has ReportBatchItemFailures',
      },
      functions: 'recorder',
      async run(world) {
        const { name, ended, begun, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        await give(world, url, [{ fail: true }]);
        await subscribe(world, name, arn, { FunctionResponseTypes: [] });
        await ended(1);
        await emptied(world, url, 5);
        await quiet(0);
        equal((await begun(1)).length, 1, 'The message came again.');
      },
    },
    success('null', 'A null response', null, 'a null event response is a complete success'),
    success('empty-object', 'An empty object', {}, 'an empty event response is a complete success'),
    success('empty-list', 'An empty list', { batchItemFailures: [] }, 'an empty list is a complete success'),
    success('null-list', 'A null list', { batchItemFailures: null }, 'a null list is a complete success'),
    success(
      'other-members-only',
      'An object with other members only',
      { statusCode: 200, failures: ['x'] },
      'no batchItemFailures is an empty event response',
    ),
    failure(
      'entry-without-identifier',
      'An entry without itemIdentifier',
      { batchItemFailures: [{}] },
      {
        says: failed,
      },
    ),
    failure(
      'empty-identifier',
      'An empty itemIdentifier',
      { batchItemFailures: [{ itemIdentifier: '' }] },
      { says: failed },
    ),
    failure(
      'null-identifier',
      'A null itemIdentifier',
      { batchItemFailures: [{ itemIdentifier: null }] },
      { says: failed },
    ),
    failure(
      'wrong-key',
      'An entry with another key',
      { batchItemFailures: [{ messageId: '5ffbaa48-dd1b-4b1e-b0f5-d0b9a1d0f1b4' }] },
      { says: 'an itemIdentifier with a bad key name makes the batch a complete failure' },
    ),
    failure(
      'unknown-identifier',
      'An itemIdentifier that is not of the batch',
      { batchItemFailures: [{ itemIdentifier: '5ffbaa48-dd1b-4b1e-b0f5-d0b9a1d0f1b4' }] },
      {
        says: 'identifiers are message ids of the batch',
        conflict:
          'The page does not name an unknown id; a test that LocalStack recorded on AWS shows the whole batch coming back, and so does the model.',
      },
    ),
    failure(
      'list-of-texts',
      'A list of ids instead of entries',
      { batchItemFailures: ['5ffbaa48-dd1b-4b1e-b0f5-d0b9a1d0f1b4'] },
      { says: 'entries are objects with an itemIdentifier', conflict: silent('a list of texts') },
    ),
    failure(
      'list-is-no-list',
      'A batchItemFailures that is no list',
      { batchItemFailures: 'none' },
      { says: 'batchItemFailures is a list', conflict: silent('a text instead of the list') },
    ),
    failure('text', 'A text as the response', 'done', {
      says: 'a response is an object of JSON',
      conflict: silent('a text as the whole response'),
    }),
    {
      name: 'unknown-brings-back-the-unnamed',
      title: 'After an unknown itemIdentifier also the messages that no entry names come back.',
      source: {
        page,
        says: 'an invalid response is a complete failure',
        conflict:
          'The page does not name an unknown id; a test that LocalStack recorded on AWS shows the whole batch coming back, and so does the model.',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const { url, arn } = await sourceQueue(world, { VisibilityTimeout: '5' });
        const wrong = { batchItemFailures: [{ itemIdentifier: 'nobody' }] };
        await give(world, url, [{ answer: wrong }, 'innocent']);
        await subscribe(world, name, arn, { MaximumBatchingWindowInSeconds: 1 });
        const [first] = await begun(1);
        if (bodiesOf(first).length !== 2) throw new Difference('Two waiting messages came in two batches.');
        const again = (await begun(2)).slice(1).flatMap(bodiesOf);
        ok(again.includes('innocent'), 'A message beside the unknown identifier was deleted.');
        await world.sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
      },
    },
  ],
);
