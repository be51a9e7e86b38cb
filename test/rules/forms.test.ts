import { describe, expect, it } from 'vitest';
import { findViolations, type StackTemplate, type Template } from '../../lib/rules/index.ts';

type Resources = NonNullable<Template['Resources']>;
type Properties = Readonly<Record<string, unknown>>;

const judge = (Resources: Resources, more: Partial<StackTemplate> = {}): string[] =>
  findViolations([{ path: 'Shop', name: 'Shop', template: { Resources }, ...more }]).map(
    ({ rule, logicalId }) => `${rule} ${logicalId}`,
  );

const queue = (properties: Properties = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties });
const topic = (properties: Properties = {}) => ({ Type: 'AWS::SNS::Topic', Properties: properties });
const lambda = (properties: Properties = {}) => ({ Type: 'AWS::Lambda::Function', Properties: properties });
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const ref = (id: string) => ({ Ref: id });
const put = (name: string): string => `\${${name}}`;
const sub = (text: string) => ({ 'Fn::Sub': text });
const elsewhere = { Ref: 'AParameter' };
const here = `${put('AWS::Region')}:${put('AWS::AccountId')}`;

const deadLettered = (properties: Properties = {}) => queue({ RedrivePolicy: elsewhere, ...properties });
const policyOf = (id: string, ...Statement: readonly object[]) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: { Queues: [ref(id)], PolicyDocument: { Statement } },
});
const source = (properties: Properties = {}) => ({
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    EventSourceArn: arn('Queue'),
    FunctionName: ref('Function'),
    BatchSize: 1,
    ScalingConfig: { MaximumConcurrency: 2 },
    ...properties,
  },
});

describe('A queue’s own dead letters are no queue without a dead-letter queue, whoever gives up to it', () => {
  const readBy = (Failing: Resources[string]) =>
    judge({
      Queue: queue(),
      Source: source({ FunctionName: elsewhere }),
      Failing,
    });
  const destination = { DestinationConfig: { OnFailure: { Destination: arn('Queue') } } };

  it.each([
    ['an asynchronous invocation', 'AWS::Lambda::EventInvokeConfig', destination],
    ['a stream', 'AWS::Lambda::EventSourceMapping', { EventSourceArn: elsewhere, ...destination }],
    ['a rule of events', 'AWS::Events::Rule', { Targets: [{ DeadLetterConfig: { Arn: arn('Queue') } }] }],
    ['a schedule', 'AWS::Scheduler::Schedule', { Target: { DeadLetterConfig: { Arn: arn('Queue') } } }],
    [
      'a pipe',
      'AWS::Pipes::Pipe',
      { SourceParameters: { KinesisStreamParameters: { DeadLetterConfig: { Arn: arn('Queue') } } } },
    ],
  ])('%s', (_, Type, Properties) => {
    expect(readBy({ Type, Properties })).toEqual([]);
  });

  it('and one that nobody gives up to is', () => {
    expect(readBy({ Type: 'AWS::Events::Rule', Properties: { Targets: [] } })).toEqual([
      'dead-letter-queue-missing Queue',
    ]);
  });
});

