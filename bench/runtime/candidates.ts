import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient, type Update, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { OrderPlaced, orders } from '../../examples/orders/topology.ts';
import { consume } from '../../lambda/runtime/index.ts';
import { environment } from '../../lib/topology/index.ts';
import type { Tape } from './tape.ts';

/** Names of the tables. */
export const tables = {
  sluice: 'sluice-records',
  powertools: 'powertools-records',
  effects: 'effects',
} as const;

/** What is measured: the handler does nothing, or writes to DynamoDB. */
export type Effect = 'elsewhere' | 'in DynamoDB';

/** A Lambda function for a queue, on a tape. */
export interface Candidate {
  readonly tape: Tape;
  /** @throws when a message of the batch was not done */
  invoke(event: SQSEvent): Promise<void>;
  /** How often the handler ran. */
  handled(): number;
}

const lambda = {
  awsRequestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
  functionName: 'bench',
  getRemainingTimeInMillis: () => 30_000,
} as Context;

/** The effect of an order in DynamoDB: one write. */
const writeOf = (customerId: number, amount: number): Update => ({
  TableName: tables.effects,
  Key: { pk: { S: `customer ${customerId}` } },
  UpdateExpression: 'ADD spent :amount',
  ExpressionAttributeValues: { ':amount': { N: String(amount) } },
});

const clientOf = (url: string, tape: Tape) => ({
  endpoint: url,
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  requestHandler: tape.handler,
});

function answered(batchItemFailures: readonly object[]): void {
  if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} messages were not done.`);
}

/** Ours, with the client that `consume` makes by itself, but for the tape. Logger and metrics are silent. */
export function sluice(url: string, tape: Tape, effect: Effect): Candidate {
  let handled = 0;
  const silent = () => {};
  const invoke = consume(
    orders,
    'fraud',
    async ({ data }, context) => {
      handled += 1;
      if (effect === 'in DynamoDB')
        await context.commitWith([{ Update: writeOf(data.customerId, data.amountCents) }]);
    },
    {
      // As the runtime's own client is made; what is shared is resolved once for each class of commands.
      dynamodb: new DynamoDBClient({ ...clientOf(url, tape), cacheMiddleware: true }),
      sqs: { send: () => Promise.reject(new Error('No message was to be changed.')) },
      logger: { debug: silent, info: silent, warn: silent, error: silent },
      metrics: { record: silent },
      environment: {
        [environment.recordsTable]: tables.sluice,
        [environment.queueUrl]: 'http://127.0.0.1/000000000000/queue',
        [environment.deadLetterQueueUrl]: 'http://127.0.0.1/000000000000/dead',
      },
    },
  );
  return {
    tape,
    invoke: async (event) => answered((await invoke(event, lambda)).batchItemFailures),
    handled: () => handled,
  };
}

/**
 * Powertools for Lambda, as its documentation puts batch and idempotency together. The key is the cheapest one, the
 * queue's message id; the handler decodes and checks the body as our runtime does.
 */
export function powertools(url: string, tape: Tape, effect: Effect): Candidate {
  let handled = 0;
  const client = new DynamoDBClient(clientOf(url, tape));
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' });
  const handle = makeIdempotent(
    async (record: SQSRecord): Promise<void> => {
      const { data } = JSON.parse(record.body) as { data: unknown };
      const order = v.parse(OrderPlaced, data);
      handled += 1;
      if (effect === 'in DynamoDB')
        await client.send(new UpdateItemCommand(writeOf(order.customerId, order.amountCents)));
    },
    {
      persistenceStore: new DynamoDBPersistenceLayer({
        tableName: tables.powertools,
        awsSdkV3Client: client,
      }),
      config,
    },
  );
  const processor = new BatchProcessor(EventType.SQS);
  return {
    tape,
    async invoke(event) {
      config.registerLambdaContext(lambda);
      const { batchItemFailures } = await processPartialResponse(event, handle, processor, {
        context: lambda,
      });
      answered(batchItemFailures);
    },
    handled: () => handled,
  };
}
