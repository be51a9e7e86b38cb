import { App, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Alias, type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import {
  allowAlarmsOnKey,
  allowLogsOnKey,
  MessagingKey,
  MessagingTopic,
  RecordsTable,
  SubscriberQueue,
} from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { account, bySid, cycleIn, make, mayDo, newRole, newStack, region } from './support.ts';

const encryptAndDecrypt = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/** Everything that this package encrypts, under the keys that it is given by their name. */
function everything(stack: Stack, key: (name: string) => IKey) {
  const { topic } = new MessagingTopic(stack, 'Orders', { fifo: true, encryptionKey: key('Topic') });
  const payments = new SubscriberQueue(stack, 'Payments', {
    topic,
    fifo: true,
    encryptionKey: key('Payments'),
  });
  new SubscriberQueue(stack, 'Mail', { topic, encryptionKey: key('Mail') });
  const records = new RecordsTable(stack, 'Records', { encryptionKey: key('Records') });
  new LogGroup(stack, 'Log', { encryptionKey: key('Log') });
  const role = newRole(stack);
  payments.grantConsume(role);
  records.grantConsume(role);
}

describe('A customer key', () => {
  const stack = newStack();
  new MessagingKey(stack, 'Key', { alias: 'orders' });
  const { resource, statements, resources } = make(stack);

  it('rotates, outlives its stack, and has its alias', () => {
    expect(resource('Key').Properties.EnableKeyRotation).toBe(true);
    expect(resource('Key').DeletionPolicy).toBe('Retain');
    expect(
      Object.values(resources).map(({ Type, Properties }) => [Type, Properties.AliasName]),
    ).toContainEqual(['AWS::KMS::Alias', 'alias/orders']);
    const other = newStack();
    new MessagingKey(other, 'Key', { removalPolicy: RemovalPolicy.DESTROY });
    expect(make(other).resource('Key').DeletionPolicy).toBe('Delete');
  });

  it('lets SNS use it for the topics of its account and region', () => {
    expect(bySid(statements('Key')).AllowTopics).toEqual({
      Sid: 'AllowTopics',
      Effect: 'Allow',
      Action: encryptAndDecrypt,
      Principal: { Service: 'sns.amazonaws.com' },
      Resource: '*',
      Condition: { ArnLike: { 'aws:SourceArn': arnOf('sns', '*') } },
    });
  });

  it('lets CloudWatch use it for the alarms of its account', () => {
    expect(bySid(statements('Key')).AllowAlarms).toEqual({
      Sid: 'AllowAlarms',
      Effect: 'Allow',
      Action: encryptAndDecrypt,
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Resource: '*',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
  });

  it('lets CloudWatch Logs use it for the log groups of its account and region', () => {
    expect(bySid(statements('Key')).AllowLogs).toMatchObject({
      Effect: 'Allow',
      Principal: { Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.amazonaws.com']] } },
      Condition: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': arnOf('logs', 'log-group:*') } },
    });
  });

  it('lets nobody else: its account decides by the policies of roles', () => {
    expect(statements('Key').map(({ Sid, Principal }) => Sid ?? JSON.stringify(Principal))).toEqual([
      expect.stringContaining(':root'),
      'AllowTopics',
      'AllowAlarms',
      'AllowLogs',
    ]);
  });
});

const arnOf = (service: string, resource: string) => ({
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      `:${service}:`,
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      `:${resource}`,
    ],
  ],
});

describe('Encryption closes no cycle, and each key has its statements', () => {
  it('with AWS’s own keys', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    new SubscriberQueue(stack, 'Payments', { topic });
    new RecordsTable(stack, 'Records');
    const made = make(stack);
    expect(cycleIn(made)).toBeUndefined();
    expect(Object.values(made.resources).map(({ Type }) => Type)).not.toContain('AWS::KMS::Key');
  });

  it.each(['MessagingKey', 'Key'] as const)('with one %s for all', (kind) => {
    const stack = newStack();
    const key = kind === 'Key' ? new Key(stack, 'Key') : new MessagingKey(stack, 'Key').key;
    if (kind === 'Key') {
      allowLogsOnKey(key);
      allowAlarmsOnKey(key);
    }
    everything(stack, () => key);
    const made = make(stack);
    expect(cycleIn(made)).toBeUndefined();
    expect(Object.keys(bySid(made.statements('Key'))).sort()).toEqual([
      'AllowAlarms',
      'AllowLogs',
      'AllowTopics',
    ]);
    const arn = { 'Fn::GetAtt': [made.resource('Key').id, 'Arn'] };
    for (const [id, { Type, Properties }] of Object.entries(made.resources))
      if (Type === 'AWS::SQS::Queue' || Type === 'AWS::SNS::Topic')
        expect([id, Properties.KmsMasterKeyId, Properties.SqsManagedSseEnabled]).toEqual([
          id,
          arn,
          undefined,
        ]);
  });

  it('with a key each, also where keys, topics and queues cross', () => {
    const stack = newStack();
    const keys = new Map<string, Key>();
    const key = (name: string) => {
      const found = keys.get(name) ?? new Key(stack, `${name}Key`);
      keys.set(name, found);
      return found;
    };
    everything(stack, key);
    const { topic } = new MessagingTopic(stack, 'Stock', { fifo: true, encryptionKey: key('Payments') });
    new SubscriberQueue(stack, 'Crossed', { topic, fifo: true, encryptionKey: key('Topic') });
    const made = make(stack);
    expect(cycleIn(made)).toBeUndefined();
    for (const name of ['Payments', 'Mail', 'Topic'])
      expect(bySid(made.statements(`${name}Key`)).AllowTopics?.Principal).toEqual({
        Service: 'sns.amazonaws.com',
      });
    const decrypted = mayDo(made.statements('WorkerDefaultPolicy')).filter((each) =>
      each.includes('Decrypt'),
    );
    expect([...new Set(decrypted)]).toEqual([
      'kms:Decrypt on PaymentsKey.Arn through sqs.AWS::Region.amazonaws.com',
      'kms:Decrypt on RecordsKey.Arn through dynamodb.AWS::Region.amazonaws.com',
    ]);
  });

  it('a cycle would be found', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const { topic } = new MessagingTopic(stack, 'Orders', { encryptionKey: key });
    key.addAlias('orders').node.addDependency(topic);
    const { resources } = make(stack);
    expect(cycleIn({ resources })).toBeUndefined();
    const [id, found] = Object.entries(resources).find(([, { Type }]) => Type === 'AWS::KMS::Key')!;
    const alias = Object.keys(resources).find((each) => each.startsWith('KeyAlias'))!;
    expect(cycleIn({ resources: { ...resources, [id]: { ...found, DependsOn: [alias] } } })).toContain(alias);
  });
});

