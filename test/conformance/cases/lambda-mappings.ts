import { equal, ok } from 'node:assert/strict';
import {
  DeleteEventSourceMappingCommand,
  GetEventSourceMappingCommand,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { type ConformanceCase, group } from '../case.ts';
import type { World } from '../world.ts';
import {
  bodiesOf,
  depthOf,
  emptied,
  give,
  recorder,
  type SourceOptions,
  sourceQueue,
  subscribe,
} from './kit/lambda.ts';
import { refused } from './kit/refusal.ts';

const parameters = 'Lambda developer guide, "Lambda parameters for Amazon SQS event source mappings"';
const configuring = 'Lambda developer guide, "Creating and configuring an Amazon SQS event source mapping"';
const api = (action: string) => `Lambda API reference, ${action}`;
const wrong = { name: ['InvalidParameterValueException', 'ValidationException'] } as const;

/** Settings that are refused. */
const refusal = (
  name: string,
  title: string,
  options: SourceOptions,
  says: string,
  more: { readonly fifo?: true; readonly message?: RegExp; readonly conflict?: string } = {},
): ConformanceCase => ({
  name,
  title,
  source: { page: parameters, says, ...(more.conflict === undefined ? {} : { conflict: more.conflict }) },
  functions: 'recorder',
  async run(world) {
    const { name: functionName } = await recorder(world);
    const { arn } = await sourceQueue(world, more.fifo ? { FifoQueue: 'true' } : {});
    await refused(
      JSON.stringify(options),
      { ...wrong, ...(more.message === undefined ? {} : { message: more.message }) },
      () => subscribe(world, functionName, arn, options),
    );
  },
});

/** A mapping on a queue of its own. */
async function mapped(world: World, options: SourceOptions = {}) {
  const made = await recorder(world);
  const source = await sourceQueue(world);
  const id = await subscribe(world, made.name, source.arn, options);
  return { ...made, ...source, id };
}

/** Waits until a change of a mapping is done. */
const settled = ({ lambda, eventually }: World, UUID: string, state: string) =>
  eventually(`the event source to be ${state}`, 90, async () => {
    const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return State === state ? true : undefined;
  });

export const lambdaMappings = group(
  'lambda-mappings',
  'Event sources: their settings',
  ['lambda', 'sqs'],
  [
    refusal('batch-size-zero', 'A BatchSize of 0 is refused.', { BatchSize: 0 }, 'BatchSize is 1 at least'),
    refusal(
      'batch-size-over-ten-thousand',
      'A BatchSize over 10,000 is refused.',
      { BatchSize: 10_001, MaximumBatchingWindowInSeconds: 1 },
      'BatchSize of a standard queue: 10,000 at most',
    ),
    refusal(
      'batch-size-over-ten-needs-a-window',
      'A BatchSize over 10 without a window is refused.',
      { BatchSize: 11 },
      'a batch of more than 10 needs a window of at least one second',
      { message: /window in seconds must be greater than 0/i },
    ),
    refusal(
      'fifo-batch-size-over-ten',
      'A BatchSize over 10 on a FIFO queue is refused.',
      { BatchSize: 11 },
      'BatchSize of a FIFO queue: 10 at most',
      { fifo: true },
    ),
    refusal(
      'fifo-window',
      'A batching window on a FIFO queue is refused.',
      { MaximumBatchingWindowInSeconds: 1 },
      'FIFO queues have no batching window',
      { fifo: true },
    ),
    refusal(
      'window-over-five-minutes',
      'A batching window over 300 s is refused.',
      { MaximumBatchingWindowInSeconds: 301 },
      'the window is 300 s at most',
    ),
    refusal(
      'maximum-concurrency-of-one',
      'A MaximumConcurrency of 1 is refused.',
      { ScalingConfig: { MaximumConcurrency: 1 } },
      'MaximumConcurrency is 2 to 1,000',
    ),
    refusal(
      'maximum-concurrency-over-a-thousand',
      'A MaximumConcurrency over 1,000 is refused.',
      { ScalingConfig: { MaximumConcurrency: 1001 } },
      'MaximumConcurrency is 2 to 1,000',
    ),
    refusal(
      'unknown-response-type',
      'A FunctionResponseTypes that does not exist is refused.',
      { FunctionResponseTypes: ['ReportEverything' as never] },
      'ReportBatchItemFailures is the one type',
    ),
    {
      name: 'visibility-shorter-than-timeout',
      title: 'A queue whose visibility timeout is shorter than the function’s timeout is refused.',
      source: {
        page: configuring,
        says: 'Lambda checks it when the mapping is made: the visibility has to be as long',
      },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world, { Timeout: 10 });
        const { arn } = await sourceQueue(world, { VisibilityTimeout: '9' });
        await refused(
          'a visibility of 9 s for a timeout of 10 s',
          { ...wrong, message: /visibility timeout: 9 seconds is less than Function timeout: 10 seconds/i },
          () => subscribe(world, name, arn),
        );
      },
    },
    {
      name: 'visibility-as-long-as-timeout',
      title: 'A queue whose visibility timeout equals the function’s timeout is taken.',
      source: { page: configuring, says: 'the visibility has to be the function’s timeout at least' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world, { Timeout: 10 });
        const { arn } = await sourceQueue(world, { VisibilityTimeout: '10' });
        ok(await subscribe(world, name, arn));
      },
    },
    {
      name: 'queue-that-does-not-exist',
      title: 'A queue that does not exist is refused.',
      source: {
        page: api('CreateEventSourceMapping'),
        says: 'InvalidParameterValueException: a parameter is not valid',
      },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        const arn = `arn:aws:sqs:${world.region}:${world.account}:${world.name('nothing')}`;
        await refused('a mapping on a queue that is not there', wrong, () => subscribe(world, name, arn));
      },
    },
    {
      name: 'function-that-does-not-exist',
      title: 'A function that does not exist is refused.',
      source: { page: api('CreateEventSourceMapping'), says: 'ResourceNotFoundException' },
      async run(world) {
        const { arn } = await sourceQueue(world);
        await refused(
          'a mapping to a function that is not there',
          { name: ['ResourceNotFoundException', 'InvalidParameterValueException'] },
          () => subscribe(world, world.name('nobody'), arn),
        );
      },
    },
    {
      name: 'same-pair-twice',
      title: 'A second mapping of the same queue and function is refused, and names the first.',
      source: {
        page: api('CreateEventSourceMapping'),
        says: 'ResourceConflictException: the resource exists already',
      },
      functions: 'recorder',
      async run(world) {
        const { name, arn, id } = await mapped(world);
        const error = await refused('a second mapping', { name: 'ResourceConflictException' }, () =>
          subscribe(world, name, arn),
        );
        ok(error.message.includes(id), `The refusal does not name the mapping that exists: ${error.message}`);
      },
    },
    {
      name: 'defaults',
      title: 'A mapping without settings has a BatchSize of 10 and no window.',
      source: { page: parameters, says: 'BatchSize: default 10; window: default 0' },
      functions: 'recorder',
      async run(world) {
        const { id } = await mapped(world, { FunctionResponseTypes: undefined });
        const found = await world.lambda.send(new GetEventSourceMappingCommand({ UUID: id }));
        equal(`${found.BatchSize} ${found.MaximumBatchingWindowInSeconds}`, '10 0');
        ok(found.LastModified instanceof Date, 'LastModified is no date.');
      },
    },
    {
      name: 'disabled-does-not-poll',
      title: 'A disabled mapping takes nothing from its queue; enabled, it does.',
      source: { page: api('UpdateEventSourceMapping'), says: 'Enabled false pauses polling and invocation' },
      functions: 'recorder',
      async run(world) {
        const { url, id, ended, quiet } = await mapped(world, { Enabled: false });
        await give(world, url, ['waiting']);
        equal((await quiet(1)).length, 0, 'The function was invoked by a disabled mapping.');
        equal((await depthOf(world, url)).waiting, 1, 'A disabled mapping took the message.');
        await world.lambda.send(new UpdateEventSourceMappingCommand({ UUID: id, Enabled: true }));
        equal(bodiesOf((await ended(1))[0]).join(), 'waiting');
      },
    },
    {
      name: 'disabled-later-stops-polling',
      title: 'Once a mapping is disabled, messages stay in the queue.',
      source: { page: api('UpdateEventSourceMapping'), says: 'Enabled false pauses polling and invocation' },
      functions: 'recorder',
      async run(world) {
        const { url, id, ended } = await mapped(world);
        await give(world, url, ['before']);
        await ended(1);
        await world.lambda.send(new UpdateEventSourceMappingCommand({ UUID: id, Enabled: false }));
        await settled(world, id, 'Disabled');
        await emptied(world, url);
        await give(world, url, ['after']);
        await world.pass(1);
        equal(
          (await depthOf(world, url)).waiting,
          1,
          'The message was taken although the mapping is disabled.',
        );
      },
    },
    {
      name: 'update-changes-the-batch-size',
      title: 'An update changes what it names, and keeps the rest.',
      source: {
        page: api('UpdateEventSourceMapping'),
        says: 'parameters that are not given keep their values',
      },
      functions: 'recorder',
      async run(world) {
        const { id } = await mapped(world, { BatchSize: 5, MaximumBatchingWindowInSeconds: 1 });
        await world.lambda.send(new UpdateEventSourceMappingCommand({ UUID: id, BatchSize: 7 }));
        await settled(world, id, 'Enabled');
        const found = await world.lambda.send(new GetEventSourceMappingCommand({ UUID: id }));
        equal(`${found.BatchSize} ${found.MaximumBatchingWindowInSeconds}`, '7 1');
        equal(found.FunctionResponseTypes?.join(), 'ReportBatchItemFailures');
      },
    },
    {
      name: 'update-is-checked',
      title: 'An update to settings that do not go together is refused.',
      source: { page: parameters, says: 'a batch of more than 10 needs a window' },
      functions: 'recorder',
      async run(world) {
        const { id } = await mapped(world);
        await refused('a BatchSize of 100 without a window', wrong, () =>
          world.lambda.send(new UpdateEventSourceMappingCommand({ UUID: id, BatchSize: 100 })),
        );
      },
    },
    {
      name: 'deleted-stops-polling',
      title: 'A deleted mapping is gone, and its queue is left alone.',
      source: {
        page: api('DeleteEventSourceMapping'),
        says: 'the mapping enters Deleting and may take seconds',
      },
      functions: 'recorder',
      async run(world) {
        const { url, id } = await mapped(world);
        await world.lambda.send(new DeleteEventSourceMappingCommand({ UUID: id }));
        await world.eventually('the mapping to be gone', 90, async () => {
          try {
            await world.lambda.send(new GetEventSourceMappingCommand({ UUID: id }));
            return undefined;
          } catch (error) {
            if (error instanceof Error && error.name === 'ResourceNotFoundException') return true;
            throw error;
          }
        });
        await give(world, url, ['left alone']);
        await world.pass(1);
        equal((await depthOf(world, url)).waiting, 1, 'The message was taken although the mapping is gone.');
      },
    },
    {
      name: 'get-of-an-unknown-id',
      title: 'A mapping that does not exist is answered with ResourceNotFoundException.',
      source: { page: api('GetEventSourceMapping'), says: 'ResourceNotFoundException' },
      async run({ lambda }) {
        const UUID = '5ffbaa48-dd1b-4b1e-b0f5-d0b9a1d0f1b4';
        await refused('an id of no mapping', { name: 'ResourceNotFoundException' }, () =>
          lambda.send(new GetEventSourceMappingCommand({ UUID })),
        );
      },
    },
    {
      name: 'list-by-function-and-by-queue',
      title: 'Mappings are listed by function, and by queue.',
      source: { page: api('ListEventSourceMappings'), says: 'EventSourceArn narrows the list to one source' },
      functions: 'recorder',
      async run(world) {
        const { name, arn, id } = await mapped(world);
        for (const by of [{ FunctionName: name }, { EventSourceArn: arn }]) {
          const { EventSourceMappings = [] } = await world.lambda.send(
            new ListEventSourceMappingsCommand(by),
          );
          equal(EventSourceMappings.map(({ UUID }) => UUID).join(), id, `By ${Object.keys(by)}.`);
        }
      },
    },
  ],
);
