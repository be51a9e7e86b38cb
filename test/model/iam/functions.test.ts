import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchExecuteStatementCommand, CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateTopicCommand, PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import { createAws } from '../../../local/aws.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { inProcessExecutor, workerExecutor } from '../../../local/lambda/index.ts';
import { type Running, runAws } from '../http/running.ts';
import { allow, document } from './support.ts';

const owner = '000000000000';
const trust = (Service = 'lambda.amazonaws.com') =>
  JSON.stringify(document({ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service } }));
const policy = (...statements: readonly object[]) => JSON.stringify(document(...statements));
const roleOf = (name: string) => `arn:aws:iam::${owner}:role/${name}`;
const queueOf = (name: string) => `arn:aws:sqs:us-east-1:${owner}:${name}`;

describe('a function behind the endpoint', () => {
  let folder: string;
  let running: Running;
  let keys: { accessKeyId: string; secretAccessKey: string; sessionToken: string };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-iam-'));
    writeFileSync(
      join(folder, 'index.mjs'),
      `export const handler = async () => ({
        accessKeyId: process.env.AWS_ACCESS_KEY_ID,
        secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
        sessionToken: process.env.AWS_SESSION_TOKEN,
      });`,
    );
    running = await runAws({ executor: (log) => workerExecutor({ log }) });
    const { aws } = running;
    aws.lambda.provideCode('code', 'teller', folder);
    await aws.call('iam', 'CreateRole', { RoleName: 'teller', AssumeRolePolicyDocument: trust() });
    await aws.call('lambda', 'CreateFunction', {
      FunctionName: 'orders-teller',
      Role: roleOf('teller'),
      Code: { S3Bucket: 'code', S3Key: 'teller' },
    });
    const { Payload } = await new LambdaClient(running.settings).send(
      new InvokeCommand({ FunctionName: 'orders-teller' }),
    );
    keys = JSON.parse(Buffer.from(Payload ?? []).toString('utf8')) as typeof keys;
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const may = (...statements: readonly object[]) =>
    running.aws.call('iam', 'PutRolePolicy', {
      RoleName: 'teller',
      PolicyName: 'own',
      PolicyDocument: policy(...statements),
    });

  it('has keys of a session of its role, under its own name', async () => {
    expect(keys.accessKeyId).toMatch(/^ASIA[A-Z2-7]{16}$/);
    expect(keys.sessionToken).not.toBe('');
    const sts = new STSClient({ ...running.settings, credentials: keys });
    expect(await sts.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Account: owner,
      Arn: `arn:aws:sts::${owner}:assumed-role/teller/orders-teller`,
      UserId: expect.stringMatching(/^AROA[A-Z2-7]+:orders-teller$/),
    });
  });

  it('is refused by SQS in its words, until its role allows it, and again when that is taken away', async () => {
    const admin = new SQSClient(running.settings);
    const { QueueUrl } = await admin.send(new CreateQueueCommand({ QueueName: 'orders' }));
    const sqs = new SQSClient({ ...running.settings, credentials: keys });
    const send = () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    await expect(send()).rejects.toMatchObject({
      name: 'AccessDenied',
      message:
        `User: arn:aws:sts::${owner}:assumed-role/teller/orders-teller is not authorized to perform: sqs:sendmessage ` +
        `on resource: ${queueOf('orders')} because no identity-based policy allows the sqs:sendmessage action`,
      $metadata: { httpStatusCode: 403 },
    });
    await may(allow('sqs:SendMessage', queueOf('orders')));
    await expect(send()).resolves.toMatchObject({ MessageId: expect.any(String) });
    await expect(sqs.send(new ReceiveMessageCommand({ QueueUrl }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    await running.aws.call('iam', 'DeleteRolePolicy', { RoleName: 'teller', PolicyName: 'own' });
    await expect(send()).rejects.toMatchObject({ name: 'AccessDenied' });
    expect((await admin.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toHaveLength(1);
  });

  it('is refused by SNS as the SDK knows it', async () => {
    const { TopicArn } = await new SNSClient(running.settings).send(new CreateTopicCommand({ Name: 't' }));
    const sns = new SNSClient({ ...running.settings, credentials: keys });
    await expect(sns.send(new PublishCommand({ TopicArn, Message: 'x' }))).rejects.toMatchObject({
      name: 'AuthorizationErrorException',
      message: expect.stringMatching(
        /is not authorized to perform: SNS:Publish on resource: .*:t because no/,
      ),
    });
  });

  it('is refused each statement of a batch by itself', async () => {
    const admin = new DynamoDBClient(running.settings);
    for (const TableName of ['mine', 'theirs'])
      await admin.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        }),
      );
    await may(allow('dynamodb:PartiQLInsert', `arn:aws:dynamodb:us-east-1:${owner}:table/mine`));
    const dynamodb = new DynamoDBClient({ ...running.settings, credentials: keys });
    const insert = (table: string, pk: string) => ({
      Statement: `INSERT INTO "${table}" VALUE {'pk': ?}`,
      Parameters: [{ S: pk }],
    });
    const { Responses } = await dynamodb.send(
      new BatchExecuteStatementCommand({
        Statements: [insert('theirs', 'a'), insert('mine', 'b'), insert('theirs', 'c')],
      }),
    );
    const refused = { Code: 'AccessDenied', Message: expect.stringContaining('dynamodb:PartiQLInsert') };
    expect(Responses?.map(({ Error: error }) => error)).toEqual([refused, undefined, refused]);
    expect(running.aws.dynamodb.items('mine')).toHaveLength(1);
    expect(running.aws.dynamodb.items('theirs')).toHaveLength(0);
  });

  it.each([
    ['another session\u2019s token', (own: typeof keys) => ({ ...own, sessionToken: 'X'.repeat(120) })],
    ['no token', ({ sessionToken: _, ...own }: typeof keys) => own],
    ['a key that nobody remembers', (own: typeof keys) => ({ ...own, accessKeyId: 'ASIASLUICE2222222222' })],
  ])('is nobody, and least of all the administrator, with %s', async (_, change) => {
    const settings = { ...running.settings, credentials: change(keys) };
    const text = 'The security token included in the request is invalid.';
    const invalid = { name: 'InvalidClientTokenId', message: text, $metadata: { httpStatusCode: 403 } };
    const unrecognized = { name: 'UnrecognizedClientException', message: text };
    await expect(
      new SQSClient(settings).send(new CreateQueueCommand({ QueueName: 'nobody' })),
    ).rejects.toMatchObject(invalid);
    await expect(
      new SNSClient(settings).send(new CreateTopicCommand({ Name: 'nobody' })),
    ).rejects.toMatchObject(invalid);
    await expect(new STSClient(settings).send(new GetCallerIdentityCommand({}))).rejects.toMatchObject(
      invalid,
    );
    await expect(
      new DynamoDBClient(settings).send(new BatchExecuteStatementCommand({ Statements: [] })),
    ).rejects.toMatchObject(unrecognized);
    await expect(
      new LambdaClient(settings).send(new InvokeCommand({ FunctionName: 'orders-teller' })),
    ).rejects.toMatchObject(unrecognized);
  });

  it('may be another role only when that one lets it', async () => {
    const { aws } = running;
    const sts = new STSClient({ ...running.settings, credentials: keys });
    const assume = () => sts.send(new AssumeRoleCommand({ RoleArn: roleOf('other'), RoleSessionName: 'me' }));
    await aws.call('iam', 'CreateRole', { RoleName: 'other', AssumeRolePolicyDocument: trust() });
    await may(allow('sts:AssumeRole'));
    await expect(assume()).rejects.toMatchObject({ name: 'AccessDenied' });
    await aws.call('iam', 'UpdateAssumeRolePolicy', {
      RoleName: 'other',
      PolicyDocument: policy({
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { AWS: roleOf('teller') },
      }),
    });
    const { Credentials } = await assume();
    const sqs = new SQSClient({
      ...running.settings,
      credentials: {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        sessionToken: Credentials?.SessionToken ?? '',
      },
    });
    await expect(sqs.send(new CreateQueueCommand({ QueueName: 'q' }))).rejects.toThrow(
      `assumed-role/other/me is not authorized to perform: sqs:createqueue on resource: ${queueOf('q')}`,
    );
  });
});

describe('Lambda and the roles of functions', () => {
  const polling = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

  async function prepare(service?: string) {
    const clock = createVirtualClock();
    const seen: unknown[] = [];
    const handler = (event: unknown) => void seen.push(event);
    const aws = createAws({ clock, executor: () => inProcessExecutor({ clock, handlers: () => handler }) });
    await aws.call('iam', 'CreateRole', { RoleName: 'worker', AssumeRolePolicyDocument: trust(service) });
    await aws.call('sqs', 'CreateQueue', { QueueName: 'work' });
    const may = (...actions: readonly string[]) =>
      aws.call('iam', 'PutRolePolicy', {
        RoleName: 'worker',
        PolicyName: 'own',
        PolicyDocument: policy(allow(actions, queueOf('work'))),
      });
    const make = (Role = roleOf('worker')) =>
      aws.call('lambda', 'CreateFunction', { FunctionName: 'worker', Role, Code: {} });
    const connect = async () =>
      aws.call('lambda', 'CreateEventSourceMapping', {
        FunctionName: 'worker',
        EventSourceArn: queueOf('work'),
      });
    const send = () =>
      aws.call('sqs', 'SendMessage', { QueueUrl: `${aws.context.endpoint}/${owner}/work`, MessageBody: 'x' });
    return { aws, clock, seen, may, make, connect, send };
  }

  it('do not go together when the role trusts somebody else', async () => {
    const { aws, make } = await prepare('ecs-tasks.amazonaws.com');
    const refused = {
      name: 'InvalidParameterValueException',
      message: 'The role defined for the function cannot be assumed by Lambda.',
    };
    await expect(make()).rejects.toMatchObject(refused);
    await make(roleOf('never-there'));
    await expect(
      aws.call('lambda', 'UpdateFunctionConfiguration', { FunctionName: 'worker', Role: roleOf('worker') }),
    ).rejects.toMatchObject(refused);
    aws.stop();
  });

  it.each(polling)('need %s for an event source', async (missing) => {
    const { aws, may, make, connect } = await prepare();
    await make();
    await may('sqs:GetQueueUrl', ...polling.filter((action) => action !== missing));
    await expect(connect()).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
      message: `The provided execution role does not have permissions to call ${missing.slice(4)} on SQS`,
    });
    aws.stop();
  });

  it('poll no longer when the right is taken away, and again when it is back', async () => {
    const { aws, clock, seen, may, make, connect, send } = await prepare();
    await make();
    await may(...polling);
    const { UUID } = (await connect()) as { UUID: string };
    await send();
    await clock.advance(milliseconds(30_000));
    expect(seen).toHaveLength(1);

    await may('sqs:DeleteMessage', 'sqs:GetQueueAttributes');
    await clock.advance(milliseconds(30_000));
    await send();
    await clock.advance(milliseconds(60_000));
    expect(seen).toHaveLength(1);
    expect(await aws.call('lambda', 'GetEventSourceMapping', { UUID })).toMatchObject({
      LastProcessingResult: expect.stringMatching(/^PROBLEM: User: .*sqs:receivemessage/),
    });

    await may(...polling);
    await clock.advance(milliseconds(30_000));
    expect(seen).toHaveLength(2);
    aws.stop();
  });

  it('whose right to delete is taken away while they run: what was done comes again, and the event source says why', async () => {
    const { aws, clock, seen, may, make, connect, send } = await prepare();
    await make();
    await may(...polling);
    const { UUID } = (await connect()) as { UUID: string };
    await clock.advance(milliseconds(30_000));
    await may('sqs:ReceiveMessage', 'sqs:GetQueueAttributes');
    await send();
    await clock.advance(milliseconds(70_000));
    expect(seen.length).toBeGreaterThan(1);
    expect(await aws.call('lambda', 'GetEventSourceMapping', { UUID })).toMatchObject({
      LastProcessingResult: expect.stringMatching(/^PROBLEM: User: .*sqs:deletemessage/),
    });
    await may(...polling);
    await clock.advance(milliseconds(60_000));
    const { visible, inFlight } = aws.sqs.queue(queueOf('work'))!;
    expect(visible + inFlight).toBe(0);
    aws.stop();
  });

  it('may nothing once their role is deleted', async () => {
    const { aws, clock, seen, may, make, connect, send } = await prepare();
    await make();
    await may(...polling);
    await connect();
    await aws.call('iam', 'DeleteRolePolicy', { RoleName: 'worker', PolicyName: 'own' });
    await aws.call('iam', 'DeleteRole', { RoleName: 'worker' });
    await clock.advance(milliseconds(30_000));
    await send();
    await clock.advance(milliseconds(60_000));
    expect(seen).toEqual([]);
    expect(aws.sqs.queue(queueOf('work'))?.visible).toBe(1);
    aws.stop();
  });

  it('are asked again when an event source is changed', async () => {
    const { aws, may, make, connect } = await prepare();
    await make();
    await may(...polling);
    const { UUID } = (await connect()) as { UUID: string };
    await may('sqs:ReceiveMessage', 'sqs:GetQueueAttributes');
    await expect(
      aws.call('lambda', 'UpdateEventSourceMapping', { UUID, BatchSize: 5 }),
    ).rejects.toMatchObject({
      message: 'The provided execution role does not have permissions to call DeleteMessage on SQS',
    });
    expect(await aws.call('lambda', 'GetEventSourceMapping', { UUID })).toMatchObject({ BatchSize: 10 });
    aws.stop();
  });
});
