import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricStatisticsCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import {
  CreateTopicCommand,
  PublishBatchCommand,
  PublishCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type AwsModel, createAws } from 'sluice/local';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeCbor, encodeCbor } from '../../../local/http/cbor.ts';
import { createEndpoint, type Endpoint } from '../../../local/http/index.ts';
import { clientSettings, postForm } from './fixtures.ts';

let aws: AwsModel;
let endpoint: Endpoint;

beforeAll(async () => {
  endpoint = await createEndpoint(
    (url) => {
      aws = createAws({ endpoint: url });
      return aws;
    },
    { port: 0 },
  );
});

afterAll(async () => {
  aws.stop();
  await endpoint.close();
});

describe('the SDK speaks to the endpoint as it speaks to AWS', () => {
  test('SQS: text, attributes and bytes travel through a FIFO queue', async () => {
    const sqs = new SQSClient(clientSettings(endpoint));
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: 'orders.fifo', Attributes: { FifoQueue: 'true' } }),
    );
    expect(QueueUrl).toBe(`${endpoint.url}/000000000000/orders.fifo`);
    const note = { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255, 7]) };
    await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: 'für Ærø <&> 🚲',
        MessageAttributes: { note, kind: { DataType: 'String', StringValue: 'a' } },
        MessageGroupId: 'g',
        MessageDeduplicationId: 'd',
      }),
    );
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] }),
    );
    const received = Messages.find(({ Body }) => Body === 'für Ærø <&> 🚲');
    expect(received?.MessageAttributes?.note?.BinaryValue).toEqual(note.BinaryValue);
    const { Successful, Failed } = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: 'good', ReceiptHandle: received?.ReceiptHandle },
          { Id: 'bad', ReceiptHandle: 'made up' },
        ],
      }),
    );
    expect(Successful).toEqual([{ Id: 'good' }]);
    expect(Failed).toMatchObject([{ Id: 'bad', SenderFault: true }]);
    await expect(
      sqs.send(new SendMessageCommand({ QueueUrl: `${endpoint.url}/000000000000/none`, MessageBody: 'x' })),
    ).rejects.toMatchObject({ name: 'QueueDoesNotExist', $fault: 'client' });
  });

  test('SNS: a publish and a batch reach a subscribed queue', async () => {
    const sqs = new SQSClient(clientSettings(endpoint));
    const sns = new SNSClient(clientSettings(endpoint));
    const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'news' }));
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'readers' }));
    const Policy = JSON.stringify({
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: 'sns.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: '*',
        },
      ],
    });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await sns.send(
      new SubscribeCommand({
        TopicArn,
        Protocol: 'sqs',
        Endpoint: 'arn:aws:sqs:us-east-1:000000000000:readers',
        Attributes: { RawMessageDelivery: 'true' },
      }),
    );
    const stamp = { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2, 3]) };
    const { MessageId } = await sns.send(
      new PublishCommand({ TopicArn, Message: 'a & b = "c" + d%', MessageAttributes: { stamp } }),
    );
    expect(MessageId).toBeTruthy();
    const { Successful } = await sns.send(
      new PublishBatchCommand({
        TopicArn,
        PublishBatchRequestEntries: [
          { Id: '1', Message: 'one' },
          { Id: '2', Message: 'two' },
        ],
      }),
    );
    expect(Successful).toHaveLength(2);
    const bodies: string[] = [];
    while (bodies.length < 3) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 5,
          MessageAttributeNames: ['All'],
        }),
      );
      for (const { Body = '', MessageAttributes } of Messages) {
        bodies.push(Body);
        if (Body.startsWith('a')) expect(MessageAttributes?.stamp?.BinaryValue).toEqual(stamp.BinaryValue);
      }
    }
    expect(bodies.sort()).toEqual(['a & b = "c" + d%', 'one', 'two']);
    await expect(
      sns.send(new PublishCommand({ TopicArn: `${TopicArn}-gone`, Message: 'x' })),
    ).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  test('DynamoDB: an item with bytes and nested values, and the item that failed a condition', async () => {
    const dynamodb = new DynamoDBClient(clientSettings(endpoint));
    await dynamodb.send(
      new CreateTableCommand({
        TableName: 'records',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      }),
    );
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: 'records' }));
    expect(Table?.CreationDateTime).toBeInstanceOf(Date);
    const Item = {
      pk: { S: 'a' },
      bytes: { B: new Uint8Array([9, 8]) },
      nested: { M: { list: { L: [{ N: '1' }, { NULL: true as const }, { BS: [new Uint8Array([5])] }] } } },
    };
    await dynamodb.send(new PutItemCommand({ TableName: 'records', Item }));
    const found = await dynamodb.send(new GetItemCommand({ TableName: 'records', Key: { pk: Item.pk } }));
    expect(found.Item).toEqual(Item);
    await expect(
      dynamodb.send(
        new PutItemCommand({
          TableName: 'records',
          Item,
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    ).rejects.toMatchObject({ name: 'ConditionalCheckFailedException', Item });
  });

  test('CloudWatch: data with a moment of its own, and an alarm', async () => {
    const cloudwatch = new CloudWatchClient(clientSettings(endpoint));
    const now = Math.floor(aws.context.clock.now() / 60_000) * 60_000;
    await cloudwatch.send(
      new PutMetricDataCommand({
        Namespace: 'shop',
        MetricData: [{ MetricName: 'sold', Timestamp: new Date(now - 60_000), Value: 3 }],
      }),
    );
    const { Datapoints } = await cloudwatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'shop',
        MetricName: 'sold',
        StartTime: new Date(now - 600_000),
        EndTime: new Date(now + 60_000),
        Period: 60,
        Statistics: ['Sum'],
      }),
    );
    expect(Datapoints).toMatchObject([{ Sum: 3, Timestamp: new Date(now - 60_000) }]);
    await cloudwatch.send(
      new PutMetricAlarmCommand({
        AlarmName: 'quiet',
        Namespace: 'shop',
        MetricName: 'sold',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 1,
        ComparisonOperator: 'LessThanThreshold',
      }),
    );
    const { MetricAlarms } = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: ['quiet'] }));
    expect(MetricAlarms).toMatchObject([{ AlarmName: 'quiet', Threshold: 1 }]);
    expect(MetricAlarms?.[0]?.StateUpdatedTimestamp).toBeInstanceOf(Date);
  });

  test('Lambda, CloudFormation and STS answer, and say what is not there', async () => {
    const lambda = new LambdaClient(clientSettings(endpoint));
    expect((await lambda.send(new ListFunctionsCommand({ MaxItems: 10 }))).Functions).toEqual([]);
    expect((await lambda.send(new ListEventSourceMappingsCommand({}))).EventSourceMappings).toEqual([]);
    await expect(
      lambda.send(new InvokeCommand({ FunctionName: 'none', Payload: '{"a":1}' })),
    ).rejects.toMatchObject({ name: 'ResourceNotFoundException', $metadata: { httpStatusCode: 404 } });
    const cloudformation = new CloudFormationClient(clientSettings(endpoint));
    expect((await cloudformation.send(new DescribeStacksCommand({}))).Stacks).toEqual([]);
    await expect(cloudformation.send(new DescribeStacksCommand({ StackName: 'none' }))).rejects.toMatchObject(
      { name: 'ValidationError', message: expect.stringContaining('none') },
    );
    const { Account } = await new STSClient(clientSettings(endpoint)).send(new GetCallerIdentityCommand({}));
    expect(Account).toBe('000000000000');
  });
});

