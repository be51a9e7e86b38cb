import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAws } from '../../../local/aws.ts';
import { createEndpoint, type Endpoint } from '../../../local/http/index.ts';
import { postForm, postJson } from './fixtures.ts';

let endpoint: Endpoint;
let queue: string;
let stop: () => void;

const credential = 'X-Amz-Credential=test%2F20260101%2Fus-east-1%2Fsqs%2Faws4_request';
const get = (url: string, search = '') => fetch(`${url}?${search}${search === '' ? '' : '&'}${credential}`);

beforeAll(async () => {
  endpoint = await createEndpoint(
    (url) => {
      const aws = createAws({ endpoint: url });
      stop = aws.stop;
      return aws;
    },
    { port: 0 },
  );
  const made = await postJson(endpoint, 'AmazonSQS.CreateQueue', '{"QueueName":"wire"}');
  queue = ((await made.json()) as { QueueUrl: string }).QueueUrl;
});

afterAll(async () => {
  stop();
  await endpoint.close();
});

describe('SQS names its errors in JSON as AWS does, and in the header as the query protocol does', () => {
  it.each([
    [{ MessageBody: '' }, 'MissingRequiredParameterException', 'MissingParameter;Sender'],
    [
      { MessageBody: 'm', DelaySeconds: 901 },
      'InvalidParameterValueException',
      'InvalidParameterValue;Sender',
    ],
  ])('%j', async (input, type, header) => {
    const answer = await postJson(
      endpoint,
      'AmazonSQS.SendMessage',
      JSON.stringify({ QueueUrl: queue, ...input }),
    );
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-amzn-query-error')).toBe(header);
    expect(((await answer.json()) as { __type: string }).__type).toBe(`com.amazon.coral.service#${type}`);
  });

  it('leaves declared errors in the namespace of the service', async () => {
    const answer = await postJson(endpoint, 'AmazonSQS.GetQueueUrl', '{"QueueName":"nowhere"}');
    expect(await answer.json()).toMatchObject({
      __type: 'com.amazonaws.sqs#QueueDoesNotExist',
      message: 'The specified queue does not exist.',
    });
  });
});

describe('a queue’s own address answers the query protocol', () => {
  it('with a signature among the parameters', async () => {
    const answer = await get(queue, 'Action=GetQueueAttributes&AttributeName.1=QueueArn');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain(
      '<Attribute><Name>QueueArn</Name><Value>arn:aws:sqs:us-east-1:000000000000:wire</Value></Attribute>',
    );
  });

  it('an empty receive is an empty element', async () => {
    expect(await (await get(queue, 'Action=ReceiveMessage')).text()).toContain('<ReceiveMessageResult/>');
  });

  it.each(['FooBar', 'CreateQueue', 'ListQueues'])('the action %s is none of it', async (action) => {
    const answer = await get(queue, `Action=${action}&QueueName=x`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(
      `<Type>Sender</Type><Code>InvalidAction</Code><Message>The action ${action} is not valid for this endpoint.</Message>`,
    );
  });

  it('no action at all is an unknown operation', async () => {
    const answer = await get(queue);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe('<UnknownOperationException/>\n');
  });

  it('of a queue that is not there it speaks of the wsdl version', async () => {
    const answer = await get(`${queue}-gone`, 'Action=GetQueueAttributes&AttributeName.1=All');
    expect(await answer.text()).toContain(
      '<Code>AWS.SimpleQueueService.NonExistentQueue</Code><Message>The specified queue does not exist for this wsdl version.</Message>',
    );
  });

  it('lists queues at the root', async () => {
    const answer = await postForm(endpoint, 'sqs', { Action: 'ListQueues', Version: '2012-11-05' });
    expect(await answer.text()).toContain(`<QueueUrl>${queue}</QueueUrl>`);
  });
});

describe('the trace header of a request', () => {
  it.each([
    ['SendMessage', { MessageBody: 'm' }],
    ['SendMessageBatch', { Entries: [{ Id: 'a', MessageBody: 'm' }] }],
  ])('becomes that of a message sent by %s', async (action, input) => {
    const trace = 'Root=1-3152b799-8954dae64eda91bc9a23a7e8;Parent=7fa8c0f79203be72;Sampled=1';
    await fetch(endpoint.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
        'x-amzn-trace-id': trace,
      },
      body: JSON.stringify({ QueueUrl: queue, ...input }),
    });
    const request = { QueueUrl: queue, MessageSystemAttributeNames: ['AWSTraceHeader'], WaitTimeSeconds: 5 };
    const answer = await postJson(endpoint, 'AmazonSQS.ReceiveMessage', JSON.stringify(request));
    const { Messages } = (await answer.json()) as { Messages: { Attributes: object }[] };
    expect(Messages[0]?.Attributes).toEqual({ AWSTraceHeader: trace });
  });
});
