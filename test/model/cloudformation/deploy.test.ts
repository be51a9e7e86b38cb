import { afterEach, describe, expect, it } from 'vitest';
import { DeploymentError, type Template } from '../../../local/cloudformation/index.ts';
import { createLambda, type LambdaModel, workerExecutor } from '../../../local/lambda/index.ts';
import { assemblyOf, prepare } from './support.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const remove of open.splice(0)) remove();
});

const get = (logicalId: string, attribute: string) => ({ 'Fn::GetAtt': [logicalId, attribute] });
const ref = (name: string) => ({ Ref: name });

/** A topic, a queue with its dead-letter queue, a table, a role and a function, as CDK writes them, out of order. */
const shop: Template = {
  Parameters: {
    ProviderUrl: { Type: 'String', Default: 'http://provider' },
    BootstrapVersion: {
      Type: 'AWS::SSM::Parameter::Value<String>',
      Default: '/cdk-bootstrap/hnb659fds/version',
    },
  },
  Rules: { CheckBootstrapVersion: {} },
  Resources: {
    Source: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: get('Queue', 'Arn'),
        FunctionName: ref('Worker'),
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 5 },
      },
    },
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: { 'Fn::Sub': `assets-\${AWS::AccountId}-\${AWS::Region}` }, S3Key: 'abc.zip' },
        Environment: { Variables: { TABLE: ref('Records'), URL: ref('ProviderUrl') } },
        Handler: 'index.handler',
        Role: get('Role', 'Arn'),
        Runtime: 'nodejs22.x',
        MemorySize: 256,
      },
      DependsOn: ['Policy'],
    },
    Policy: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'WorkerPolicy',
        PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'sqs:*', Resource: get('Queue', 'Arn') }] },
        Roles: [ref('Role')],
      },
    },
    Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: { Statement: [] } } },
    Subscription: {
      Type: 'AWS::SNS::Subscription',
      Properties: {
        TopicArn: ref('Topic'),
        Protocol: 'sqs',
        Endpoint: get('Queue', 'Arn'),
        RawMessageDelivery: true,
        FilterPolicy: { type: ['order.placed'] },
      },
      DependsOn: ['QueuePolicy'],
    },
    QueuePolicy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        PolicyDocument: { Statement: [{ Resource: get('Queue', 'Arn') }] },
        Queues: [ref('Queue')],
      },
    },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        FifoQueue: true,
        VisibilityTimeout: 180,
        RedrivePolicy: { deadLetterTargetArn: get('DeadLetters', 'Arn'), maxReceiveCount: 100 },
      },
    },
    DeadLetters: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
    Topic: { Type: 'AWS::SNS::Topic', Properties: { FifoTopic: true } },
    Records: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        Replicas: [{ Region: ref('AWS::Region') }],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      },
      DeletionPolicy: 'Retain',
    },
  },
  Outputs: {
    QueueUrl: { Value: ref('Queue'), Export: { Name: 'shop-queue' } },
    TopicName: { Value: get('Topic', 'TopicName') },
  },
};

