import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { MessagingStack, type MessagingStackProps } from 'sluice/cdk';
import { describe, expect, it, test } from 'vitest';
import { handlers, shop, shopStack } from '../fixtures/shop.ts';
import { cycleOf, type Found, idsOf, referencesOf, resourcesOf, statementsOf, the } from './templates.ts';

type Props = Partial<MessagingStackProps<typeof shop>>;

const made = (props: Props) => {
  const { stack } = shopStack(props);
  return { stack, resources: resourcesOf(stack) };
};

/** The logical id, without its hash, of the key that each thing that can have one is under. */
function keyOf(resources: readonly Found[], name: string): string | undefined {
  const { Properties = {} } = the(resources, name);
  const sse = Properties.SSESpecification as { KMSMasterKeyId?: unknown } | undefined;
  const key = Properties.KmsMasterKeyId ?? Properties.KmsKeyId ?? Properties.KmsKeyArn ?? sse?.KMSMasterKeyId;
  if (key === undefined || typeof key === 'string') return key;
  return [...referencesOf(key)].map((id) => id.replace(/[0-9A-F]{8}$/, '')).join();
}

const ofPayments = [
  'PaymentsSubscriberQueue',
  'PaymentsSubscriberDeadLetterQueue',
  'PaymentsSubscriberSubscriptionDeadLetterQueue',
  'PaymentsSubscriberConsumerLogGroup',
  'PaymentsSubscriberConsumerFunction',
];
const everything = ['OrdersTopic', 'StockMovesTopic', 'RecordsTable', ...ofPayments];

const keysOf = (resources: readonly Found[], names: readonly string[]) => [
  ...new Set(names.map((name) => keyOf(resources, name))),
];

/** What a policy lets somebody do with keys: actions, the key's id, and the service through which. */
const keyRights = (resources: readonly Found[], name: string): string[] =>
  statementsOf(the(resources, `${name}DefaultPolicy`)).flatMap(({ Action, Resource, Condition }) => {
    const actions = [Action].flat().filter((action) => action.startsWith('kms:'));
    const key = [...referencesOf(Resource)].map((id) => id.replace(/[0-9A-F]{8}$/, '')).join();
    const via = /"(sqs|sns|dynamodb)\./.exec(JSON.stringify(Condition) ?? '')?.[1] ?? 'anything';
    return actions.length === 0 ? [] : [`${actions.join(' ')} of ${key} through ${via}`];
  });

