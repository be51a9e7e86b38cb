import { equal, ok } from 'node:assert/strict';
import {
  CreateFunctionCommand,
  DeleteFunctionCommand,
  DeleteFunctionConcurrencyCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  ListFunctionsCommand,
  PutFunctionConcurrencyCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { type ConformanceCase, Difference, group } from '../case.ts';
import { emptied, give, invoke, recorder, sourceQueue, subscribe } from './kit/lambda.ts';
import { refused } from './kit/refusal.ts';

const invocation = 'Lambda API reference, Invoke';
const errors = 'Lambda developer guide, "Understanding retry behavior in Lambda"';
const quotas = 'Lambda developer guide, "Lambda quotas"';
const wrong = { name: ['InvalidParameterValueException', 'ValidationException'] } as const;

/** An answer of a function, and how it comes. */
const answer = (name: string, title: string, given: unknown, text: string): ConformanceCase => ({
  name,
  title,
  source: {
    page: 'Lambda developer guide, "Define Lambda function handler in Node.js"',
    says: 'what a handler returns is serialized as JSON',
  },
  functions: true,
  async run(world) {
    const { name: functionName } = await recorder(world);
    const found = await invoke(world, functionName, { answer: given });
    equal(`${found.StatusCode} ${found.FunctionError ?? ''}`, '200 ');
    equal(JSON.stringify(found.payload), text);
  },
});

/** Settings of a function that are refused. */
const refusal = (name: string, title: string, options: object, says: string): ConformanceCase => ({
  name,
  title,
  source: { page: 'Lambda API reference, CreateFunction', says },
  functions: 'recorder',
  async run(world) {
    await refused(JSON.stringify(options), wrong, () => recorder(world, options));
  },
});

export const lambdaFunctions = group(
  'lambda-functions',
  'Functions',
  ['lambda', 'sqs'],
  [
    answer('answer-object', 'An object comes back as JSON.', { a: [1, 'ä'] }, '{"a":[1,"ä"]}'),
    answer('answer-text', 'A text comes back with its quotes.', 'done', '"done"'),
    answer('answer-null', 'null comes back as null.', null, 'null'),
    {
      name: 'thrown-error',
      title: 'An error of the function is an answer of 200 with FunctionError, and tells type and message.',
      source: { page: invocation, says: 'FunctionError is set; the payload describes the error' },
      functions: true,
      async run(world) {
        const { name } = await recorder(world);
        const { StatusCode, FunctionError, payload } = await invoke(world, name, { throw: 'on purpose' });
        equal(`${StatusCode} ${FunctionError}`, '200 Unhandled');
        const { errorType, errorMessage, trace } = payload as Record<string, unknown>;
        equal(`${errorType}: ${errorMessage}`, 'RangeError: on purpose');
        ok(Array.isArray(trace), 'The stack is no list.');
      },
    },
    {
      name: 'timeout',
      title: 'An invocation that takes longer than the timeout ends as Sandbox.Timedout.',
      source: {
        page: 'Lambda developer guide, "Configure Lambda function timeout"',
        says: 'Lambda stops it after its timeout',
      },
      functions: true,
      async run(world) {
        const { name } = await recorder(world, { Timeout: 1 });
        const { FunctionError, payload } = await invoke(world, name, { sleep: 5 });
        equal(FunctionError, 'Unhandled');
        const { errorMessage = '' } = payload as { errorMessage?: string };
        ok(/Task timed out after 1\.00 seconds/.test(errorMessage), `The message is "${errorMessage}".`);
      },
    },
    {
      name: 'process-exit',
      title: 'A function whose process ends answers with a function error, and works again afterwards.',
      source: { page: errors, says: 'an environment that ended is replaced' },
      functions: true,
      async run(world) {
        // A busy machine takes its time to notice.
        const { name } = await recorder(world, { Timeout: 30 });
        const { FunctionError, payload } = await invoke(world, name, { exit: true });
        equal(FunctionError, 'Unhandled');
        equal((payload as { errorType?: string }).errorType, 'Runtime.ExitError');
        equal((await invoke(world, name, { answer: 1 })).text, '1', 'The next invocation went wrong.');
      },
    },
    {
      name: 'environment-variables',
      title: 'A function sees its own variables and Lambda’s, and what its context says.',
      source: {
        page: 'Lambda developer guide, "Defined runtime environment variables"',
        says: 'AWS_REGION, AWS_LAMBDA_FUNCTION_NAME, _HANDLER and others are set',
      },
      functions: true,
      async run(world) {
        const { name, arn } = await recorder(world, { Environment: { Variables: { MINE: 'a b' } } });
        const names = [
          'MINE',
          'AWS_REGION',
          'AWS_LAMBDA_FUNCTION_NAME',
          'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
          '_HANDLER',
        ];
        const { payload } = await invoke(world, name, { variables: names });
        const found = payload as Record<string, unknown> & { variables: Record<string, string> };
        equal(
          names.map((each) => found.variables[each]).join(' '),
          `a b ${world.region} ${name} 256 index.handler`,
        );
        equal(found.arn, arn);
        equal(found.memory, '256');
        equal(found.version, '$LATEST');
        ok(
          Number(found.remaining) <= 2000 && Number(found.remaining) > 0,
          `The remaining time is ${found.remaining} ms of 2 s.`,
        );
      },
    },
    {
      name: 'empty-payload',
      title: 'Without a payload the event is an empty object.',
      source: {
        page: invocation,
        says: 'the payload is JSON that is handed to the function; it may be left out',
      },
      functions: 'recorder',
      async run(world) {
        const { name, ended } = await recorder(world);
        await invoke(world, name, undefined);
        equal(JSON.stringify((await ended(1))[0]?.event), '{}');
      },
    },
    {
      name: 'payload-that-is-no-json',
      title: 'A payload that is no JSON is refused.',
      source: {
        page: invocation,
        says: 'InvalidRequestContentException: the body could not be parsed as JSON',
      },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        await refused('a payload of no JSON', { name: 'InvalidRequestContentException' }, () =>
          world.lambda.send(new InvokeCommand({ FunctionName: name, Payload: '{"a":' })),
        );
      },
    },
    {
      name: 'payload-over-six-megabytes',
      title: 'A payload over 6 MB is refused.',
      source: { page: quotas, says: 'invocation payload: 6 MB each for request and response, synchronous' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        await refused(
          'a payload of 6.5 MB',
          { name: ['RequestTooLargeException', 'RequestEntityTooLargeException'] },
          () =>
            world.lambda.send(
              new InvokeCommand({ FunctionName: name, Payload: JSON.stringify('x'.repeat(6_800_000)) }),
            ),
        );
      },
    },
    {
      name: 'response-over-six-megabytes',
      title: 'A response over 6 MB is a function error that tells its size.',
      source: { page: quotas, says: 'invocation payload: 6 MB each for request and response, synchronous' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        const { FunctionError, payload } = await invoke(world, name, { long: 6_800_000 });
        if (FunctionError === undefined)
          throw new Difference('A response of 6.8 million bytes came through.');
        equal((payload as { errorType?: string }).errorType, 'Function.ResponseSizeTooLarge');
      },
    },
    {
      name: 'asynchronous-answer',
      title: 'An asynchronous invocation is answered with 202 at once, and run.',
      source: { page: invocation, says: 'InvocationType Event: the status code is 202' },
      functions: 'recorder',
      async run(world) {
        const { name, ended } = await recorder(world);
        const { StatusCode } = await world.lambda.send(
          new InvokeCommand({ FunctionName: name, InvocationType: 'Event', Payload: '{"sleep":0.5}' }),
        );
        equal(StatusCode, 202);
        equal(JSON.stringify((await ended(1))[0]?.event), '{"sleep":0.5}');
      },
    },
    {
      name: 'dry-run',
      title: 'A dry run is answered with 204, and runs nothing.',
      source: { page: invocation, says: 'InvocationType DryRun validates only: the status code is 204' },
      functions: 'recorder',
      async run(world) {
        const { name, quiet } = await recorder(world);
        const { StatusCode } = await world.lambda.send(
          new InvokeCommand({ FunctionName: name, InvocationType: 'DryRun' }),
        );
        equal(StatusCode, 204);
        equal((await quiet(0.5)).length, 0, 'The function ran.');
      },
    },
    {
      name: 'unknown-function',
      title: 'The invocation of a function that does not exist is ResourceNotFoundException.',
      source: { page: invocation, says: 'ResourceNotFoundException' },
      async run({ lambda, name }) {
        await refused('a function that is not there', { name: 'ResourceNotFoundException' }, () =>
          lambda.send(new InvokeCommand({ FunctionName: name('nobody') })),
        );
      },
    },
    {
      name: 'reserved-concurrency-of-zero',
      title: 'A function with a reserved concurrency of 0 is throttled at every invocation.',
      source: {
        page: 'Lambda developer guide, "Configuring reserved concurrency"',
        says: 'reserved concurrency of zero stops all invocations',
      },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        const reserve = new PutFunctionConcurrencyCommand({
          FunctionName: name,
          ReservedConcurrentExecutions: 0,
        });
        await world.lambda.send(reserve);
        await refused('an invocation with nothing reserved', { name: 'TooManyRequestsException' }, () =>
          invoke(world, name, {}),
        );
        await world.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: name }));
        const { StatusCode } = await world.eventually('an invocation', 10, async () =>
          invoke(world, name, {}),
        );
        equal(StatusCode, 200);
      },
    },
    {
      name: 'reserved-concurrency-bounds',
      title: 'One invocation more than the reserved concurrency is throttled.',
      source: {
        page: 'Lambda developer guide, "Configuring reserved concurrency"',
        says: 'reserved concurrency is the most that run at once',
      },
      functions: 'recorder',
      async run(world) {
        const { name, begun } = await recorder(world);
        const reserve = new PutFunctionConcurrencyCommand({
          FunctionName: name,
          ReservedConcurrentExecutions: 1,
        });
        await world.lambda.send(reserve);
        const long = invoke(world, name, { sleep: 1.5 });
        long.catch(() => {});
        await begun(1);
        await refused('a second invocation at once', { name: 'TooManyRequestsException' }, () =>
          invoke(world, name, {}),
        );
        equal((await long).StatusCode, 200);
      },
    },
    {
      name: 'throttled-event-source-loses-nothing',
      title: 'An event source whose function is throttled keeps the messages in the queue.',
      source: {
        page: 'Lambda developer guide, "Configuring scaling behavior for SQS event source mappings"',
        says: 'throttled messages become visible again and are retried',
      },
      functions: 'recorder',
      async run(world) {
        const { name, ended, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world);
        const reserve = new PutFunctionConcurrencyCommand({
          FunctionName: name,
          ReservedConcurrentExecutions: 0,
        });
        await world.lambda.send(reserve);
        await subscribe(world, name, arn);
        await give(world, url, ['patient']);
        equal((await quiet(1.5)).length, 0, 'The function was invoked with nothing reserved.');
        await world.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: name }));
        await ended(1, 15);
        await emptied(world, url);
      },
    },
    {
      name: 'created-twice',
      title: 'A second function of the same name is ResourceConflictException.',
      source: { page: 'Lambda API reference, CreateFunction', says: 'ResourceConflictException' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        await refused('a second function', { name: 'ResourceConflictException' }, () =>
          recorder(world, { FunctionName: name }),
        );
      },
    },
    refusal(
      'timeout-over-fifteen-minutes',
      'A timeout over 900 s is refused.',
      { Timeout: 901 },
      'Timeout: 900 s at most',
    ),
    refusal('timeout-of-zero', 'A timeout of 0 is refused.', { Timeout: 0 }, 'Timeout: 1 s at least'),
    refusal(
      'memory-too-small',
      'A memory under 128 MB is refused.',
      { MemorySize: 64 },
      'MemorySize: 128 to 10,240 MB',
    ),
    refusal(
      'reserved-variable',
      'A variable that Lambda reserves is refused.',
      { Environment: { Variables: { AWS_REGION: 'eu-west-1' } } },
      'reserved environment variables cannot be set',
    ),
    {
      name: 'update-of-variables-is-seen',
      title: 'After a change of its variables the function sees the new ones.',
      source: {
        page: 'Lambda API reference, UpdateFunctionConfiguration',
        says: 'LastUpdateStatus Successful: the change is in force',
      },
      functions: true,
      async run(world) {
        const { name } = await recorder(world, { Environment: { Variables: { MINE: 'old' } } });
        await invoke(world, name, { variables: ['MINE'] });
        const { Environment } = await world.lambda.send(
          new GetFunctionConfigurationCommand({ FunctionName: name }),
        );
        await world.lambda.send(
          new UpdateFunctionConfigurationCommand({
            FunctionName: name,
            Environment: { Variables: { ...Environment?.Variables, MINE: 'new' } },
          }),
        );
        await world.eventually('the update to be done', 30, async () => {
          const { Configuration } = await world.lambda.send(new GetFunctionCommand({ FunctionName: name }));
          return Configuration?.LastUpdateStatus === 'InProgress' ? undefined : true;
        });
        const { payload } = await invoke(world, name, { variables: ['MINE'] });
        equal((payload as { variables: { MINE: string } }).variables.MINE, 'new');
      },
    },
    {
      name: 'deleted-function-is-gone',
      title: 'A deleted function is gone at once.',
      source: { page: 'Lambda API reference, DeleteFunction', says: 'ResourceNotFoundException afterwards' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        await world.lambda.send(new DeleteFunctionCommand({ FunctionName: name }));
        await refused('a function that was deleted', { name: 'ResourceNotFoundException' }, () =>
          world.lambda.send(new GetFunctionCommand({ FunctionName: name })),
        );
      },
    },
    {
      name: 'listed',
      title: 'A function is listed with its settings.',
      source: { page: 'Lambda API reference, ListFunctions', says: 'the configuration of each' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world, { Timeout: 7 });
        let Marker: string | undefined;
        const found: (number | undefined)[] = [];
        do {
          const { Functions = [], NextMarker } = await world.lambda.send(
            new ListFunctionsCommand({ Marker }),
          );
          found.push(...Functions.filter((each) => each.FunctionName === name).map(({ Timeout }) => Timeout));
          Marker = NextMarker;
        } while (Marker);
        equal(found.join(), '7');
      },
    },
    {
      name: 'code-that-is-no-zip',
      title: 'Code that is no zip archive is refused.',
      source: {
        page: 'Lambda API reference, CreateFunction',
        says: 'InvalidParameterValueException: could not unzip',
      },
      async run({ lambda, name, account }) {
        await refused('code that is no archive', wrong, () =>
          lambda.send(
            new CreateFunctionCommand({
              FunctionName: name('broken'),
              Role: `arn:aws:iam::${account}:role/conformance`,
              Runtime: 'nodejs22.x',
              Handler: 'index.handler',
              Code: { ZipFile: Buffer.from('no archive') },
            }),
          ),
        );
      },
    },
  ],
);