describe('A template is deployed to the model', () => {
  it('makes each resource after what it needs', async () => {
    const { deploy, seen } = prepare();
    await deploy(shop);
    const order = seen.map(({ action }) => action).filter((action) => action.startsWith('Create'));
    expect(order).toEqual([
      'CreateQueue',
      'CreateQueue',
      'CreateTable',
      'CreateFunction',
      'CreateEventSourceMapping',
      'CreateTopic',
    ]);
    const names = seen.map(({ action }) => action);
    expect(names.indexOf('SetQueueAttributes')).toBeLessThan(names.indexOf('Subscribe'));
  });

  it('hands over values, attributes, numbers and policies as the services take them', async () => {
    const { deploy, inputs } = prepare();
    const { resources } = await deploy(shop, { ProviderUrl: 'http://127.0.0.1:9000' });
    expect(inputs('CreateFunction')[0]).toMatchObject({
      Code: { S3Bucket: 'assets-000000000000-us-east-1', S3Key: 'abc.zip' },
      Environment: {
        Variables: { TABLE: resources.Records!.physicalId, URL: 'http://127.0.0.1:9000' },
      },
      Role: `arn:aws:iam::000000000000:role/${resources.Role!.physicalId}`,
    });
    const [deadLetters, queue] = inputs('CreateQueue');
    const DeadLetters = `arn:aws:sqs:us-east-1:000000000000:${deadLetters!.QueueName}`;
    expect(queue!.Attributes).toEqual({
      FifoQueue: 'true',
      VisibilityTimeout: '180',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: DeadLetters, maxReceiveCount: 100 }),
    });
    expect(inputs('Subscribe')[0]!.Attributes).toEqual({
      RawMessageDelivery: 'true',
      FilterPolicy: '{"type":["order.placed"]}',
    });
    expect(inputs('UpdateTimeToLive')).toEqual([
      {
        TableName: resources.Records!.physicalId,
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      },
    ]);
  });

  it('names resources as CloudFormation does, and keeps .fifo at the end', async () => {
    const { deploy } = prepare();
    const { resources, outputs } = await deploy(shop);
    expect(resources.Records!.physicalId).toMatch(/^Shop-Records-[A-Za-z0-9]{12}$/);
    expect(outputs.QueueUrl).toMatch(/\/Shop-Queue-[A-Za-z0-9]{12}\.fifo$/);
    expect(outputs.TopicName).toMatch(/^Shop-Topic-[A-Za-z0-9]{12}\.fifo$/);
    const long = 'A'.repeat(120);
    const cut = await deploy(
      { Resources: { [long]: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } } } },
      {},
      'B'.repeat(60),
    );
    expect(cut.resources[long]!.physicalId.split('/').at(-1)).toMatch(/^B{31}-A{30}-.{12}\.fifo$/);
  });

  it('leaves out FIFO attributes that say false, which the services refuse', async () => {
    const { deploy, inputs } = prepare();
    await deploy({
      Resources: {
        Topic: { Type: 'AWS::SNS::Topic', Properties: { FifoTopic: false, DisplayName: 'Orders' } },
        Queue: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: false } },
      },
    });
    expect(inputs('CreateTopic')[0]!.Attributes).toEqual({ DisplayName: 'Orders' });
    expect(inputs('CreateQueue')[0]!.Attributes).toEqual({});
  });

  it('keeps what roles may do', async () => {
    const { deploy, cloudformation, inputs } = prepare();
    await deploy(shop);
    const [role] = cloudformation.roles();
    expect(role!.policies.get('WorkerPolicy')).toEqual({
      Statement: [
        {
          Effect: 'Allow',
          Action: 'sqs:*',
          Resource: `arn:aws:sqs:us-east-1:000000000000:${inputs('CreateQueue')[1]!.QueueName}`,
        },
      ],
    });
  });

  it('resolves conditions, mappings and every function', async () => {
    const { deploy, inputs } = prepare();
    await deploy(
      {
        Parameters: { Stage: { Type: 'String' }, Names: { Type: 'CommaDelimitedList', Default: 'a,b' } },
        Mappings: { Sizes: { prod: { seconds: 60 }, test: { seconds: 5 } } },
        Conditions: {
          IsProd: { 'Fn::Equals': [ref('Stage'), 'prod'] },
          IsNot: { 'Fn::Not': [{ Condition: 'IsProd' }] },
          Both: {
            'Fn::And': [
              { Condition: 'IsProd' },
              { 'Fn::Or': [{ Condition: 'IsNot' }, { Condition: 'IsProd' }] },
            ],
          },
        },
        Resources: {
          Always: {
            Type: 'AWS::SQS::Queue',
            Properties: {
              QueueName: { 'Fn::Join': ['-', [{ 'Fn::Select': ['1', ref('Names')] }, ref('Stage')]] },
              VisibilityTimeout: { 'Fn::FindInMap': ['Sizes', ref('Stage'), 'seconds'] },
              DelaySeconds: { 'Fn::If': ['IsProd', ref('AWS::NoValue'), 7] },
              RedrivePolicy: {
                'Fn::If': [
                  'Both',
                  { zone: { 'Fn::Select': [0, { 'Fn::GetAZs': '' }] } },
                  ref('AWS::NoValue'),
                ],
              },
              Tags: [
                {
                  Key: 'sub',
                  Value: {
                    'Fn::Sub': [`\${Own}/\${AWS::StackName}/\${!Kept}`, { Own: { 'Fn::Base64': 'x' } }],
                  },
                },
                { Key: 'split', Value: { 'Fn::Select': [1, { 'Fn::Split': ['/', 'x/y'] }] } },
              ],
            },
          },
          OnlyInTest: { Type: 'AWS::SQS::Queue', Condition: 'IsNot' },
        },
      },
      { Stage: 'prod' },
    );
    expect(inputs('CreateQueue')).toEqual([
      {
        QueueName: 'b-prod',
        Attributes: { VisibilityTimeout: '60', RedrivePolicy: '{"zone":"us-east-1a"}' },
        tags: { sub: `eA==/Shop/\${Kept}`, split: 'y' },
      },
    ]);
  });

  it('lets one stack import what another exports', async () => {
    const { deploy, inputs, cloudformation } = prepare();
    const { outputs } = await deploy(shop);
    const other: Template = {
      Resources: {
        Policy: {
          Type: 'AWS::SQS::QueuePolicy',
          Properties: { PolicyDocument: {}, Queues: [{ 'Fn::ImportValue': 'shop-queue' }] },
        },
      },
    };
    await deploy(other, {}, 'Other');
    expect(inputs('SetQueueAttributes').at(-1)!.QueueUrl).toBe(outputs.QueueUrl);
    const { DeleteStack } = cloudformation.operations;
    await expect(DeleteStack!({ StackName: 'Shop' }, {})).rejects.toThrow(
      'Export shop-queue cannot be deleted as it is in use by Other',
    );
    await DeleteStack!({ StackName: 'Other' }, {});
    await DeleteStack!({ StackName: 'Shop' }, {});
    expect(inputs('DeleteQueue')).toHaveLength(2);
  });

  it('runs code that stands in the template', async () => {
    const { deploy, cloudformation, services } = prepare({
      makeLambda: (model, { sqs }) =>
        createLambda(model, { sqs, executor: workerExecutor({ log: () => undefined }) }),
    });
    const lambda = services.lambda as LambdaModel;
    open.push(lambda.stop);
    const { resources } = await deploy({
      Resources: {
        Inline: {
          Type: 'AWS::Lambda::Function',
          Properties: {
            Code: { ZipFile: 'exports.run = async (event) => event.number + 1;' },
            Handler: 'index.run',
            Role: 'role',
          },
        },
      },
    });
    const FunctionName = resources.Inline!.physicalId;
    const answer = (await lambda.operations.Invoke!(
      { FunctionName, Payload: Buffer.from('{"number":1}') },
      {},
    )) as {
      Payload: Uint8Array;
    };
    expect(Buffer.from(answer.Payload).toString()).toBe('2');
    await cloudformation.operations.DeleteStack!({ StackName: 'Shop' }, {});
    expect(lambda.environments()).toEqual([]);
  });

  it('says what has no effect, by property and logical ids', async () => {
    const { deploy } = prepare();
    const { warnings } = await deploy({
      Resources: {
        LogsA: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 7 } },
        LogsB: { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 7 } },
        All: { Type: 'AWS::CloudWatch::CompositeAlarm', Properties: { AlarmRule: 'TRUE' } },
      },
    });
    expect(warnings).toEqual([
      'AWS::Logs::LogGroup: RetentionInDays has no effect, the model keeps no logs: LogsA, LogsB',
      'All: it changes no state: the model evaluates no composite alarms',
    ]);
  });

  it('names what the model does not have of the policies by which it judges calls', async () => {
    const { deploy } = prepare();
    const trust = {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'lambda.amazonaws.com' } },
        ],
      },
    };
    const document = (Condition?: object) => ({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: '*', Resource: '*', Condition }],
    });
    const managed = (path: string) => ({
      'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::aws:policy/${path}`]],
    });
    const { warnings } = await deploy({
      Resources: {
        Known: {
          Type: 'AWS::IAM::Role',
          Properties: { ...trust, ManagedPolicyArns: [managed('service-role/AWSLambdaBasicExecutionRole')] },
        },
        Worker: {
          Type: 'AWS::IAM::Role',
          Properties: {
            ...trust,
            ManagedPolicyArns: [managed('AmazonEverything')],
            Policies: [
              { PolicyName: 'p', PolicyDocument: document({ Bool: { 'aws:SecureTransport': 'true' } }) },
              { PolicyName: 'q', PolicyDocument: document({ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }) },
            ],
          },
        },
        Rights: {
          Type: 'AWS::IAM::Policy',
          Properties: {
            PolicyName: 'rights',
            PolicyDocument: document({ StringEquals: { 'aws:PrincipalTag/team': { Ref: 'Worker' } } }),
            Roles: [{ Ref: 'Worker' }],
          },
        },
      },
    });
    const without = 'a statement with it allows nothing, and denies always';
    expect(warnings).toEqual([
      `AWS::IAM::Role: the model does not have the condition operator IpAddress: ${without}: Worker`,
      `AWS::IAM::Role: the model does not have the condition key aws:SourceIp: ${without}: Worker`,
      "AWS::IAM::Role: the model does not have AWS's policy AmazonEverything: it allows nothing; " +
        'put what is needed into a policy of the stack: Worker',
      `AWS::IAM::Policy: the model does not have the condition key aws:PrincipalTag/team: ${without}: Rights`,
    ]);
  });
});

