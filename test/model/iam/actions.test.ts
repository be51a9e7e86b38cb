import { describe, expect, it } from 'vitest';
import { createAws } from '../../../local/aws.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { actionRows } from '../../../local/iam/index.ts';

describe('every action of the model is judged', () => {
  const aws = createAws({ clock: createVirtualClock() });
  aws.stop();

  it.each(Object.values(aws.services).map((service) => [service.id, service] as const))(
    'each one of %s has a row that says what it needs',
    (id, service) => {
      const known = Object.keys(actionRows[id] ?? {});
      expect(Object.keys(service.operations).filter((action) => !known.includes(action))).toEqual([]);
    },
  );
});

const place = { account: '123456789012', region: 'eu-west-1', partitionKey: () => 'pk' };
const needed = (service: string, action: string, input: object) => {
  const row = actionRows[service]?.[action];
  if (row === undefined || typeof row === 'string') return row;
  return [row(input as Readonly<Record<string, unknown>>, place)]
    .flat()
    .map(({ action: name, resource }) => `${name} ${resource}`);
};

const QueueUrl = 'http://127.0.0.1:4566/111111111111/orders';
const queue = 'arn:aws:sqs:eu-west-1:111111111111:orders';
const table = 'arn:aws:dynamodb:eu-west-1:123456789012:table/t';
const select = { Statement: `SELECT * FROM "t"."byDay" WHERE day = '1'` };
const insert = { Statement: `INSERT INTO "t" VALUE {'pk': 'a'}` };
const update = { Statement: `UPDATE "t" SET n = 1 WHERE pk = 'a'` };
const remove = { Statement: `DELETE FROM "t" WHERE pk = 'a'` };

