import {
  CreateRepositoryCommand,
  DeleteRepositoryCommand,
  DescribeImagesCommand,
  DescribeRepositoriesCommand,
  ECRClient,
  GetAuthorizationTokenCommand,
  GetLifecyclePolicyCommand,
  GetRepositoryPolicyCommand,
  ListImagesCommand,
  PutLifecyclePolicyCommand,
  SetRepositoryPolicyCommand,
} from '@aws-sdk/client-ecr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, runAws } from '../http/running.ts';

let running: Running;
let ecr: ECRClient;

beforeAll(async () => {
  running = await runAws();
  ecr = new ECRClient(running.settings);
});

afterAll(() => running.stop());

describe('a repository for images', () => {
  const repositoryName = 'cdk/assets';

  it('is made, shown with its policies, and deleted', async () => {
    const { repository } = await ecr.send(
      new CreateRepositoryCommand({ repositoryName, imageTagMutability: 'IMMUTABLE' }),
    );
    expect(repository).toMatchObject({
      repositoryArn: 'arn:aws:ecr:us-east-1:000000000000:repository/cdk/assets',
      repositoryUri: '000000000000.dkr.ecr.us-east-1.amazonaws.com/cdk/assets',
      imageTagMutability: 'IMMUTABLE',
      createdAt: expect.any(Date),
    });
    await expect(ecr.send(new CreateRepositoryCommand({ repositoryName }))).rejects.toMatchObject({
      name: 'RepositoryAlreadyExistsException',
    });
    await expect(ecr.send(new CreateRepositoryCommand({ repositoryName: 'Upper' }))).rejects.toMatchObject({
      name: 'InvalidParameterException',
    });
    for (const [name, command] of [
      ['RepositoryPolicyNotFoundException', new GetRepositoryPolicyCommand({ repositoryName })],
      ['LifecyclePolicyNotFoundException', new GetLifecyclePolicyCommand({ repositoryName })],
    ] as const)
      await expect(ecr.send(command as GetRepositoryPolicyCommand)).rejects.toMatchObject({ name });
    await ecr.send(new SetRepositoryPolicyCommand({ repositoryName, policyText: '{"Statement":[]}' }));
    await ecr.send(new PutLifecyclePolicyCommand({ repositoryName, lifecyclePolicyText: '{"rules":[]}' }));
    expect((await ecr.send(new GetRepositoryPolicyCommand({ repositoryName }))).policyText).toBe(
      '{"Statement":[]}',
    );
    expect((await ecr.send(new GetLifecyclePolicyCommand({ repositoryName }))).lifecyclePolicyText).toBe(
      '{"rules":[]}',
    );
    expect((await ecr.send(new DescribeRepositoriesCommand({}))).repositories).toHaveLength(1);
    await ecr.send(new DeleteRepositoryCommand({ repositoryName }));
    await expect(
      ecr.send(new DescribeRepositoriesCommand({ repositoryNames: [repositoryName] })),
    ).rejects.toMatchObject({ name: 'RepositoryNotFoundException' });
  });

  it('holds no images, and nobody is let in to push one', async () => {
    await ecr.send(new CreateRepositoryCommand({ repositoryName }));
    expect((await ecr.send(new ListImagesCommand({ repositoryName }))).imageIds).toEqual([]);
    expect((await ecr.send(new DescribeImagesCommand({ repositoryName }))).imageDetails).toEqual([]);
    await expect(
      ecr.send(new DescribeImagesCommand({ repositoryName, imageIds: [{ imageTag: 'abc' }] })),
    ).rejects.toMatchObject({ name: 'ImageNotFoundException' });
    await expect(ecr.send(new GetAuthorizationTokenCommand({}))).rejects.toMatchObject({
      message: expect.stringContaining('no registry for container images'),
    });
  });
});
