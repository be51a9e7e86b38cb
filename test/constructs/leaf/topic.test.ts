import { CfnParameter } from 'aws-cdk-lib';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { MessagingTopic } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { make, mayDo, newRole, newStack } from './support.ts';

describe('A topic that is made alone', () => {
  it('is encrypted under the AWS managed key and refuses what comes unencrypted', () => {
    const stack = newStack();
    new MessagingTopic(stack, 'Orders');
    const made = make(stack);
    expect(made.resource('OrdersTopic').Properties).toEqual({ KmsMasterKeyId: 'alias/aws/sns' });
    expect(made.statements('OrdersTopicPolicy')).toEqual([
      {
        Sid: 'AllowPublishThroughSSLOnly',
        Effect: 'Deny',
        Action: 'sns:Publish',
        Principal: '*',
        Resource: { Ref: made.resource('OrdersTopic').id },
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ]);
  });

  it('on FIFO deduplicates and scales by message group, under the name that is given', () => {
    const stack = newStack();
    const { topic } = new MessagingTopic(stack, 'Orders', {
      fifo: true,
      topicName: 'orders.fifo',
      displayName: 'Orders',
    });
    expect(topic.fifo).toBe(true);
    expect(make(stack).resource('OrdersTopic').Properties).toMatchObject({
      FifoTopic: true,
      FifoThroughputScope: 'MessageGroup',
      ContentBasedDeduplication: false,
      TopicName: 'orders.fifo',
      DisplayName: 'Orders',
    });
  });

  it('is encrypted under the customer key that is given', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const { encryptionKey } = new MessagingTopic(stack, 'Orders', { encryptionKey: key });
    expect(encryptionKey).toBe(key);
    const made = make(stack);
    expect(made.resource('OrdersTopic').Properties).toEqual({
      KmsMasterKeyId: { 'Fn::GetAtt': [made.resource('Key').id, 'Arn'] },
    });
  });
});

describe('Who may publish', () => {
  it('may publish on that topic, and nothing else', () => {
    const stack = newStack();
    new MessagingTopic(stack, 'Orders').grantPublish(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toEqual(['sns:Publish on OrdersTopic']);
  });

  it('may use its customer key through SNS, and in no other way', () => {
    const stack = newStack();
    const encryptionKey = new Key(stack, 'Key');
    new MessagingTopic(stack, 'Orders', { encryptionKey }).grantPublish(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toEqual([
      'kms:Decrypt on Key.Arn through sns.AWS::Region.amazonaws.com',
      'kms:GenerateDataKey on Key.Arn through sns.AWS::Region.amazonaws.com',
      'sns:Publish on OrdersTopic',
    ]);
  });

  it('may use the key behind an alias', () => {
    const stack = newStack();
    const alias = new Alias(stack, 'Alias', { aliasName: 'orders', targetKey: new Key(stack, 'Key') });
    new MessagingTopic(stack, 'Orders', { encryptionKey: alias }).grantPublish(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toContain(
      'kms:Decrypt on Key.Arn through sns.AWS::Region.amazonaws.com',
    );
  });

  it('needs no permission on a key that AWS keeps', () => {
    const stack = newStack();
    const encryptionKey = Alias.fromAliasName(stack, 'Key', 'alias/aws/sns');
    new MessagingTopic(stack, 'Orders', { encryptionKey }).grantPublish(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toEqual(['sns:Publish on OrdersTopic']);
  });

  it('is refused a key of which only an alias is known', () => {
    const stack = newStack();
    const encryptionKey = Alias.fromAliasName(stack, 'Key', 'alias/orders');
    const topic = new MessagingTopic(stack, 'Orders', { encryptionKey });
    expect(() => topic.grantPublish(newRole(stack))).toThrow(
      'found a key that is known by its alias "alias/orders" alone; allowed: a customer key whose ARN is known. Import it with Key.fromKeyArn',
    );
  });
});

describe('A topic that exists', () => {
  it('is taken as it is: nothing is made, nothing of it changed', () => {
    const stack = newStack();
    const topic = new Topic(stack, 'Existing', { fifo: true });
    const before = make(stack).resources;
    const orders = new MessagingTopic(stack, 'Orders', { topic, fifo: true });
    expect(orders.topic).toBe(topic);
    expect(stack.resolve(orders.physicalName({ kind: 'topic', topic: 'orders' }))).toEqual(
      stack.resolve(topic.topicName),
    );
    const again = newStack();
    new MessagingTopic(again, 'Orders', { topic: new Topic(again, 'Existing', { fifo: true }) });
    expect(make(again).resources).toEqual(before);
  });

  it('brings its key, or is told the one that it has', () => {
    const stack = newStack();
    const masterKey = new Key(stack, 'Key');
    const own = new MessagingTopic(stack, 'Own', { topic: new Topic(stack, 'T', { masterKey }) });
    expect(own.encryptionKey).toBe(masterKey);
    const imported = Topic.fromTopicArn(stack, 'I', 'arn:aws:sns:eu-central-1:222222222222:orders');
    const theirs = Key.fromKeyArn(stack, 'K', 'arn:aws:kms:eu-central-1:222222222222:key/1');
    const orders = new MessagingTopic(stack, 'Imported', { topic: imported, encryptionKey: theirs });
    orders.grantPublish(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toEqual([
      'kms:Decrypt on arn:aws:kms:eu-central-1:222222222222:key/1 through sns.eu-central-1.amazonaws.com',
      'kms:GenerateDataKey on arn:aws:kms:eu-central-1:222222222222:key/1 through sns.eu-central-1.amazonaws.com',
      'sns:Publish on arn:aws:sns:eu-central-1:222222222222:orders',
    ]);
  });
});

describe('Props that cannot work are refused, all at once', () => {
  it.each([
    [{ fifo: true, topicName: 'orders' }, 'topicName: found "orders"; allowed: a name that ends with .fifo'],
    [{ topicName: 'orders.fifo' }, 'topicName: found "orders.fifo"; allowed: a name without .fifo'],
    [{ topicName: 'a'.repeat(257) }, 'allowed: up to 256 letters'],
    [{ fifo: true, topicName: `${'a'.repeat(252)}.fifo` }, 'allowed: up to 256 letters'],
  ])('%o', (props, message) => {
    expect(() => new MessagingTopic(newStack(), 'Orders', props)).toThrow(message);
  });

  it('what is said of a topic that exists', () => {
    const stack = newStack();
    const topic = Topic.fromTopicArn(stack, 'T', 'arn:aws:sns:eu-central-1:222222222222:orders.fifo');
    expect(
      () => new MessagingTopic(stack, 'Orders', { topic, fifo: false, topicName: 'o', displayName: 'O' }),
    ).toThrow(
      /Leaf\/Orders has 3 faults:\n {2}- topicName: found "o" beside an existing topic;.*\n {2}- displayName: .*\n {2}- fifo: found false; allowed: true, as the topic orders\.fifo is/,
    );
  });

  it('what only the deployment knows is let through', () => {
    const stack = newStack();
    const topicName = new CfnParameter(stack, 'Name').valueAsString;
    new MessagingTopic(stack, 'Orders', { topicName });
    const topic = Topic.fromTopicArn(stack, 'T', new CfnParameter(stack, 'Arn').valueAsString);
    new MessagingTopic(stack, 'Existing', { topic, fifo: true });
    expect(make(stack).resource('OrdersTopic').Properties.TopicName).toEqual({ Ref: 'Name' });
  });
});