describe('what an action needs', () => {
  it.each<[string, string, object, readonly string[]]>([
    ['sqs', 'SendMessage', { QueueUrl }, [`sqs:SendMessage ${queue}`]],
    ['sqs', 'SendMessageBatch', { QueueUrl }, [`sqs:SendMessage ${queue}`]],
    ['sqs', 'DeleteMessageBatch', { QueueUrl }, [`sqs:DeleteMessage ${queue}`]],
    ['sqs', 'ChangeMessageVisibilityBatch', { QueueUrl }, [`sqs:ChangeMessageVisibility ${queue}`]],
    [
      'sqs',
      'ReceiveMessage',
      { QueueUrl: 'orders' },
      ['sqs:ReceiveMessage arn:aws:sqs:eu-west-1:123456789012:orders'],
    ],
    [
      'sqs',
      'GetQueueUrl',
      { QueueName: 'orders', QueueOwnerAWSAccountId: '111111111111' },
      [`sqs:GetQueueUrl ${queue}`],
    ],
    ['sns', 'PublishBatch', { TopicArn: 'arn:t' }, ['sns:Publish arn:t']],
    [
      'sns',
      'Unsubscribe',
      { SubscriptionArn: 'arn:aws:sns:r:1:t:id' },
      ['sns:Unsubscribe arn:aws:sns:r:1:t'],
    ],
    ['dynamodb', 'PutItem', { TableName: 't' }, [`dynamodb:PutItem ${table}`]],
    ['dynamodb', 'PutItem', { TableName: table }, [`dynamodb:PutItem ${table}`]],
    ['dynamodb', 'Query', { TableName: 't', IndexName: 'i' }, [`dynamodb:Query ${table}/index/i`]],
    ['dynamodb', 'Scan', { TableName: 't' }, [`dynamodb:Scan ${table}`]],
    ['dynamodb', 'BatchGetItem', { RequestItems: { t: {} } }, [`dynamodb:BatchGetItem ${table}`]],
    ['dynamodb', 'BatchWriteItem', { RequestItems: { t: [] } }, [`dynamodb:BatchWriteItem ${table}`]],
    ['dynamodb', 'ExecuteStatement', select, [`dynamodb:PartiQLSelect ${table}/index/byDay`]],
    [
      'dynamodb',
      'ExecuteTransaction',
      { TransactStatements: [insert, update, remove] },
      [
        `dynamodb:PartiQLInsert ${table}`,
        `dynamodb:PartiQLUpdate ${table}`,
        `dynamodb:PartiQLDelete ${table}`,
      ],
    ],
    ['dynamodb', 'ExecuteStatement', { Statement: 'no statement' }, []],
    [
      'dynamodb',
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 't' } },
          { Update: { TableName: 't' } },
          { Delete: { TableName: 't' } },
          { ConditionCheck: { TableName: 't' } },
        ],
      },
      ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map(
        (each) => `dynamodb:${each} ${table}`,
      ),
    ],
    [
      'dynamodb',
      'TransactGetItems',
      { TransactItems: [{ Get: { TableName: 't' } }] },
      [`dynamodb:GetItem ${table}`],
    ],
    [
      'dynamodbstreams',
      'GetRecords',
      { ShardIterator: `${table}/stream/1|1|x` },
      [`dynamodb:GetRecords ${table}/stream/1`],
    ],
    ['cloudwatch', 'PutMetricData', { Namespace: 'x' }, ['cloudwatch:PutMetricData *']],
    [
      'lambda',
      'Invoke',
      { FunctionName: 'f', Qualifier: 'live' },
      ['lambda:InvokeFunction arn:aws:lambda:eu-west-1:123456789012:function:f:live'],
    ],
    ['s3', 'HeadObject', { Bucket: 'b', Key: 'k' }, ['s3:GetObject arn:aws:s3:::b/k']],
    [
      's3',
      'CopyObject',
      { Bucket: 'b', Key: 'k', CopySource: '/a/x%20y?versionId=1' },
      ['s3:GetObject arn:aws:s3:::a/x y', 's3:PutObject arn:aws:s3:::b/k'],
    ],
    ['s3', 'ListObjectsV2', { Bucket: 'b' }, ['s3:ListBucket arn:aws:s3:::b']],
    [
      'ssm',
      'GetParameter',
      { Name: '/orders/url' },
      ['ssm:GetParameter arn:aws:ssm:eu-west-1:123456789012:parameter/orders/url'],
    ],
  ])('%s %s %j', (service, action, input, demands) => {
    expect(needed(service, action, input)).toEqual(demands);
  });

  it('is nothing to find out who one is', () => {
    expect(needed('sts', 'GetCallerIdentity', {})).toBe('nothing');
  });

  it('brings the partition keys of its items, where they can be told', () => {
    const keysOf = (action: string, input: object) => {
      const row = actionRows.dynamodb?.[action];
      if (row === undefined || typeof row === 'string') return undefined;
      const [first] = [row(input as Readonly<Record<string, unknown>>, place)].flat();
      return first?.conditions?.()['dynamodb:leadingkeys'];
    };
    const Key = { pk: { S: 'a' } };
    expect(keysOf('GetItem', { TableName: 't', Key })).toEqual(['a']);
    expect(keysOf('BatchGetItem', { RequestItems: { t: { Keys: [Key, { pk: { S: 'b' } }] } } })).toEqual([
      'a',
      'b',
    ]);
    expect(keysOf('TransactWriteItems', { TransactItems: [{ Put: { TableName: 't', Item: Key } }] })).toEqual(
      ['a'],
    );
    const query = { TableName: 't', ExpressionAttributeValues: { ':k': { S: 'a' }, ':n': { N: '1' } } };
    expect(
      keysOf('Query', {
        ...query,
        KeyConditionExpression: 'n = :n AND #key = :k',
        ExpressionAttributeNames: { '#key': 'pk' },
      }),
    ).toEqual(['a']);
    const untold = keysOf('ExecuteStatement', select);
    expect(keysOf('Query', { ...query, KeyConditionExpression: 'other = :k' })).toBe(untold);
    expect(typeof untold).toBe('string');
  });
});