describe('A consumer of encrypted queues', () => {
  it('decrypts what it receives and encrypts what it sets aside, through SQS and in no other way', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    const deadLetterKey = new Key(stack, 'DeadLetterKey');
    const { deadLetterQueue } = new SubscriberQueue(stack, 'Other', { topic, encryptionKey: deadLetterKey });
    const encryptionKey = new Key(stack, 'Key');
    const payments = new SubscriberQueue(stack, 'Payments', { topic, encryptionKey, deadLetterQueue });
    payments.grantConsume(newRole(stack));
    const through = 'through sqs.AWS::Region.amazonaws.com';
    expect(
      mayDo(make(stack).statements('WorkerDefaultPolicy')).filter((each) => each.startsWith('kms:')),
    ).toEqual([
      `kms:Decrypt on DeadLetterKey.Arn ${through}`,
      `kms:Decrypt on Key.Arn ${through}`,
      `kms:GenerateDataKey on DeadLetterKey.Arn ${through}`,
    ]);
  });
});

describe('A topic that is not of the key’s account', () => {
  it('may use the key by its own ARN, under a name of its own', () => {
    const stack = newStack('Leaf', { env: { account, region } });
    const { key } = new MessagingKey(stack, 'Key');
    const arns = ['orders', 'stock'].map((name) => `arn:aws:sns:eu-central-1:222222222222:${name}`);
    for (const arn of arns)
      new SubscriberQueue(stack, `On${arn.slice(-5)}`, {
        topic: Topic.fromTopicArn(stack, arn.slice(-5), arn),
        encryptionKey: key,
      });
    const { AllowTopics, AllowAlarms, AllowLogs, ...others } = bySid(make(stack).statements('Key'));
    expect(AllowTopics?.Condition).toEqual({
      ArnLike: {
        'aws:SourceArn': {
          'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:sns:${region}:${account}:*`]],
        },
      },
    });
    expect(Object.values(others).map(({ Condition }) => Condition)).toEqual(
      arns.map((arn) => ({ ArnLike: { 'aws:SourceArn': arn } })),
    );
    expect(Object.keys(others).every((sid) => /^AllowTopics[0-9A-F]{8}$/.test(sid))).toBe(true);
    expect([AllowAlarms, AllowLogs]).not.toContain(undefined);
  });

  it('in another stack of the app is allowed as all of its account are', () => {
    const app = new App({ context: { '@aws-cdk/core:defaultCrossStackReferences': 'strong' } });
    const keys = newStack('Keys', {}, app);
    const { key } = new MessagingKey(keys, 'Key');
    const stack = newStack('Leaf', {}, app);
    everything(stack, () => key);
    expect(Object.keys(bySid(make(keys).statements('Key')))).toEqual([
      'AllowTopics',
      'AllowAlarms',
      'AllowLogs',
    ]);
    expect(keys.dependencies).toEqual([]);
  });
});

describe('A key whose policy this app cannot extend', () => {
  it('says once, in an output and a warning, what its owner must add', () => {
    const stack = newStack();
    const arn = 'arn:aws:kms:eu-central-1:222222222222:key/1';
    const key = Key.fromKeyArn(stack, 'Key', arn);
    const { topic } = new MessagingTopic(stack, 'Orders', { fifo: true });
    new SubscriberQueue(stack, 'Payments', { topic, fifo: true, encryptionKey: key });
    new SubscriberQueue(stack, 'Mail', { topic, encryptionKey: key });
    allowLogsOnKey(key);
    const { outputs, warnings } = make(stack);
    expect(Object.keys(outputs).map((id) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'KeyOwnerAllowTopics',
      'KeyOwnerAllowLogs',
    ]);
    const [output] = Object.values(outputs);
    expect(output?.Description).toBe(`To be added by its owner to the policy of the key "${arn}"`);
    expect(JSON.stringify(output?.Value)).toContain('sns.amazonaws.com');
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(
      /SNS delivers nothing to queues under this key.* unless its owner adds: \{"Action":.*"Sid":"AllowTopics"\}.*\[ack: sluice:key-owner-statement\]/,
    );
  });

  it('is refused when it is AWS’s, or known by an alias alone', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders');
    for (const [name, found] of [
      ['alias/aws/sqs', 'found an AWS managed key, which SNS may not use'],
      ['alias/orders', 'found a key that is known by its alias alone'],
    ] as const)
      expect(
        () =>
          new SubscriberQueue(stack, name.replaceAll('/', ''), {
            topic,
            encryptionKey: Alias.fromAliasName(stack, name, name),
          }),
      ).toThrow(`encryptionKey: ${found}`);
  });
});