describe('older and newer clients are understood too', () => {
  test('SQS by the query protocol, at the queue’s own URL', async () => {
    const sqs = new SQSClient(clientSettings(endpoint));
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: 'old', Attributes: { VisibilityTimeout: '77' } }),
    );
    const byGet = await fetch(
      `${QueueUrl}?Action=GetQueueAttributes&Version=2012-11-05&AttributeName.1=VisibilityTimeout`,
    );
    expect(await byGet.text()).toContain(
      '<Attribute><Name>VisibilityTimeout</Name><Value>77</Value></Attribute>',
    );
    const sent = await postForm(endpoint, 'sqs', {
      Action: 'SendMessage',
      Version: '2012-11-05',
      QueueUrl: String(QueueUrl),
      MessageBody: 'hello',
      'MessageAttribute.1.Name': 'kind',
      'MessageAttribute.1.Value.DataType': 'String',
      'MessageAttribute.1.Value.StringValue': 'x',
    });
    expect(await sent.text()).toContain(
      '<MD5OfMessageBody>5d41402abc4b2a76b9719d911017c592</MD5OfMessageBody>',
    );
    const attributes = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    );
    expect(attributes.Attributes).toEqual({ ApproximateNumberOfMessages: '1' });
    const wrong = await postForm(endpoint, 'sqs', {
      Action: 'GetQueueUrl',
      Version: '2012-11-05',
      QueueName: 'none',
    });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('<Code>AWS.SimpleQueueService.NonExistentQueue</Code>');
  });

  test('CloudWatch by RPC v2 CBOR, as the AWS CLI speaks', async () => {
    const call = async (action: string, input: object) => {
      const response = await fetch(
        `${endpoint.url}/service/GraniteServiceVersion20100801/operation/${action}`,
        {
          method: 'POST',
          headers: { 'smithy-protocol': 'rpc-v2-cbor', 'content-type': 'application/cbor' },
          body: new Uint8Array(encodeCbor(input)),
        },
      );
      expect(response.headers.get('smithy-protocol')).toBe('rpc-v2-cbor');
      return { status: response.status, body: decodeCbor(new Uint8Array(await response.arrayBuffer())) };
    };
    const moment = new Date(Math.floor(aws.context.clock.now() / 60_000) * 60_000);
    const data = [{ MetricName: 'm', Value: 1.5, Timestamp: moment }];
    expect(await call('PutMetricData', { Namespace: 'cbor', MetricData: data })).toMatchObject({
      status: 200,
    });
    const { body } = await call('ListMetrics', { Namespace: 'cbor' });
    expect(body).toMatchObject({ Metrics: [{ Namespace: 'cbor', MetricName: 'm' }] });
    expect(await call('Nonsense', {})).toMatchObject({
      status: 400,
      body: { __type: 'com.amazon.coral.service#UnknownOperationException' },
    });
  });
});
