import {
  BatchExecuteStatementCommand,
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Server } from './messages.ts';

/** Conditional writes that are under way at once. */
const loops = 8;

/** Writes records under the condition that there is none, by the real SDK over HTTP. */
export interface Records {
  /** One call a record. */
  putEach(count: number): Promise<void>;
  /** Ten statements a call, as the runtime claims a batch. */
  insertTen(count: number): Promise<void>;
  close(): void;
}

/** Makes a table on a server, and the client that writes to it. */
export async function createRecords({ url }: Server): Promise<Records> {
  const client = new DynamoDBClient({ endpoint: url, region: 'us-east-1' });
  await client.send(
    new CreateTableCommand({
      TableName: 'bench',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  );
  let sequence = 0;
  const key = () => `sluice/orders order.placed:${sequence++}`;
  const repeat = async (calls: number, call: () => Promise<unknown>) => {
    let open = calls;
    const loop = async () => {
      while (open-- > 0) await call();
    };
    await Promise.all(Array.from({ length: loops }, loop));
  };
  return {
    putEach: (count) =>
      repeat(count, () =>
        client.send(
          new PutItemCommand({
            TableName: 'bench',
            Item: { pk: { S: key() }, state: { S: 'IN_PROGRESS' }, fence: { N: '1' } },
            ConditionExpression: 'attribute_not_exists(pk)',
          }),
        ),
      ),
    insertTen: (count) =>
      repeat(count / 10, async () => {
        const { Responses = [] } = await client.send(
          new BatchExecuteStatementCommand({
            Statements: Array.from({ length: 10 }, () => ({
              Statement: `INSERT INTO "bench" VALUE {'pk': ?, 'state': ?, 'fence': ?}`,
              Parameters: [{ S: key() }, { S: 'IN_PROGRESS' }, { N: '1' }],
            })),
          }),
        );
        const failed = Responses.find((response) => response.Error !== undefined);
        if (failed !== undefined) throw new Error(`A statement failed: ${JSON.stringify(failed.Error)}`);
      }),
    close: () => client.destroy(),
  };
}
