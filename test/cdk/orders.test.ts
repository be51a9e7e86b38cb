import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { LambdaClient, ListEventSourceMappingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListSubscriptionsCommand, SNSClient } from '@aws-sdk/client-sns';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bootstrap, createWorld, root, slowest, type World } from './support.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await bootstrap(world);
});

afterAll(() => world.stop());

vi.setConfig({ testTimeout: slowest });

it('the orders app of cdk.json is deployed, runs, and is destroyed', async () => {
  const out = join(world.folder, 'out');
  const deployed = await world.cdk(['deploy', 'Orders', '--require-approval', 'never', '--output', out], {
    cwd: root,
  });
  expect(deployed.output).toMatch(/✅ {2}Orders\n/);
  expect(deployed.output).toMatch(/^Orders\.TopicArnOrders = arn:aws:sns:us-east-1:000000000000:/m);
  expect(deployed.code).toBe(0);
  const cloudformation = new CloudFormationClient(world.settings);
  const StackName = 'Orders';
  const { Stacks } = await cloudformation.send(new DescribeStacksCommand({ StackName }));
  expect(Stacks?.[0]?.StackStatus).toBe('CREATE_COMPLETE');
  const { StackResourceSummaries = [] } = await cloudformation.send(
    new ListStackResourcesCommand({ StackName }),
  );
  expect(StackResourceSummaries.every(({ ResourceStatus }) => ResourceStatus === 'CREATE_COMPLETE')).toBe(
    true,
  );
  const lambda = new LambdaClient(world.settings);
  expect((await lambda.send(new ListFunctionsCommand({}))).Functions).toHaveLength(5);
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
  expect(EventSourceMappings.map(({ State }) => State)).toEqual(Array(5).fill('Enabled'));
  const { Subscriptions } = await new SNSClient(world.settings).send(new ListSubscriptionsCommand({}));
  expect(Subscriptions).toHaveLength(5);

  const destroyed = await world.cdk(['destroy', 'Orders', '--force', '--app', out]);
  expect(destroyed).toMatchObject({ code: 0, output: expect.stringContaining('✅  Orders: destroyed') });
  expect((await new SQSClient(world.settings).send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
});