describe('What the model cannot do is said before anything is made', () => {
  const refused = async (template: Template, parameters: Record<string, string> = {}) => {
    const { deploy, seen } = prepare();
    const error = await deploy(template, parameters).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(DeploymentError);
    expect(seen).toEqual([]);
    return (error as DeploymentError).faults;
  };

  it('lists all faults with their logical ids in one error', async () => {
    const faults = await refused({
      Parameters: { Needed: { Type: 'String' }, Size: { Type: 'Number', Default: 'big' } },
      Resources: {
        Machine: { Type: 'AWS::EC2::Instance' },
        Queue: { Type: 'AWS::SQS::Queue', Properties: { Colour: 'red', QueueName: ref('Nothing') } },
        Policy: {
          Type: 'AWS::SQS::QueuePolicy',
          Properties: { PolicyDocument: { 'Fn::Cidr': [] }, Queues: [get('Queue', 'Size')] },
          DependsOn: 'Missing',
        },
        Image: { Type: 'AWS::Lambda::Function', Properties: { Code: { ImageUri: 'image' } } },
        Snake: { Type: 'AWS::Lambda::Function', Properties: { Code: {}, Runtime: 'python3.13' } },
        Mail: {
          Type: 'AWS::SNS::Subscription',
          Properties: { TopicArn: 'arn', Protocol: 'http', Endpoint: 'http://a' },
        },
        Loud: {
          Type: 'AWS::SNS::Topic',
          Properties: { Subscription: [{ Protocol: 'sms', Endpoint: '+1' }] },
        },
      },
      Outputs: { Url: { Value: ref('Gone') } },
    });
    expect(faults).toEqual([
      'Parameter Needed has no value and no default.',
      'Parameter Size is "big": it has to be a number.',
      'Machine (AWS::EC2::Instance): the model does not have this type of resource.',
      'Queue (AWS::SQS::Queue): property Colour is not supported by the model.',
      'Queue (AWS::SQS::Queue): Nothing is neither a resource nor a parameter of the template.',
      'Policy (AWS::SQS::QueuePolicy): DependsOn names Missing, which is not there.',
      'Policy (AWS::SQS::QueuePolicy): Fn::Cidr is not a function that the model knows.',
      'Policy (AWS::SQS::QueuePolicy): Queue (AWS::SQS::Queue) has no attribute Size; it has Arn, QueueName, QueueUrl.',
      'Image (AWS::Lambda::Function): Code.ImageUri: the model runs no container images.',
      'Snake (AWS::Lambda::Function): Runtime is python3.13: the model runs Node.js functions only (nodejs20.x, nodejs22.x, nodejs24.x).',
      'Mail (AWS::SNS::Subscription): Protocol is http: the model knows queues and mailboxes only (sqs, email, email-json).',
      'Loud (AWS::SNS::Topic): Protocol is sms: the model knows queues and mailboxes only (sqs, email, email-json).',
      'Output Url: Gone is neither a resource nor a parameter of the template.',
    ]);
  });

  it('names a cycle', async () => {
    const queueAfter = (other: string) => ({
      Type: 'AWS::SQS::Queue',
      Properties: { RedrivePolicy: { deadLetterTargetArn: get(other, 'Arn') } },
    });
    const faults = await refused({
      Resources: { A: queueAfter('B'), B: queueAfter('C'), C: queueAfter('A') },
    });
    expect(faults).toEqual(['Circular dependency between resources: A -> B -> C -> A.']);
  });

  it.each([
    [
      'a parameter that is not there',
      {},
      { Other: '1' },
      'Parameter Other does not exist in the template; there are: none.',
    ],
    [
      'a value that is not allowed',
      { Stage: { Type: 'String', AllowedValues: ['a', 'b'] } },
      { Stage: 'c' },
      'Parameter Stage is "c": allowed are a, b.',
    ],
    [
      'a value that does not match',
      { Stage: { Type: 'String', AllowedPattern: '[a-z]+' } },
      { Stage: 'A' },
      'Parameter Stage is "A": it has to match [a-z]+.',
    ],
    [
      'a parameter from SSM',
      { Image: { Type: 'AWS::SSM::Parameter::Value<String>', Default: '/x' } },
      {},
      'Parameter Image reads /x from SSM, which the model does not have.',
    ],
  ])('refuses %s', async (_name, Parameters, values, fault) => {
    expect(
      await refused(
        { Parameters, Resources: { Queue: { Type: 'AWS::SQS::Queue' } } } as Template,
        values as Record<string, string>,
      ),
    ).toEqual([fault]);
  });

  it('names a condition that depends on itself', async () => {
    const faults = await refused({
      Conditions: { A: { 'Fn::Not': [{ Condition: 'B' }] }, B: { Condition: 'A' } },
      Resources: { Queue: { Type: 'AWS::SQS::Queue', Condition: 'A' } },
    });
    expect(faults).toEqual(['Queue (AWS::SQS::Queue): condition A depends on itself.']);
  });

  it('refuses what would meet a deployment that is under way', async () => {
    const { deploy, cloudformation } = prepare();
    const first = deploy(shop);
    await expect(deploy(shop)).rejects.toThrow(/is in CREATE_IN_PROGRESS state and can not be updated/);
    await expect(cloudformation.operations.DeleteStack!({ StackName: 'Shop' }, {})).rejects.toThrow(
      'Stack [Shop] cannot be deleted while in status CREATE_IN_PROGRESS',
    );
    expect((await first).outputs.TopicName).toBeDefined();
  });

  it('refuses an assembly without the stack', async () => {
    const { cloudformation } = prepare();
    const assembly = assemblyOf(
      { name: 'A', template: {}, parameters: {} },
      { name: 'B', template: {}, parameters: {} },
    );
    await expect(cloudformation.deploy(assembly)).rejects.toThrow(/has several stacks; name one of: A, B/);
    await expect(cloudformation.deploy(assembly, 'C')).rejects.toThrow(/has no stack C/);
  });
});