describe('A policy is read as AWS reads it', () => {
  const delivered = (statement: object, stack: Partial<StackTemplate> = {}, topicName?: string) =>
    judge(
      {
        Topic: topic(topicName === undefined ? {} : { TopicName: topicName }),
        Queue: deadLettered(),
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: {
            TopicArn: ref('Topic'),
            Protocol: 'sqs',
            Endpoint: arn('Queue'),
            RedrivePolicy: elsewhere,
          },
        },
        Policy: policyOf('Queue', { Effect: 'Allow', ...statement }),
      },
      stack,
    );
  const sns = { Principal: { Service: 'sns.amazonaws.com' } };
  const send = { ...sns, Action: 'sqs:SendMessage', Resource: arn('Queue') };
  const of = (value: unknown, operator = 'ArnEquals') => ({
    Condition: { [operator]: { 'AWS:SourceArn': value } },
  });
  const named = 'arn:aws:sns:eu-west-1:111111111111:orders';

  it.each([
    ['all actions but some', { ...sns, NotAction: 'sqs:DeleteQueue', Resource: '*' }],
    ['all principals but some', { ...send, Principal: undefined, NotPrincipal: { AWS: '*' } }],
    ['all resources but some', { ...send, Resource: undefined, NotResource: 'arn:aws:sqs:::other' }],
    ['a source that is none of some', { ...send, ...of('arn:aws:sns:::other', 'ArnNotEquals') }],
    ['a source that is there', { ...send, ...of('false', 'Null') }],
    ['a list of sources', { ...send, ...of(['arn:aws:sns:::other', ref('Topic')], 'StringLike') }],
    ['a source by its name', { ...send, ...of(sub(`arn:aws:sns:${here}:${put('Topic.TopicName')}`)) }],
  ])('%s lets the topic send', (_, statement) => {
    expect(delivered(statement)).toEqual([]);
    expect(delivered(statement, {}, 'orders')).toEqual([]);
  });

  it('an ARN of a place that the stack may go to lets it send', () => {
    expect(delivered({ ...send, ...of(named) }, {}, 'orders')).toEqual([]);
    const away = { account: '111111111111', region: 'us-east-1' };
    expect(delivered({ ...send, ...of(named) }, away, 'orders')).toEqual(['delivery-policy Queue']);
    expect(delivered({ ...send, ...of(named) }, {}, 'others')).toEqual(['delivery-policy Queue']);
  });

  it.each([
    ['leaves the action out', { ...sns, NotAction: ['sqs:Send*'], Resource: '*' }],
    ['denies it', { ...send, Effect: 'Deny', Principal: '*' }],
  ])('a statement that %s does not', (_, statement) => {
    expect(delivered(statement)).toEqual(['delivery-policy Queue']);
  });

  it('a statement that denies without a condition beats one that allows', () => {
    const judgeBoth = (more: object) =>
      judge({
        Topic: topic({ Subscription: [{ Protocol: 'sqs', Endpoint: arn('Queue') }] }),
        Queue: deadLettered(),
        Policy: policyOf(
          'Queue',
          { Effect: 'Allow', ...send },
          { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Resource: '*', ...more },
        ),
      }).filter((found) => found.startsWith('delivery-policy'));
    expect(judgeBoth({})).toEqual(['delivery-policy Queue']);
    expect(judgeBoth({ Condition: { Bool: { 'aws:SecureTransport': 'false' } } })).toEqual([]);
  });

  it('a key that SNS may use on behalf of another topic is none for this one', () => {
    const under = (id: string) =>
      judge({
        Topic: topic({ Subscription: [{ Protocol: 'sqs', Endpoint: arn('Queue') }] }),
        Other: topic({ Subscription: [{ Protocol: 'email', Endpoint: 'on-call@example.com' }] }),
        Queue: deadLettered({ KmsMasterKeyId: sub(`arn:aws:kms:${here}:key/${put('Key')}`) }),
        Policy: policyOf('Queue', { Effect: 'Allow', ...send }),
        Key: {
          Type: 'AWS::KMS::Key',
          Properties: {
            KeyPolicy: { Statement: [{ Effect: 'Allow', ...sns, Action: 'kms:*', ...of(ref(id)) }] },
          },
        },
      }).filter((found) => found.startsWith('delivery-key'));
    expect(under('Topic')).toEqual([]);
    expect(under('Other')).toEqual(['delivery-key Queue']);
  });
});

