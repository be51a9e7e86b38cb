import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../local/http/index.ts';
import { ServiceError } from '../../../local/service.ts';
import { authorization, postForm, postJson, serveFakes } from './fixtures.ts';

let endpoint: Endpoint;
const faults: unknown[] = [];
const seen: object[] = [];

beforeAll(async () => {
  const echo = (input: object) => {
    seen.push(input);
    return {};
  };
  endpoint = await serveFakes(
    {
      sqs: {
        SendMessage: echo,
        ReceiveMessage: () => {
          throw new TypeError('a bug');
        },
        GetQueueUrl: () => {
          throw new ServiceError('QueueDoesNotExist', 'It is not there.', {
            queryCode: 'AWS.SimpleQueueService.NonExistentQueue',
          });
        },
      },
      sns: { Publish: echo },
      dynamodb: { PutItem: echo },
      cloudwatch: { PutMetricData: echo },
      lambda: { Invoke: () => ({ StatusCode: 200 }) },
    },
    { onFault: (error) => faults.push(error) },
  );
});

afterAll(() => endpoint.close());

describe('what the model does not know is refused in the service’s own shape, with what it knows', () => {
  test('an action in JSON', async () => {
    const response = await postJson(endpoint, 'AmazonSQS.Teleport', '{}');
    expect(response.status).toBe(400);
    expect(response.headers.get('x-amzn-query-error')).toBe('InvalidAction;Sender');
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({
      __type: 'com.amazon.coral.service#UnknownOperationException',
      message:
        'The model of AWS knows no action "Teleport" of sqs. It knows: GetQueueUrl, ReceiveMessage, SendMessage.',
    });
  });

  test('an action that is a property of every object', async () => {
    const response = await postJson(endpoint, 'AmazonSQS.constructor', '{}');
    expect(await response.json()).toMatchObject({ __type: expect.stringContaining('UnknownOperation') });
  });

  test('an action in the query protocol', async () => {
    const response = await postForm(endpoint, 'sns', { Action: 'Sing', Version: '2010-03-31' });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(
      /<ErrorResponse xmlns="http:\/\/sns.*<Code>InvalidAction<\/Code>.*&#x22;Sing&#x22; of sns. It knows: Publish/,
    );
  });

  test('a path of Lambda', async () => {
    const response = await fetch(`${endpoint.url}/2015-03-31/layers`, {
      headers: { authorization: authorization('lambda') },
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ Message: expect.stringContaining('It knows: Invoke.') });
  });

  test('a service, by target, by version, by signature and by nothing at all', async () => {
    expect(await (await postJson(endpoint, 'Kinesis_20131202.PutRecord', '{}')).json()).toMatchObject({
      message:
        'The model of AWS has no service "Kinesis_20131202". It has: sqs, sns, dynamodb, cloudwatch, lambda.',
    });
    expect(await (await postForm(endpoint, 'ec2', { Action: 'RunInstances' })).text()).toContain(
      'no service &#x22;ec2&#x22;',
    );
    const s3 = await fetch(`${endpoint.url}/bucket`, { headers: { authorization: authorization('s3') } });
    expect(s3.status).toBe(501);
    expect(await s3.text()).toContain('<Error><Code>UnknownServiceException</Code>');
    expect((await fetch(endpoint.url)).status).toBe(501);
  });
});

describe('a service that the model does not have is named as people call it', () => {
  const signedJson = async (target: string, service: string) => {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'x-amz-target': target, authorization: authorization(service) },
      body: '{}',
    });
    return { status: response.status, ...((await response.json()) as { message: string }) };
  };

  test.each([
    ['Logs_20140328.DescribeLogGroups', 'logs'],
    ['TrentService.ListKeys', 'kms'],
    ['AWSEvents.ListRules', 'events'],
    ['Kinesis_20131202.ListStreams', 'kinesis'],
  ])('%s is of %s', async (target, name) => {
    expect(await signedJson(target, name)).toMatchObject({
      status: 501,
      message: `The model of AWS has no service "${name}". It has: sqs, sns, dynamodb, cloudwatch, lambda.`,
    });
  });

  test('in the path of RPC v2', async () => {
    const response = await fetch(`${endpoint.url}/service/Logs_20140328/operation/DescribeLogGroups`, {
      method: 'POST',
      headers: { 'smithy-protocol': 'rpc-v2-cbor', authorization: authorization('logs') },
    });
    expect(response.status).toBe(501);
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toContain('no service "logs"');
  });

  test('one that is signed for as a service that is there keeps its own name', async () => {
    expect((await signedJson('DynamoDB_20111205.GetItem', 'dynamodb')).message).toContain(
      'no service "DynamoDB_20111205"',
    );
  });
});

describe('a body that cannot be meant is the caller’s error', () => {
  const wrong: [string, string][] = [
    ['not JSON', '{"QueueUrl":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a number for text', '{"MessageBody":5}'],
    ['text for a number', '{"DelaySeconds":"5"}'],
    ['bytes that are no base64', '{"MessageAttributes":{"a":{"BinaryValue":"***"}}}'],
    ['a list for a map', '{"MessageAttributes":[1]}'],
  ];
  test.each(wrong)('%s', async (_, body) => {
    const response = await postJson(endpoint, 'AmazonSQS.SendMessage', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      __type: 'com.amazon.coral.service#SerializationException',
    });
  });

  test('nested without end', async () => {
    const depth = 100_000;
    const item = `${'{"M":{"a":'.repeat(depth)}{"S":"x"}${'}}'.repeat(depth)}`;
    const response = await postJson(endpoint, 'DynamoDB_20120810.PutItem', `{"Item":{"a":${item}}}`);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('levels deep') });
  });

  test('larger than any request of a service', async () => {
    const response = await postJson(endpoint, 'AmazonSQS.SendMessage', new Uint8Array(71 * 1024 * 1024));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('at most 73400320') });
  });

  test('a form with a broken escape, or a number that is none', async () => {
    const response = await fetch(`${endpoint.url}/?Action=Publish&Version=2010-03-31&Message=%zz`);
    expect(response.status).toBe(400);
    const metric = { Action: 'PutMetricData', Version: '2010-08-01', 'MetricData.member.1.Value': 'many' };
    expect(await (await postForm(endpoint, 'monitoring', metric)).text()).toContain('MalformedInput');
  });

  test('null counts as absent, unknown members are left alone, gzip is unpacked', async () => {
    const body = gzipSync('{"QueueUrl":"q","MessageBody":null,"Surprise":1}');
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'x-amz-target': 'AmazonSQS.SendMessage', 'content-encoding': 'gzip' },
      body: new Uint8Array(body),
    });
    expect(response.status).toBe(200);
    expect(seen.at(-1)).toEqual({ QueueUrl: 'q', Surprise: 1 });
  });
});

test('a fault of the model itself is a 500 for the caller, and reported', async () => {
  const response = await postJson(endpoint, 'AmazonSQS.ReceiveMessage', '{}');
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ __type: 'com.amazonaws.sqs#InternalFailure' });
  expect(faults).toMatchObject([{ message: 'a bug' }]);
});

test('an error has the code of each protocol', async () => {
  const json = await postJson(endpoint, 'AmazonSQS.GetQueueUrl', '{}');
  expect(json.headers.get('x-amzn-query-error')).toBe('AWS.SimpleQueueService.NonExistentQueue;Sender');
  expect(await json.json()).toEqual({
    __type: 'com.amazonaws.sqs#QueueDoesNotExist',
    message: 'It is not there.',
  });
});
