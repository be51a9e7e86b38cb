import { describe, expect, it } from 'vitest';
import { days, milliseconds, minutes, toMilliseconds } from '../../../lib/base/index.ts';
import { accountDecides, inWorld, queueArn, roleArn, service } from './support.ts';

const send = (QueueUrl: string) => ({ QueueUrl, MessageBody: 'hello' });

describe('A queue under a customer key', () => {
  it('takes and gives messages where the role may use the key', () =>
    inWorld(async ({ call, key, queue, role }) => {
      const QueueUrl = await queue('orders', { KmsMasterKeyId: await key() });
      const worker = role('worker', 'sqs:*', 'kms:GenerateDataKey', 'kms:Decrypt');
      await call('sqs', 'SendMessage', send(QueueUrl), worker);
      const { Messages } = await call('sqs', 'ReceiveMessage', { QueueUrl }, worker);
      expect(Messages).toHaveLength(1);
    }));

  it.each([
    ['kms:GenerateDataKey', ['kms:Decrypt']],
    ['kms:Decrypt', ['kms:GenerateDataKey*']],
  ])('refuses a send without %s', (missing, granted) =>
    inWorld(async ({ call, key, queue, role, bodies }) => {
      const arn = await key();
      const QueueUrl = await queue('orders', { KmsMasterKeyId: arn });
      const worker = role('worker', 'sqs:*', ...granted);
      const refused = {
        name: 'KmsAccessDenied',
        queryCode: 'KMS.AccessDeniedException',
        statusCode: 400,
        message: expect.stringContaining(
          `User: arn:aws:sts::000000000000:assumed-role/worker/worker is not authorized to perform: ${missing} on resource: ${arn} because no identity-based policy allows the ${missing} action (Service: AWSKMS; Status Code: 400; Error Code: AccessDeniedException; Request ID: `,
        ),
      };
      await expect(call('sqs', 'SendMessage', send(QueueUrl), worker)).rejects.toMatchObject(refused);
      const batch = { QueueUrl, Entries: [{ Id: 'one', MessageBody: 'hello' }] };
      await expect(call('sqs', 'SendMessageBatch', batch, worker)).rejects.toMatchObject(refused);
      expect(bodies('orders')).toEqual([]);
    }),
  );

  it('refuses a receive without kms:Decrypt, and the message stays untouched', () =>
    inWorld(async ({ aws, call, key, queue, role }) => {
      const QueueUrl = await queue('orders', { KmsMasterKeyId: await key() });
      await call('sqs', 'SendMessage', send(QueueUrl));
      const worker = role('worker', 'sqs:*');
      await expect(call('sqs', 'ReceiveMessage', { QueueUrl }, worker)).rejects.toMatchObject({
        name: 'KmsAccessDenied',
      });
      expect(aws.sqs.queue(queueArn('orders'))).toMatchObject({ visible: 1, inFlight: 0 });
    }));

  it('needs no policy of the role where the key names the role itself', () =>
    inWorld(async ({ call, key, queue, role }) => {
      const own = { Principal: { AWS: roleArn('worker') }, Action: ['kms:GenerateDataKey', 'kms:Decrypt'] };
      const QueueUrl = await queue('orders', { KmsMasterKeyId: await key(accountDecides, own) });
      await call('sqs', 'SendMessage', send(QueueUrl), role('worker', 'sqs:*'));
      await expect(call('sqs', 'SendMessage', send(QueueUrl), role('other', 'sqs:*'))).rejects.toMatchObject({
        name: 'KmsAccessDenied',
      });
    }));

  it('is closed to a role whose policy allows all, where the key does not let the account decide', () =>
    inWorld(async ({ call, key, queue, role }) => {
      const admin = role('admin', '*');
      const nobody = { Principal: { AWS: roleArn('keeper') }, Action: 'kms:*' };
      const denied = { ...accountDecides, Effect: 'Deny' as const, Action: 'kms:Decrypt' };
      const arn = await key(accountDecides, denied);
      const QueueUrl = await queue('orders', { KmsMasterKeyId: arn });
      await expect(call('sqs', 'ReceiveMessage', { QueueUrl }, admin)).rejects.toThrow(
        /with an explicit deny in a resource-based policy/,
      );
      await call('kms', 'PutKeyPolicy', {
        KeyId: arn,
        BypassPolicyLockoutSafetyCheck: true,
        Policy: JSON.stringify({ Statement: [{ Effect: 'Allow', Resource: '*', ...nobody }] }),
      });
      await expect(call('sqs', 'ReceiveMessage', { QueueUrl }, admin)).rejects.toThrow(
        /because no resource-based policy allows the kms:Decrypt action/,
      );
      // The account's root is no exception.
      await expect(call('sqs', 'SendMessage', send(QueueUrl))).rejects.toMatchObject({
        name: 'KmsAccessDenied',
      });
    }));

  it('obeys conditions on the service and the encryption context', () =>
    inWorld(async ({ call, key, queue, role }) => {
      const through = (via: string, arn: string) => ({
        ...accountDecides,
        Condition: {
          StringEquals: {
            'kms:ViaService': `${via}.us-east-1.amazonaws.com`,
            'kms:CallerAccount': '000000000000',
            'kms:EncryptionContext:aws:sqs:arn': queueArn(arn),
          },
        },
      });
      const worker = role('worker', 'sqs:*', 'kms:*');
      const keeper = { Principal: { AWS: roleArn('keeper') }, Action: 'kms:*' };
      const arnOf = async (via: string, arn: string) => {
        const made = await key();
        const statements = [through(via, arn), keeper].map((one) => ({
          Effect: 'Allow',
          Resource: '*',
          ...one,
        }));
        await call('kms', 'PutKeyPolicy', {
          KeyId: made,
          BypassPolicyLockoutSafetyCheck: true,
          Policy: JSON.stringify({ Statement: statements }),
        });
        return made;
      };
      const right = await queue('right', { KmsMasterKeyId: await arnOf('sqs', 'right') });
      const otherService = await queue('service', { KmsMasterKeyId: await arnOf('sns', 'service') });
      const otherQueue = await queue('queue', { KmsMasterKeyId: await arnOf('sqs', 'right') });
      await call('sqs', 'SendMessage', send(right), worker);
      for (const url of [otherService, otherQueue])
        await expect(call('sqs', 'SendMessage', send(url), worker)).rejects.toMatchObject({
          name: 'KmsAccessDenied',
        });
    }));

  it('says what is wrong with the key itself', () =>
    inWorld(async ({ call, clock, key, queue }) => {
      const KeyId = await key();
      const QueueUrl = await queue('orders', { KmsMasterKeyId: KeyId });
      const refused = (name: string, queryCode: string, message: string) =>
        expect(call('sqs', 'SendMessage', send(QueueUrl))).rejects.toMatchObject({
          name,
          queryCode,
          message: expect.stringContaining(message),
        });
      await call('sqs', 'SendMessage', send(QueueUrl));
      await call('kms', 'DisableKey', { KeyId });
      await refused('KmsDisabled', 'KMS.DisabledException', `${KeyId} is disabled.`);
      await call('kms', 'EnableKey', { KeyId });
      await call('sqs', 'SendMessage', send(QueueUrl));
      await call('kms', 'ScheduleKeyDeletion', { KeyId, PendingWindowInDays: 7 });
      await refused('KmsInvalidState', 'KMS.InvalidStateException', `${KeyId} is pending deletion.`);
      await clock.advance(toMilliseconds(days(7)));
      await refused('KmsNotFound', 'KMS.NotFoundException', `Key '${KeyId}' does not exist`);
    }));

  it('can be named by an alias, which leads to another key as soon as it is changed', () =>
    inWorld(async ({ call, key, queue }) => {
      const [good, bad] = [await key(), await key()];
      await call('kms', 'CreateAlias', { AliasName: 'alias/orders', TargetKeyId: good });
      await call('kms', 'DisableKey', { KeyId: bad });
      const QueueUrl = await queue('orders', { KmsMasterKeyId: 'alias/orders' });
      await call('sqs', 'SendMessage', send(QueueUrl));
      await call('kms', 'UpdateAlias', { AliasName: 'alias/orders', TargetKeyId: bad });
      await expect(call('sqs', 'SendMessage', send(QueueUrl))).rejects.toMatchObject({ name: 'KmsDisabled' });
      await call('kms', 'DeleteAlias', { AliasName: 'alias/orders' });
      await expect(call('sqs', 'SendMessage', send(QueueUrl))).rejects.toThrow(
        /Alias arn:aws:kms:us-east-1:000000000000:alias\/orders is not found\./,
      );
    }));

  it('is closed to a role as soon as its policy or the time takes the permission away', () =>
    inWorld(async ({ call, clock, key, queue, role }) => {
      const QueueUrl = await queue('orders', { KmsMasterKeyId: await key() });
      const worker = role('worker', 'sqs:*', 'kms:*');
      const receive = () => call('sqs', 'ReceiveMessage', { QueueUrl }, worker);
      await receive();
      const put = (statement: object) =>
        call('iam', 'PutRolePolicy', {
          ...{ RoleName: 'worker', PolicyName: 'own' },
          PolicyDocument: JSON.stringify({
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Action: ['sqs:*', 'kms:*'], Resource: '*', ...statement }],
          }),
        });
      await put({ Action: 'sqs:*' });
      await expect(receive()).rejects.toMatchObject({ name: 'KmsAccessDenied' });
      const end = new Date(clock.now() + 60_000).toISOString();
      await put({ Condition: { DateLessThan: { 'aws:CurrentTime': end } } });
      await receive();
      await clock.advance(milliseconds(toMilliseconds(minutes(6))));
      await expect(receive()).rejects.toMatchObject({ name: 'KmsAccessDenied' });
    }));

  it('moves dead letters only for those who may decrypt them, and encrypt them where they go', () =>
    inWorld(async ({ call, clock, key, queue, role, bodies }) => {
      const [deadKey, sourceKey] = [await key(), await key(service('sns'), accountDecides)];
      const dead = await queue('dead', { KmsMasterKeyId: deadKey });
      await queue('orders', {
        KmsMasterKeyId: sourceKey,
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 1 }),
      });
      await queue('back', { KmsMasterKeyId: sourceKey });
      await call('sqs', 'SendMessage', send(dead));
      const task = { SourceArn: queueArn('dead'), DestinationArn: queueArn('back') };
      const refused = { name: 'KmsAccessDenied' };
      await expect(call('sqs', 'StartMessageMoveTask', task, role('blind', 'sqs:*'))).rejects.toMatchObject(
        refused,
      );
      await queue('plain');
      const toPlain = { ...task, DestinationArn: queueArn('plain') };
      await expect(
        call('sqs', 'StartMessageMoveTask', toPlain, role('blind', 'sqs:*')),
      ).rejects.toMatchObject(refused);
      const reader = role('reader', 'sqs:*', 'kms:Decrypt');
      await expect(call('sqs', 'StartMessageMoveTask', task, reader)).rejects.toMatchObject(refused);
      const operator = role('operator', 'sqs:*', 'kms:*');
      await call('sqs', 'StartMessageMoveTask', task, operator);
      await clock.advance(milliseconds(1_000));
      expect(bodies('back')).toEqual(['hello']);
    }));

  it('does not ask for a key of SQS itself, and lets everybody in the account use that of AWS', () =>
    inWorld(async ({ call, queue, role }) => {
      const worker = role('worker', 'sqs:*');
      await call('sqs', 'SendMessage', send(await queue('plain')), worker);
      await call(
        'sqs',
        'SendMessage',
        send(await queue('managed', { KmsMasterKeyId: 'alias/aws/sqs' })),
        worker,
      );
    }));
});
