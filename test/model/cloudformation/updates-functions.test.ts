import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import type { Made } from '../../../local/cloudformation/provider.ts';
import { workerExecutor } from '../../../local/lambda/index.ts';
import { assemblyFolder } from './support.ts';
import { inWorld, queueArn, type World } from './updates-support.ts';

const Lambda = 'AWS::Lambda::Function';
const Mapping = 'AWS::Lambda::EventSourceMapping';

const functionOf = (S3Key: string, rest: object = {}) => ({
  Code: { S3Bucket: 'assets', S3Key },
  Handler: 'index.handler',
  Role: 'role',
  Runtime: 'nodejs22.x',
  ...rest,
});

const provide = ({ services }: World) => {
  for (const name of ['one', 'two']) services.lambda.provideCode('assets', `${name}.zip`, `/${name}`);
};

const invoke = async ({ call }: World, FunctionName: string) => {
  const { Payload } = await call<{ Payload: Uint8Array }>('lambda', 'Invoke', { FunctionName });
  return JSON.parse(Buffer.from(Payload).toString());
};

describe('A changed function', () => {
  it('runs its new code from the next invocation on, also where an environment is warm', () =>
    inWorld(async (world) => {
      provide(world);
      const [before, after] = [functionOf('one.zip'), functionOf('two.zip')];
      const made = await world.create(Lambda, before);
      expect(await invoke(world, made.physicalId)).toMatchObject({ folder: '/one' });
      expect(world.services.lambda.environments()).toHaveLength(1);
      await world.update(Lambda, made, before, after);
      expect(await invoke(world, made.physicalId)).toMatchObject({ folder: '/two' });
      await world.update(Lambda, made, after, before);
      expect(await invoke(world, made.physicalId)).toMatchObject({ folder: '/one' });
    }));

  it('may get another handler together with the code that has it', async () => {
    const [one, two] = [
      assemblyFolder({ 'index.mjs': 'export const handler = () => 1;' }),
      assemblyFolder({ 'app.mjs': 'export const run = () => 2;' }),
    ];
    const use = async (world: World) => {
      world.services.lambda.provideCode('assets', 'one.zip', one.folder);
      world.services.lambda.provideCode('assets', 'two.zip', two.folder);
      const [before, after] = [functionOf('one.zip'), functionOf('two.zip', { Handler: 'app.run' })];
      const made = await world.create(Lambda, before);
      await world.update(Lambda, made, before, after);
      expect(await invoke(world, made.physicalId)).toBe(2);
      await world.update(Lambda, made, after, before);
      expect(await invoke(world, made.physicalId)).toBe(1);
      // Code without its handler is still refused at once.
      await expect(world.update(Lambda, made, before, functionOf('two.zip'))).rejects.toThrow(
        /Handler "index.handler" .* is not in/,
      );
    };
    try {
      await inWorld(use, { executor: workerExecutor({ log: () => undefined }) });
    } finally {
      one.remove();
      two.remove();
    }
  });

  it('loses the variables and the concurrency that are declared no more', () =>
    inWorld(async (world) => {
      provide(world);
      const before = functionOf('one.zip', {
        Environment: { Variables: { A: '1' } },
        ReservedConcurrentExecutions: 0,
      });
      const made = await world.create(Lambda, before);
      await expect(invoke(world, made.physicalId)).rejects.toMatchObject({
        name: 'TooManyRequestsException',
      });
      await world.update(Lambda, made, before, functionOf('one.zip'));
      expect(await invoke(world, made.physicalId)).toEqual({ folder: '/one', variables: {} });
    }));

  it('that is refused its concurrency is not left behind', () =>
    inWorld(async (world) => {
      provide(world);
      await expect(
        world.create(Lambda, functionOf('one.zip', { ReservedConcurrentExecutions: -1 })),
      ).rejects.toThrow(/allowed are whole numbers from 0/);
      expect(await world.call('lambda', 'ListFunctions')).toEqual({ Functions: [] });
    }));
});

describe('An event source that is given another function', () => {
  it('hands its messages to that one', () =>
    inWorld(async (world) => {
      provide(world);
      const queue = await world.create('AWS::SQS::Queue', { QueueName: 'orders' });
      const first = await world.create(Lambda, functionOf('one.zip'), 'First');
      const second = await world.create(Lambda, functionOf('two.zip'), 'Second');
      const before = { EventSourceArn: queueArn('orders'), FunctionName: first.physicalId };
      const after = { ...before, FunctionName: second.physicalId };
      const made = await world.create(Mapping, before, 'Source');
      const send = async (MessageBody: string) => {
        await world.call('sqs', 'SendMessage', { QueueUrl: queue.physicalId, MessageBody });
        await world.clock.advance(milliseconds(30_000));
      };
      await send('a');
      expect(await world.update(Mapping, made, before, after)).toEqual(made);
      await send('b');
      await world.remove(Lambda, first);
      await send('c');
      expect(world.ran.map(({ folder }) => folder)).toEqual(['/one', '/two', '/two']);
    }));

  it('is refused one that polls the queue already', () =>
    inWorld(async (world) => {
      provide(world);
      await world.create('AWS::SQS::Queue', { QueueName: 'orders' });
      const [first, second] = [
        await world.create(Lambda, functionOf('one.zip'), 'First'),
        await world.create(Lambda, functionOf('two.zip'), 'Second'),
      ];
      const source = ({ physicalId: FunctionName }: typeof first) => ({
        EventSourceArn: queueArn('orders'),
        FunctionName,
      });
      const made = await world.create(Mapping, source(first), 'One');
      await world.create(Mapping, source(second), 'Two');
      await expect(world.update(Mapping, made, source(first), source(second))).rejects.toMatchObject({
        name: 'ResourceConflictException',
      });
    }));
});

