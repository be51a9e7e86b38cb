import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';

const client = new DynamoDBClient({});
const TableName = process.env.RECORDS;
const queue = process.env.QUEUE;

/** The function of the probe stack: a record for each message, under the name of the queue that it came through. */
export async function handler(event: { Records: readonly { body: string }[] }): Promise<void> {
  await Promise.all(
    event.Records.map(({ body }) =>
      client.send(
        new PutItemCommand({ TableName, Item: { pk: { S: `${queue}#${body}` }, body: { S: body } } }),
      ),
    ),
  );
}
