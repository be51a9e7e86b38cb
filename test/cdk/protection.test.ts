import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { App, Stack, aws_sqs as sqs } from 'aws-cdk-lib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bootstrap, createWorld, slowest, stackTrace, untilStack, type World } from './support.ts';

let world: World;
let cloudformation: CloudFormationClient;

beforeEach(async () => {
  world = await createWorld();
  cloudformation = new CloudFormationClient(world.settings);
});

afterEach(async () => {
  cloudformation.destroy();
  await world.stop();
});

vi.setConfig({ testTimeout: slowest });

const look = async () => {
  const { Stacks } = await cloudformation.send(new DescribeStacksCommand({ StackName: 'Kept' }));
  return Stacks?.[0];
};

/** An app with one stack; the folder that it is synthesized into. */
function assembly(terminationProtection: boolean): string {
  const outdir = join(world.folder, terminationProtection ? 'protected' : 'free');
  const app = new App({ outdir, analyticsReporting: false });
  new sqs.Queue(new Stack(app, 'Kept', { terminationProtection }), 'Queue');
  app.synth();
  return outdir;
}

describe('a stack under termination protection', () => {
  it('is deployed so, refuses to be destroyed, and goes when the protection is gone', async () => {
    await bootstrap(world);
    const deploy = (terminationProtection: boolean) =>
      world.cdk(['deploy', '--app', assembly(terminationProtection), '--require-approval', 'never']);
    const destroy = () => world.cdk(['destroy', '--app', assembly(true), '--force']);

    expect((await deploy(true)).code).toBe(0);
    expect(await look()).toMatchObject({ EnableTerminationProtection: true });
    const refused = await destroy();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('cannot be deleted while TerminationProtection is enabled');
    expect(refused.output).not.toMatch(stackTrace);
    expect(await look()).toMatchObject({ StackStatus: 'CREATE_COMPLETE' });

    // Nothing else of the stack has changed, and the command takes the protection away all the same.
    expect((await deploy(false)).code).toBe(0);
    expect(await look()).toMatchObject({ EnableTerminationProtection: false });
    expect((await destroy()).code).toBe(0);
    await expect(look()).rejects.toThrow('Stack with id Kept does not exist');
  });

  it('can be had by the API, at the creation and after', async () => {
    const TemplateBody = JSON.stringify({ Resources: { Queue: { Type: 'AWS::SQS::Queue' } } });
    const StackName = 'Kept';
    await cloudformation.send(
      new CreateStackCommand({ StackName, TemplateBody, EnableTerminationProtection: true }),
    );
    await untilStack(cloudformation, StackName, 'CREATE_COMPLETE');
    await expect(cloudformation.send(new DeleteStackCommand({ StackName }))).rejects.toMatchObject({
      name: 'ValidationError',
      message: 'Stack [Kept] cannot be deleted while TerminationProtection is enabled',
    });
    const set = (EnableTerminationProtection: boolean) =>
      cloudformation.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection }));
    expect(await set(false)).toMatchObject({ StackId: expect.stringContaining(':stack/Kept/') });
    expect(await look()).toMatchObject({ EnableTerminationProtection: false });
    await cloudformation.send(new DeleteStackCommand({ StackName }));
    await expect(look()).rejects.toThrow('Stack with id Kept does not exist');
    await expect(set(true)).rejects.toThrow('Stack [Kept] does not exist');
  });
});