describe('A stack says whose keys encrypt', () => {
  test('those of AWS, when nothing is said', () => {
    const { stack, resources } = made({});
    expect(idsOf(resources, 'AWS::KMS::Key')).toEqual([]);
    expect(stack.encryptionKey).toBeUndefined();
    expect(stack.encryptionKeys.size).toBe(0);
    expect(keyOf(resources, 'OrdersTopic')).toBe('alias/aws/sns');
    expect(the(resources, 'PaymentsSubscriberQueue').Properties).toMatchObject({
      SqsManagedSseEnabled: true,
    });
  });

  test('one customer key for everything', () => {
    const { stack, resources } = made({ encryption: 'customerKey' });
    expect(idsOf(resources, 'AWS::KMS::Key')).toEqual(['EncryptionKey']);
    expect(keysOf(resources, everything)).toEqual(['EncryptionKey']);
    expect([...stack.encryptionKeys.keys()]).toEqual(['EncryptionKey']);
    expect(stack.encryptionKeys.get('EncryptionKey')).toBe(stack.encryptionKey);
    expect(stack.subscriber('payments').encryptionKey).toBe(stack.encryptionKey);
  });

  test('a customer key for each topic, each subscriber and the table', () => {
    const { stack, resources } = made({ encryption: 'customerKeys' });
    const keys = [
      ...['AnalyticsSubscriberKey', 'OrdersTopicKey', 'PaymentsSubscriberKey'],
      ...['RecordsKey', 'StockMailSubscriberKey', 'StockMovesTopicKey'],
    ];
    expect(idsOf(resources, 'AWS::KMS::Key')).toEqual(keys);
    expect([...stack.encryptionKeys.keys()].sort()).toEqual(keys);
    expect(stack.encryptionKey).toBeUndefined();
    expect(keyOf(resources, 'OrdersTopic')).toBe('OrdersTopicKey');
    expect(keyOf(resources, 'RecordsTable')).toBe('RecordsKey');
    expect(keysOf(resources, ofPayments)).toEqual(['PaymentsSubscriberKey']);
  });

  test('a key of the app: it gets the statements that the services need', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const keys = new Stack(app, 'Keys');
    const encryptionKey = new Key(keys, 'Key');
    const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers, encryptionKey });
    const resources = resourcesOf(stack);
    expect(idsOf(resources, 'AWS::KMS::Key')).toEqual([]);
    expect(stack.encryptionKey).toBe(encryptionKey);
    const services = statementsOf(the(resourcesOf(keys), 'Key')).map(({ Principal }) =>
      JSON.stringify(Principal),
    );
    expect(services.join()).toContain('sns.amazonaws.com');
    expect(services.join()).toContain('"logs.');
  });

  test('an alias of the app stands for its key: nothing is under a name that may not be there yet', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const keys = new Stack(app, 'Keys');
    const alias = new Alias(keys, 'Alias', { aliasName: 'alias/shop', targetKey: new Key(keys, 'Key') });
    const resources = resourcesOf(
      new MessagingStack(app, 'Shop', { messaging: shop, handlers, encryptionKey: alias }),
    );
    for (const name of everything) {
      const key = JSON.stringify(the(resources, name).Properties);
      expect(key).not.toContain('alias/');
      expect(key).toMatch(/Key[0-9A-F]{8}/);
    }
  });

  test('a key that is imported: its owner is told', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const there = new Stack(app, 'There');
    const arn = 'arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-555555555555';
    const encryptionKey = Key.fromKeyArn(there, 'Key', arn);
    new MessagingStack(app, 'Shop', { messaging: shop, handlers, encryptionKey });
    Annotations.fromStack(there).hasWarning(
      '*',
      Match.stringLikeRegexp('policy of the key .*sns.amazonaws.com'),
    );
    Annotations.fromStack(there).hasWarning('*', Match.stringLikeRegexp('policy of the key .*logs\\.'));
  });

  test('a table that exists has the key that it has', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const partitionKey = { name: 'pk', type: AttributeType.STRING };
    const records = new Table(new Stack(app, 'There'), 'Records', { partitionKey });
    const stack = new MessagingStack(app, 'Shop', {
      messaging: shop,
      handlers,
      encryption: 'customerKeys',
      records,
    });
    expect([...stack.encryptionKeys.keys()]).not.toContain('RecordsKey');
  });
});

describe.each(['customerKey', 'customerKeys'] as const)('With encryption %s', (encryption) => {
  const { resources } = made({ encryption });
  const own = (name: string) => (encryption === 'customerKey' ? 'EncryptionKey' : name);

  it('no resource waits for itself', () => {
    expect(cycleOf(resources)).toBeUndefined();
  });

  it('every key is rotated, and lets SNS, CloudWatch and the log use it, for this account', () => {
    for (const key of resources.filter(({ Type }) => Type === 'AWS::KMS::Key')) {
      expect(key.Properties).toMatchObject({ EnableKeyRotation: true });
      const [, ...services] = statementsOf(key);
      expect(services.map(({ Principal }) => JSON.stringify(Principal)).join()).toMatch(
        /sns\.amazonaws\.com.*cloudwatch\.amazonaws\.com.*"logs\./,
      );
      for (const { Condition } of services) expect(JSON.stringify(Condition)).toContain('AWS::AccountId');
    }
  });

  it('a consumer may use the keys of what it works with, through their services', () => {
    const decrypt = `kms:Decrypt of ${own('PaymentsSubscriberKey')} through sqs`;
    const rights = keyRights(resources, 'PaymentsSubscriberConsumerRole');
    expect(rights).toContain(decrypt);
    expect(rights).toContain(
      `kms:Decrypt kms:GenerateDataKey of ${own('PaymentsSubscriberKey')} through sqs`,
    );
    expect(rights.join()).toContain(`of ${own('RecordsKey')} through dynamodb`);
    if (encryption === 'customerKeys') expect(rights.join()).not.toContain('Analytics');
  });

  it('a publisher may use the keys of its topics', () => {
    const { stack: publishing } = shopStack({ encryption });
    const assumedBy = new AccountPrincipal('123456789012');
    publishing.grantPublish(new Role(publishing, 'Teller', { assumedBy }), 'orders');
    expect(keyRights(resourcesOf(publishing), 'Teller')).toEqual([
      `kms:Decrypt kms:GenerateDataKey of ${own('OrdersTopicKey')} through sns`,
    ]);
  });
});
