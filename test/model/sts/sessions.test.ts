import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import {
  AssumeRoleCommand,
  type Credentials,
  GetCallerIdentityCommand,
  GetSessionTokenCommand,
  STSClient,
} from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, runAws } from '../http/running.ts';

let running: Running;
let sts: STSClient;
const RoleArn = 'arn:aws:iam::000000000000:role/deploy';

beforeAll(async () => {
  running = await runAws();
  sts = new STSClient(running.settings);
  await new IAMClient(running.settings).send(
    new CreateRoleCommand({ RoleName: 'deploy', AssumeRolePolicyDocument: '{"Statement":[]}' }),
  );
});

afterAll(() => running.stop());

const withCredentials = (credentials: Credentials | undefined) =>
  new STSClient({
    ...running.settings,
    credentials: {
      accessKeyId: credentials?.AccessKeyId ?? '',
      secretAccessKey: credentials?.SecretAccessKey ?? '',
      sessionToken: credentials?.SessionToken ?? '',
    },
  });
const arnOf = async (client: STSClient) => (await client.send(new GetCallerIdentityCommand({}))).Arn;

describe('who calls', () => {
  it('is the account itself, with any keys', async () => {
    expect(await sts.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Account: '000000000000',
      Arn: 'arn:aws:iam::000000000000:root',
    });
  });

  it('is the role with the keys of its session', async () => {
    const assumed = await sts.send(
      new AssumeRoleCommand({ RoleArn, RoleSessionName: 'cdk-me', DurationSeconds: 900 }),
    );
    const arn = 'arn:aws:sts::000000000000:assumed-role/deploy/cdk-me';
    expect(assumed.AssumedRoleUser?.Arn).toBe(arn);
    expect(assumed.Credentials?.AccessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    const left = (assumed.Credentials?.Expiration?.getTime() ?? 0) - Date.now();
    expect(left).toBeGreaterThan(850_000);
    expect(left).toBeLessThanOrEqual(900_000);
    expect(await arnOf(withCredentials(assumed.Credentials))).toBe(arn);
    expect(await arnOf(sts)).toBe('arn:aws:iam::000000000000:root');
    const session = await sts.send(new GetSessionTokenCommand({}));
    expect(await arnOf(withCredentials(session.Credentials))).toBe('arn:aws:iam::000000000000:root');
  });

  it('cannot be a role that is not there, nor for longer than AWS allows', async () => {
    await expect(
      sts.send(new AssumeRoleCommand({ RoleArn: `${RoleArn}-none`, RoleSessionName: 'me' })),
    ).rejects.toMatchObject({
      name: 'AccessDenied',
      message: `User: arn:aws:iam::000000000000:root is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}-none`,
    });
    await expect(
      sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'me', DurationSeconds: 43_201 })),
    ).rejects.toMatchObject({ name: 'ValidationError' });
    await expect(sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'a b' }))).rejects.toMatchObject({
      name: 'ValidationError',
    });
  });
});
