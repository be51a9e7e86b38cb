import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
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

it('the orders app of cdk.json is deployed, runs, has no difference to its next synthesis, is protected, and is destroyed when it is made a stack for development', async () => {
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

  // Synthesized anew, bundles and all: an unchanged declaration changes nothing.
  const anew = ['--output', join(world.folder, 'anew')];
  const diff = await world.cdk(['diff', 'Orders', '--fail', ...anew], { cwd: root });
  expect(diff.output).toContain('There were no differences');
  expect(diff.output).toContain('Number of stacks with differences: 0');
  expect(diff.code).toBe(0);

  const client = new SQSClient(world.settings);
  const destroyed = await world.cdk(['destroy', 'Orders', '--force', '--app', out]);
  expect(destroyed.code).not.toBe(0);
  expect(destroyed.output).toContain('cannot be deleted while TerminationProtection is enabled');
  expect((await client.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(15);

  // In development nothing is protected: what was deployed as production is made that first.
  const dev = ['-c', 'sluice:stage=dev'];
  const again = ['deploy', 'Orders', '--require-approval', 'never', '--output', out, ...dev];
  expect(await world.cdk(again, { cwd: root })).toMatchObject({ code: 0 });
  expect(await world.cdk(['destroy', 'Orders', '--force', '--app', out])).toMatchObject({
    code: 0,
    output: expect.stringContaining('✅  Orders: destroyed'),
  });
  expect((await client.send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
  expect((await new DynamoDBClient(world.settings).send(new ListTablesCommand({}))).TableNames).toEqual([]);
});
