import {
  AttachRolePolicyCommand,
  CreatePolicyCommand,
  CreateRoleCommand,
  DeletePolicyCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  ListRolesCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, runAws } from '../http/running.ts';

let running: Running;
let iam: IAMClient;
const trust = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
};
const document = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: "sqs:*'()", Resource: '*' }],
};

beforeAll(async () => {
  running = await runAws();
  iam = new IAMClient(running.settings);
});

afterAll(() => running.stop());

const read = (text: string | undefined): unknown => JSON.parse(decodeURIComponent(text ?? ''));

describe('a role', () => {
  it('has the policies that it was given, and is deleted when it has none', async () => {
    const RoleName = 'worker';
    const { Role } = await iam.send(
      new CreateRoleCommand({
        RoleName,
        Path: '/service/',
        AssumeRolePolicyDocument: JSON.stringify(trust),
        Tags: [{ Key: 'a', Value: '1' }],
      }),
    );
    expect(Role).toMatchObject({
      Arn: 'arn:aws:iam::000000000000:role/service/worker',
      Path: '/service/',
      RoleId: expect.stringMatching(/^AROA[A-Z2-7]{17}$/),
      Tags: [{ Key: 'a', Value: '1' }],
    });
    expect(read(Role?.AssumeRolePolicyDocument)).toEqual(trust);
    await expect(
      iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trust) })),
    ).rejects.toMatchObject({ name: 'EntityAlreadyExistsException', $metadata: { httpStatusCode: 409 } });
    await iam.send(
      new PutRolePolicyCommand({ RoleName, PolicyName: 'own', PolicyDocument: JSON.stringify(document) }),
    );
    const byAws = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
    await iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn: byAws }));
    expect((await iam.send(new ListRolePoliciesCommand({ RoleName }))).PolicyNames).toEqual(['own']);
    expect(
      read((await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName: 'own' }))).PolicyDocument),
    ).toEqual(document);
    expect((await iam.send(new ListAttachedRolePoliciesCommand({ RoleName }))).AttachedPolicies).toEqual([
      { PolicyName: 'AWSLambdaBasicExecutionRole', PolicyArn: byAws },
    ]);
    expect((await iam.send(new ListRolesCommand({ PathPrefix: '/service/' }))).Roles).toHaveLength(1);
    const remove = () => iam.send(new DeleteRoleCommand({ RoleName }));
    await expect(remove()).rejects.toMatchObject({ name: 'DeleteConflictException' });
    await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'own' }));
    await expect(remove()).rejects.toMatchObject({ name: 'DeleteConflictException' });
    await iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn: byAws }));
    await remove();
    await expect(iam.send(new GetRoleCommand({ RoleName }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
      message: 'The role with name worker cannot be found.',
    });
  });

  it('is refused with a name or a policy that is none', async () => {
    const make = (RoleName: string, AssumeRolePolicyDocument: string) =>
      iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
    await expect(make('a b', JSON.stringify(trust))).rejects.toMatchObject({ name: 'InvalidInputException' });
    await expect(make('ab', '{"Statement"')).rejects.toMatchObject({
      name: 'MalformedPolicyDocumentException',
    });
    await expect(make('ab', '{}')).rejects.toMatchObject({ name: 'MalformedPolicyDocumentException' });
  });
});

describe('a policy with an ARN', () => {
  it('has its document, and is deleted when no role has it', async () => {
    const { Policy } = await iam.send(
      new CreatePolicyCommand({ PolicyName: 'shared', PolicyDocument: JSON.stringify(document) }),
    );
    const PolicyArn = Policy?.Arn;
    expect(PolicyArn).toBe('arn:aws:iam::000000000000:policy/shared');
    const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand({ PolicyArn, VersionId: 'v1' }));
    expect(read(PolicyVersion?.Document)).toEqual(document);
    await iam.send(new CreateRoleCommand({ RoleName: 'r', AssumeRolePolicyDocument: JSON.stringify(trust) }));
    await iam.send(new AttachRolePolicyCommand({ RoleName: 'r', PolicyArn }));
    expect((await iam.send(new GetPolicyCommand({ PolicyArn }))).Policy?.AttachmentCount).toBe(1);
    await expect(iam.send(new DeletePolicyCommand({ PolicyArn }))).rejects.toMatchObject({
      name: 'DeleteConflictException',
    });
    await iam.send(new DetachRolePolicyCommand({ RoleName: 'r', PolicyArn }));
    await iam.send(new DeletePolicyCommand({ PolicyArn }));
    await expect(iam.send(new GetPolicyCommand({ PolicyArn }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    });
    await expect(iam.send(new AttachRolePolicyCommand({ RoleName: 'r', PolicyArn }))).rejects.toMatchObject({
      name: 'NoSuchEntityException',
    });
  });
});