describe('An alias of a function', () => {
  const Alias = 'AWS::Lambda::Alias';
  const Version = 'AWS::Lambda::Version';

  /** A function of which two versions were published: of the first code, and of the second. */
  const published = async (world: World) => {
    provide(world);
    const before = functionOf('one.zip');
    const worker = await world.create(Lambda, before, 'Worker');
    const FunctionName = worker.physicalId;
    const first = await world.create(Version, { FunctionName }, 'First');
    await world.update(Lambda, worker, before, functionOf('two.zip'));
    const second = await world.create(Version, { FunctionName }, 'Second');
    return { FunctionName, first, second };
  };
  const aliasTo = (FunctionName: string, { attributes }: Made, rest: object = {}) => ({
    FunctionName,
    Name: 'live',
    FunctionVersion: attributes.Version,
    ...rest,
  });

  it('leads to a version that stays as it was, and is led to another one by an update', () =>
    inWorld(async (world) => {
      const { FunctionName, first, second } = await published(world);
      const [before, after] = [aliasTo(FunctionName, first), aliasTo(FunctionName, second)];
      const made = await world.create(Alias, before, 'Alias');
      expect(await invoke(world, made.physicalId)).toMatchObject({ folder: '/one' });
      expect(await invoke(world, FunctionName)).toMatchObject({ folder: '/two' });
      await world.update(Alias, made, before, after);
      expect(await invoke(world, made.physicalId)).toMatchObject({ folder: '/two' });
      await world.update(Alias, made, after, before);
      expect(await invoke(world, `${FunctionName}:live`)).toMatchObject({ folder: '/one' });
    }));

  it('can be what an event source feeds, also while it is led elsewhere', () =>
    inWorld(async (world) => {
      const { FunctionName, first, second } = await published(world);
      const [before, after] = [aliasTo(FunctionName, first), aliasTo(FunctionName, second)];
      const made = await world.create(Alias, before, 'Alias');
      const queue = await world.create('AWS::SQS::Queue', { QueueName: 'orders' });
      const source = { EventSourceArn: queueArn('orders'), FunctionName: made.physicalId };
      await world.create(Mapping, source, 'Source');
      const send = async (MessageBody: string) => {
        await world.call('sqs', 'SendMessage', { QueueUrl: queue.physicalId, MessageBody });
        await world.clock.advance(milliseconds(30_000));
      };
      await send('a');
      await world.update(Alias, made, before, after);
      await send('b');
      expect(world.ran.map(({ folder }) => folder)).toEqual(['/one', '/two']);
    }));

  it('shares its invocations between two versions by their weights', () =>
    inWorld(async (world) => {
      const { FunctionName, first, second } = await published(world);
      const RoutingConfig = {
        AdditionalVersionWeights: [{ FunctionVersion: second.attributes.Version, FunctionWeight: 0.25 }],
      };
      const made = await world.create(Alias, aliasTo(FunctionName, first, { RoutingConfig }), 'Alias');
      for (let count = 0; count < 400; count++) await invoke(world, made.physicalId);
      const share = world.ran.filter(({ folder }) => folder === '/two').length / 400;
      expect(share).toBeGreaterThan(0.18);
      expect(share).toBeLessThan(0.32);
    }));

  it('keeps the version that it leads to', () =>
    inWorld(async (world) => {
      const { FunctionName, first } = await published(world);
      const properties = aliasTo(FunctionName, first);
      const made = await world.create(Alias, properties, 'Alias');
      await expect(world.remove(Version, first)).rejects.toMatchObject({ name: 'ResourceConflictException' });
      await world.remove(Alias, made, properties);
      await world.remove(Version, first);
      await expect(invoke(world, first.physicalId)).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
      });
    }));

  it('shares the concurrency of its function', () =>
    inWorld(async (world) => {
      const { FunctionName, first } = await published(world);
      const made = await world.create(Alias, aliasTo(FunctionName, first), 'Alias');
      await world.call('lambda', 'PutFunctionConcurrency', {
        FunctionName,
        ReservedConcurrentExecutions: 0,
      });
      await expect(invoke(world, made.physicalId)).rejects.toMatchObject({
        name: 'TooManyRequestsException',
      });
    }));

  it('and a second version of what has not changed is refused', () =>
    inWorld(async (world) => {
      const { FunctionName } = await published(world);
      await expect(world.create(Version, { FunctionName }, 'Third')).rejects.toThrow(
        'A version for this Lambda function exists ( 2 ). Modify the function to create a new version.',
      );
    }));
});