describe('A stack leaves nothing behind', () => {
  it('also when an output cannot be made: another stack exports that name, or nobody does', async () => {
    const { deploy, inputs } = prepare();
    await deploy(shop);
    const count = inputs('CreateQueue').length;
    await expect(deploy(shop, {}, 'Second')).rejects.toThrow(
      /Output QueueUrl: Export shop-queue is exported by stack Shop already$/,
    );
    const importing: Template = {
      Resources: { Queue: { Type: 'AWS::SQS::Queue' } },
      Outputs: { Imported: { Value: { 'Fn::ImportValue': 'nothing' } } },
    };
    await expect(deploy(importing, {}, 'Third')).rejects.toThrow(
      /Output Imported: No export named nothing found$/,
    );
    expect(inputs('CreateQueue')).toHaveLength(count + 3);
    expect(inputs('DeleteQueue')).toHaveLength(3);
  });

  it('removes what a failed creation made, but what is retained, in reverse order, and can be tried again', async () => {
    const { deploy, seen, cloudformation } = prepare({ fail: 'CreateEventSourceMapping' });
    await expect(deploy(shop)).rejects.toThrow(
      /^Stack Shop was not created\. Source \(AWS::Lambda::EventSourceMapping\): CreateEventSourceMapping fails$/,
    );
    const made = seen.filter(({ action }) => /^Create/.test(action)).map(({ action }) => action.slice(6));
    const removed = seen.filter(({ action }) => /^Delete/.test(action)).map(({ action }) => action.slice(6));
    expect(removed).toEqual(made.toReversed().filter((kind) => kind !== 'Table'));
    expect(cloudformation.roles()).toEqual([]);
    expect(await cloudformation.operations.DescribeStacks!({ StackName: 'Shop' }, {})).toMatchObject({
      Stacks: [{ StackStatus: 'ROLLBACK_COMPLETE', Outputs: [] }],
    });
    await expect(deploy(shop)).rejects.toThrow(/was not created/);
  });

  it('is shown by its resources and deleted, except what it retains', async () => {
    const { deploy, seen, cloudformation } = prepare();
    await deploy(shop);
    const { operations } = cloudformation;
    const shown = (await operations.ListStackResources!({ StackName: 'Shop' }, {})) as {
      StackResourceSummaries: { LogicalResourceId: string }[];
    };
    expect(shown.StackResourceSummaries).toHaveLength(10);
    expect(
      await operations.DescribeStackResource!({ StackName: 'Shop', LogicalResourceId: 'Source' }, {}),
    ).toMatchObject({
      StackResourceDetail: { PhysicalResourceId: 'mapping-id', ResourceStatus: 'CREATE_COMPLETE' },
    });
    await operations.DeleteStack!({ StackName: 'Shop' }, {});
    const removed = seen.map(({ action }) => action).filter((action) => action.startsWith('Delete'));
    expect(removed).toEqual([
      'DeleteTopic',
      'DeleteEventSourceMapping',
      'DeleteFunction',
      'DeleteQueue',
      'DeleteQueue',
    ]);
    expect(() => operations.DescribeStacks!({ StackName: 'Shop' }, {})).toThrow(
      'Stack with id Shop does not exist',
    );
  });
});