describe('What is put together from texts and references is read', () => {
  const expiring = (RedrivePolicy: unknown, stack: Partial<StackTemplate> = {}) =>
    judge({ DeadLetters: queue(), Queue: queue({ RedrivePolicy }) }, stack);
  const target = (deadLetterTargetArn: unknown) => ({ deadLetterTargetArn, maxReceiveCount: 10 });

  it('an ARN around a queue’s name', () => {
    const redrive = target(sub(`arn:aws:sqs:${here}:${put('DeadLetters.QueueName')}`));
    for (const stack of [{}, { account: '111111111111', region: 'eu-west-1' }])
      expect(expiring(redrive, stack)).toEqual(['dead-letter-retention DeadLetters']);
    // Somebody else's queue may have the same name.
    const other = target(sub(`arn:aws:sqs:us-east-1:222222222222:${put('DeadLetters.QueueName')}`));
    expect(expiring(other)).toEqual([]);
  });

  it('a policy that is JSON with references in it, in quotes or not', () => {
    const text = `{"deadLetterTargetArn":"${put('DeadLetters.Arn')}","maxReceiveCount":${put('Count')}}`;
    expect(expiring(sub(text))).toEqual(['dead-letter-retention DeadLetters']);
    expect(
      expiring({
        'Fn::Join': ['', ['{"maxReceiveCount":1001,"deadLetterTargetArn":"', arn('DeadLetters'), '"}']],
      }),
    ).toEqual(['dead-letter-retention DeadLetters', 'max-receive-count Queue']);
    expect(expiring(sub(`{"deadLetterTargetArn":"${put('DeadLetters.Arn')}`))).toEqual([]);
  });

  it.each([
    ['with its alias behind it', sub(`${put('Function')}:live`)],
    ['by its ARN and alias', { 'Fn::Join': [':', [arn('Function'), 'live']] }],
    ['by its name and alias', 'consumer:live'],
    ['by account and name', '111111111111:function:consumer:live'],
    ['by an ARN around it', sub(`arn:aws:lambda:${here}:function:${put('Function')}`)],
  ])('a function %s', (_, FunctionName) => {
    expect(
      judge({
        Queue: deadLettered(),
        Function: lambda({ FunctionName: 'consumer', Timeout: 60 }),
        Source: source({ FunctionName }),
      }),
    ).toEqual(['visibility-below-timeout Queue']);
  });

  it('the rule of a composite, whose parts notify by it; a name that is a part of another is none', () => {
    const alarm = (AlarmName?: string) => ({
      Type: 'AWS::CloudWatch::Alarm',
      Properties: { Threshold: 1, ...(AlarmName === undefined ? {} : { AlarmName }) },
    });
    expect(
      judge({
        One: alarm(),
        Two: alarm(),
        Late: alarm('late'),
        Very: alarm('very-late'),
        Both: {
          Type: 'AWS::CloudWatch::CompositeAlarm',
          Properties: {
            AlarmRule: sub(`ALARM("${put('One')}") OR ALARM(very-late)`),
            AlarmActions: [elsewhere],
          },
        },
      }),
    ).toEqual(['alarm-without-action Two', 'alarm-without-action Late']);
  });

  it('a dashboard, of which only names are not known', () => {
    const widgets = Array.from({ length: 501 }, () => `{"title":"${put('AWS::Region')} ${put('Name')}"}`);
    expect(
      judge({
        Dashboard: {
          Type: 'AWS::CloudWatch::Dashboard',
          Properties: { DashboardBody: sub(`{"widgets":[${widgets.join()}]}`) },
        },
      }),
    ).toEqual(['dashboard-widgets Dashboard']);
  });

  it('a queue that a dead-letter queue does not admit, by name', () => {
    const admits = (sourceQueueArns: readonly string[]) =>
      judge({
        DeadLetters: queue({
          MessageRetentionPeriod: 1_209_600,
          RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns },
        }),
        Queue: queue({ QueueName: 'orders', RedrivePolicy: target(arn('DeadLetters')) }),
      });
    expect(admits(['arn:aws:sqs:eu-west-1:111111111111:orders'])).toEqual([]);
    expect(admits(['arn:aws:sqs:eu-west-1:111111111111:others'])).toEqual(['redrive-allow DeadLetters']);
    expect(admits([])).toEqual(['redrive-allow DeadLetters']);
  });

  it('a filter with more than it may have, although a part of it is not known', () => {
    const filtered = (FilterPolicy: object) =>
      judge({
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: {
            TopicArn: elsewhere,
            Protocol: 'email',
            FilterPolicyScope: 'MessageAttributes',
            FilterPolicy,
          },
        },
      });
    const keys = { a: ['1'], b: ['1'], c: ['1'], d: ['1'] };
    expect(filtered({ ...keys, e: elsewhere, f: elsewhere })).toEqual([]);
    expect(filtered({ ...keys, e: ['1'], f: ['1'], g: elsewhere })).toEqual(['filter-size Subscription']);
  });
});

