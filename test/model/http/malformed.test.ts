import fc from 'fast-check';
import { createAws } from 'sluice/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEndpoint, type Endpoint } from '../../../local/http/index.ts';
import { authorization } from './fixtures.ts';

let endpoint: Endpoint;
let stop: () => void;
const faults: unknown[] = [];

beforeAll(async () => {
  endpoint = await createEndpoint(
    (url) => {
      const aws = createAws({ endpoint: url });
      stop = aws.stop;
      return aws;
    },
    { port: 0, onFault: (error, action) => faults.push([action, error]) },
  );
});

afterAll(async () => {
  stop();
  await endpoint.close();
});

const actions = [
  'AmazonSQS.SendMessage',
  'AmazonSQS.CreateQueue',
  'AmazonSQS.SetQueueAttributes',
  'AmazonSQS.DeleteMessageBatch',
  'DynamoDB_20120810.PutItem',
  'DynamoDB_20120810.CreateTable',
  'DynamoDB_20120810.TransactWriteItems',
  'DynamoDB_20120810.ExecuteStatement',
  'GraniteServiceVersion20100801.PutMetricData',
  'GraniteServiceVersion20100801.PutMetricAlarm',
];

/** Members that the services have, with values that they may not expect. */
const input = fc.dictionary(
  fc.constantFrom(
    'QueueUrl',
    'QueueName',
    'Attributes',
    'Entries',
    'MessageBody',
    'MessageAttributes',
    'TableName',
    'Item',
    'Key',
    'KeySchema',
    'AttributeDefinitions',
    'BillingMode',
    'TransactItems',
    'Statement',
    'Parameters',
    'Namespace',
    'MetricData',
    'AlarmName',
    'Metrics',
    '__proto__',
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('', 'a', '0', [], {}, [{}], [{ Id: 'a' }], { a: { S: 'x' } }, { a: {} }, -1, 1e308),
  ),
);

test('whatever is sent, the endpoint answers as a service would and goes on', async () => {
  const json = fc.record({
    kind: fc.constant('json'),
    action: fc.constantFrom(...actions),
    body: fc.oneof(
      input.map((value) => JSON.stringify(value)),
      fc.string(),
      fc.json(),
    ),
  });
  const form = fc.record({
    kind: fc.constant('form'),
    action: fc.constantFrom('sns', 'sqs', 'monitoring', 'cloudformation', 'sts', 'ec2'),
    body: fc.oneof(
      fc.string(),
      fc.webQueryParameters(),
      fc.webQueryParameters().map((text) => `Action=Publish&${text}`),
    ),
  });
  const raw = fc.record({
    kind: fc.constant('raw'),
    action: fc.webPath(),
    body: fc.uint8Array({ maxLength: 300 }),
  });
  const cbor = fc.record({
    kind: fc.constant('cbor'),
    action: fc.constantFrom('PutMetricData', 'DescribeAlarms'),
    body: fc.uint8Array({ maxLength: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(json, form, raw, cbor), async ({ kind, action, body }) => {
      const path =
        kind === 'cbor'
          ? `/service/GraniteServiceVersion20100801/operation/${action}`
          : kind === 'raw'
            ? action
            : '/';
      const headers: Record<string, string> =
        kind === 'json'
          ? { 'x-amz-target': action }
          : kind === 'form'
            ? { 'content-type': 'application/x-www-form-urlencoded', authorization: authorization(action) }
            : {};
      const response = await fetch(endpoint.url + path, {
        method: 'POST',
        headers,
        body: body as string | Uint8Array<ArrayBuffer>,
      });
      await response.arrayBuffer();
      expect(faults).toEqual([]);
      expect([200, 202, 400, 403, 404, 405, 409, 501]).toContain(response.status);
    }),
    { numRuns: 400 },
  );
  expect((await fetch(`${endpoint.url}/_sluice/health`)).status).toBe(200);
});
