import { App, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { type CfnTopic, Topic } from 'aws-cdk-lib/aws-sns';
import { AlarmTopic, type AlarmTopicProps, allowAlarms } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';

const ARN = 'arn:aws:sns:eu-central-1:123456789012:pages';
const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/1234';
const cloudWatch = { Service: 'cloudwatch.amazonaws.com' };
const ofThisAccount = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } };

function make(props: (stack: Stack) => AlarmTopicProps | undefined) {
  const stack = new Stack(new App(), 'Operations');
  const alarmTopic = new AlarmTopic(stack, 'Alarms', props(stack));
  const warnings = () =>
    Annotations.fromStack(stack)
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => String(entry.data));
  return { alarmTopic, template: Template.fromStack(stack), warnings: warnings() };
}

const publishes = (template: Template) =>
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: cloudWatch,
          Condition: ofThisAccount,
          Resource: { Ref: Match.anyValue() },
        }),
      ]),
    },
  });
const encrypts = (template: Template) =>
  template.hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
          Principal: cloudWatch,
          Condition: ofThisAccount,
        }),
      ]),
    },
  });

describe('CloudWatch can announce alarms on the topic for them', () => {
  it('a topic of its own: under a key of its own that rotates, TLS only, by e-mail', () => {
    const { alarmTopic, template, warnings } = make(() => ({
      emails: ['day@example.com', 'night@example.com'],
      displayName: 'Shop',
    }));
    publishes(template);
    encrypts(template);
    template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    template.hasResourceProperties('AWS::SNS::Topic', {
      KmsMasterKeyId: { 'Fn::GetAtt': [Match.stringLikeRegexp('Key'), 'Arn'] },
      DisplayName: 'Shop',
    });
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      },
    });
    for (const Endpoint of ['day@example.com', 'night@example.com'])
      template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint });
    expect(alarmTopic.encryptionKey).toBeInstanceOf(Key);
    expect(warnings).toEqual([]);
  });

  it('a key that is given: it gets the statement, and no other is made', () => {
    const { template, warnings } = make((stack) => ({ encryptionKey: new Key(stack, 'Given') }));
    publishes(template);
    encrypts(template);
    template.resourceCountIs('AWS::KMS::Key', 1);
    expect(warnings).toEqual([]);
  });

  it('a topic that is given: nothing is made, and CloudWatch is let in once, whoever asks how often', () => {
    const { alarmTopic, template, warnings } = make((stack) => {
      const topic = new Topic(stack, 'Given', { masterKey: new Key(stack, 'GivenKey') });
      allowAlarms(topic);
      allowAlarms(topic);
      return { topic, emails: ['day@example.com'] };
    });
    publishes(template);
    encrypts(template);
    template.resourceCountIs('AWS::SNS::Topic', 1);
    template.resourceCountIs('AWS::KMS::Key', 1);
    template.resourceCountIs('AWS::SNS::Subscription', 1);
    expect(JSON.stringify(template.toJSON()).match(/AllowCloudWatchAlarms/g)).toHaveLength(2);
    expect(alarmTopic.topic.node.id).toBe('Given');
    expect(warnings).toEqual([]);
  });
});

describe('A topic on which CloudWatch cannot publish is pointed out, with the statement that is missing', () => {
  it('an imported topic: its owner has the policy', () => {
    const { warnings, template } = make((stack) => ({ topic: Topic.fromTopicArn(stack, 'Given', ARN) }));
    template.resourceCountIs('AWS::SNS::Topic', 0);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('"Action":"sns:Publish"');
    expect(warnings[0]).toContain(ARN);
    expect(warnings[0]).toContain('sluice:alarmTopicPolicy');
  });

  it('an imported topic under an imported key: both', () => {
    const { warnings } = make((stack) => ({
      topic: Topic.fromTopicAttributes(stack, 'Given', { topicArn: ARN, keyArn: KEY }),
    }));
    expect(warnings).toHaveLength(2);
    expect(warnings[1]).toContain('"Action":["kms:Decrypt","kms:GenerateDataKey*"]');
    expect(warnings[1]).toContain('the key was imported');
  });

  it('an imported key for the topic that is made', () => {
    const { warnings } = make((stack) => ({ encryptionKey: Key.fromKeyArn(stack, 'Given', KEY) }));
    expect(warnings).toEqual([expect.stringContaining('the key was imported')]);
  });

  it('the key that AWS manages for SNS, by the construct', () => {
    const { warnings } = make((stack) => ({
      encryptionKey: Alias.fromAliasName(stack, 'Given', 'alias/aws/sns'),
    }));
    expect(warnings).toEqual([expect.stringContaining('AWS managed key alias/aws/sns')]);
  });

  it('the key that AWS manages for SNS, by an escape hatch', () => {
    const { warnings } = make((stack) => {
      const topic = new Topic(stack, 'Given');
      (topic.node.defaultChild as CfnTopic).kmsMasterKeyId = 'alias/aws/sns';
      return { topic };
    });
    expect(warnings).toEqual([expect.stringContaining('AWS managed key alias/aws/sns')]);
  });
});

describe('What makes no sense is refused, all of it at once', () => {
  it('a key or name for a topic that exists, and what is no address', () => {
    expect(() =>
      make((stack) => ({
        topic: new Topic(stack, 'Given'),
        encryptionKey: new Key(stack, 'Key'),
        topicName: 'pages',
        emails: ['day@example.com', 'night'],
      })),
    ).toThrow(
      [
        'Operations/Alarms:',
        '  - "encryptionKey" is of a topic that is made here, and "topic" is given: leave one of them out.',
        '  - "topicName" is of a topic that is made here, and "topic" is given: leave one of them out.',
        '  - "night" of "emails" is no address: write name@example.com.',
      ].join('\n'),
    );
  });

  it('addresses for a FIFO topic, which delivers to queues alone', () => {
    expect(() =>
      make((stack) => ({ topic: new Topic(stack, 'Given', { fifo: true }), emails: ['day@example.com'] })),
    ).toThrow('  - "topic" is FIFO, and such a topic delivers to queues alone');
  });
});