describe('What a function may do is read from all that says it', () => {
  const consumer = (resources: Resources = {}, role: Properties = {}, own: Properties = {}) =>
    judge({
      Queue: deadLettered(),
      Role: { Type: 'AWS::IAM::Role', Properties: role },
      Function: lambda({ Role: arn('Role'), ...own }),
      Source: source(),
      Read: rights({ Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] }),
      ...resources,
    }).filter((found) => !found.startsWith('visibility'));
  const rights = (statement: object) => ({
    Type: 'AWS::IAM::Policy',
    Properties: {
      Roles: [ref('Role')],
      PolicyDocument: { Statement: [{ Effect: 'Allow', Resource: arn('Queue'), ...statement }] },
    },
  });

  it('to send to its own queue: by its role, by the queue’s policy, by all but some actions', () => {
    const refused = ['self-send Function'];
    expect(consumer({ Send: rights({ Action: 'SQS:send*' }) })).toEqual(refused);
    expect(consumer({ Send: rights({ NotAction: 'sqs:PurgeQueue' }) })).toEqual(refused);
    const statement = { Effect: 'Allow', Principal: { AWS: arn('Role') }, Action: 'sqs:*', Resource: '*' };
    expect(consumer({ Send: policyOf('Queue', statement) })).toEqual(refused);
    expect(consumer()).toEqual([]);
  });

  it('unless it is denied, or the loop is meant', () => {
    const Send = rights({ Action: 'sqs:*' });
    const deny = { Effect: 'Deny', Action: 'sqs:SendMessage' };
    expect(consumer({ Send, Not: rights(deny) })).toEqual([]);
    expect(consumer({ Send, Not: rights({ ...deny, Condition: {} }) })).toEqual(['self-send Function']);
    expect(consumer({ Send }, {}, { RecursiveLoop: 'Allow' })).toEqual([]);
  });

  it('to read: by policies of its own, of AWS and of the queue', () => {
    const without = { Read: rights({ Action: 'logs:*' }) };
    const refused = ['consumer-policy Function'];
    const managed = (name: string) => ({
      ManagedPolicyArns: [sub(`arn:${put('AWS::Partition')}:iam::aws:policy/service-role/${name}`)],
    });
    expect(consumer(without)).toEqual(refused);
    expect(consumer(without, managed('AWSLambdaBasicExecutionRole'))).toEqual(refused);
    expect(consumer(without, managed('AWSLambdaSQSQueueExecutionRole'))).toEqual([]);
    // What another policy lets it do, nobody knows.
    expect(consumer(without, managed('Ours'))).toEqual([]);
    expect(consumer(without, { ManagedPolicyArns: elsewhere })).toEqual([]);
    const statement = { Effect: 'Allow', Principal: { AWS: arn('Role') }, Action: 'sqs:*', Resource: '*' };
    const account = { ...statement, Principal: { AWS: 'arn:aws:iam::111111111111:root' } };
    expect(consumer({ ...without, Queues: policyOf('Queue', account) })).toEqual(refused);
    expect(
      consumer({ ...without, Queues: policyOf('Queue', statement) }).filter(
        (one) => one !== 'self-send Function',
      ),
    ).toEqual([]);
  });

  it('to decrypt: by policies of its own and of the key', () => {
    const under = (statement: object, more: Resources = {}) =>
      consumer({
        Queue: deadLettered({ KmsMasterKeyId: 'alias/orders' }),
        Alias: {
          Type: 'AWS::KMS::Alias',
          Properties: { AliasName: 'alias/orders', TargetKeyId: ref('Key') },
        },
        Key: {
          Type: 'AWS::KMS::Key',
          Properties: { KeyPolicy: { Statement: [{ Effect: 'Allow', Action: 'kms:*', ...statement }] } },
        },
        ...more,
      });
    const account = { Principal: { AWS: { 'Fn::Sub': `arn:aws:iam::${put('AWS::AccountId')}:root` } } };
    expect(under(account)).toEqual(['consumer-key Function']);
    expect(under({ Principal: { AWS: arn('Role') } })).toEqual([]);
    expect(under(account, { Decrypt: rights({ Action: 'kms:Decrypt', Resource: arn('Key') }) })).toEqual([]);
    expect(under(account, { Decrypt: rights({ Action: 'kms:Decrypt', Resource: '*' }) })).toEqual([]);
  });

  it('to publish to a topic that it hears itself, without a queue', () => {
    const loop = (FilterPolicy?: object) =>
      consumer({
        Topic: topic(),
        Subscription: {
          Type: 'AWS::SNS::Subscription',
          Properties: {
            TopicArn: ref('Topic'),
            Protocol: 'lambda',
            Endpoint: arn('Function'),
            RedrivePolicy: elsewhere,
            ...(FilterPolicy === undefined ? {} : { FilterPolicy, FilterPolicyScope: 'MessageAttributes' }),
          },
        },
        Publish: rights({ Action: 'sns:Publish', Resource: ref('Topic') }),
      });
    expect(loop()).toEqual(['topic-loop Function']);
    expect(loop({ type: ['placed'] })).toEqual([]);
  });
});

describe('Concurrency is counted as Lambda counts it', () => {
  const sources = (reserved: number, first: Properties, second?: Properties) =>
    judge({
      Queue: deadLettered({ VisibilityTimeout: 60 }),
      Function: lambda({ ReservedConcurrentExecutions: reserved }),
      First: source(first),
      ...(second === undefined ? {} : { Second: source(second) }),
    });
  const most = (MaximumConcurrency: number) => ({ ScalingConfig: { MaximumConcurrency } });

  it('that of all event sources of a function together', () => {
    expect(sources(10, most(5), most(5))).toEqual([]);
    expect(sources(9, most(5), most(5))).toEqual(['concurrency-above-reserved Function']);
  });

  it('none of a source that is switched off, and all of one that calls a function that is', () => {
    expect(sources(0, { ...most(5), Enabled: false })).toEqual([]);
    expect(sources(0, most(5))).toEqual(['concurrency-above-reserved First']);
    expect(sources(0, { ScalingConfig: undefined })).toEqual(['reserved-concurrency-bound Function']);
  });

  it('ten for each provisioned poller', () => {
    const pollers = (MaximumPollers: number) => ({
      ScalingConfig: undefined,
      ProvisionedPollerConfig: { MaximumPollers },
    });
    expect(sources(100, pollers(10))).toEqual([]);
    expect(sources(100, pollers(11))).toEqual(['reserved-concurrency-bound Function']);
  });
});

describe('What a condition chooses', () => {
  const delayed = (yes: unknown, no: unknown) =>
    findViolations([
      {
        path: 'Shop',
        template: { Resources: { Queue: queue({ DelaySeconds: { 'Fn::If': ['Here', yes, no] } }) } },
      },
    ]).map(({ rule, found }) => `${rule}: ${found}`);

  it('is wrong when both are, and unknown when one may be right', () => {
    expect(delayed(901, 902)).toEqual(['queue-delay: DelaySeconds 901 seconds, or DelaySeconds 902 seconds']);
    expect(delayed(901, '901')).toEqual(['queue-delay: DelaySeconds 901 seconds']);
    expect(delayed(901, 900)).toEqual([]);
    expect(delayed(901, ref('AWS::NoValue'))).toEqual([]);
    expect(delayed(901, elsewhere)).toEqual([]);
  });

  it('in two queues at once', () => {
    const delays = (DelaySeconds: unknown) => queue({ DelaySeconds: { 'Fn::If': DelaySeconds } });
    expect(judge({ One: delays(['Here', 901, 0]), Two: delays(['Here', 0, 901]) })).toEqual([]);
  });
});

describe('Twins under conditions', () => {
  it('may have one name, of which only one is made', () => {
    const one = queue({ QueueName: 'orders' });
    const twins = (first?: string, second?: string) =>
      judge({ One: { ...one, Condition: first }, Two: { ...one, Condition: second } });
    expect(twins('Here', 'There')).toEqual([]);
    expect(twins('Here')).toEqual([]);
    expect(twins('Here', 'Here')).toEqual(['physical-name-unique Two']);
    expect(twins()).toEqual(['physical-name-unique Two']);
  });

  it('and an alarm may not have the name of a composite', () => {
    const named = { AlarmName: 'late', AlarmActions: [elsewhere] };
    expect(
      judge({
        One: { Type: 'AWS::CloudWatch::Alarm', Properties: named },
        Two: { Type: 'AWS::CloudWatch::CompositeAlarm', Properties: { ...named, AlarmRule: 'TRUE' } },
      }),
    ).toEqual(['physical-name-unique Two']);
  });

  it('and what only FIFO queues have may be said to be off on a standard one', () => {
    for (const off of [false, 'false'])
      expect(judge({ Queue: queue({ ContentBasedDeduplication: off }) })).toEqual([]);
    expect(judge({ Queue: queue({ ContentBasedDeduplication: 'true' }) })).toEqual(['fifo-attribute Queue']);
  });
});
