import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDBClient, type Update, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { environment } from 'sluice';
import { type ConsumeOptions, consume } from 'sluice/lambda';
import * as v from 'valibot';
import { OrderPlaced, shop } from './declaration.ts';
import { tables } from './names.ts';
import type { RequestHandler, Send } from './tape.ts';

/*
 * Ours and theirs as Lambda functions. This module is measured as it would be deployed: in a bundle, so it shares
 * nothing with the process around it but what it is handed.
 */

/** What stands in for DynamoDB. */
export interface Backend {
  /** Answers the SDK's HTTP requests. */
  readonly requestHandler?: RequestHandler;
  /** Answers in place of the whole client. */
  readonly send?: Send;
  /** @default - an address at which nothing listens */
  readonly endpoint?: string;
}

/**
 * What the handler does: nothing, or a write to DynamoDB. Ours commits that with the record: by `commitWith`, or
 * returned by the handler of a `transactional` subscriber.
 */
export type Effect = 'elsewhere' | 'commitWith' | 'returned';

/** A Lambda function for a queue. */
export interface Candidate {
  /**
   * Handles a batch; resolves with how many of its messages go back to the queue.
   *
   * @param fails - whether the handler throws
   */
  invoke(event: SQSEvent, fails?: boolean): Promise<number>;
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

/** @param cacheMiddleware - as the runtime's own client has it: resolved once for each class of commands */
function clientOf({ endpoint, requestHandler, send }: Backend, cacheMiddleware: boolean): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint: endpoint ?? 'http://127.0.0.1:9',
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    cacheMiddleware,
    ...(requestHandler === undefined ? {} : { requestHandler }),
  });
  if (send !== undefined) client.send = send as typeof client.send;
  return client;
}

const silent = () => {};
const declined = () => new Error('The card was declined.');

/** Ours, with the client that `consume` makes by itself, but for what answers. Logger and metrics are silent. */
export function sluice(backend: Backend, effect: Effect): Candidate {
  let handled = 0;
  let failing = false;
  const begin = () => {
    handled += 1;
    if (failing) throw declined();
  };
  const options: ConsumeOptions = {
    dynamodb: clientOf(backend, true),
    sqs: { send: async () => ({}) },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    metrics: { record: silent },
    environment: {
      [environment.recordsTable]: tables.sluice,
      [environment.queueUrl]: 'http://127.0.0.1/000000000000/queue',
      [environment.deadLetterQueueUrl]: 'http://127.0.0.1/000000000000/dead',
    },
  };
  const handler =
    effect === 'returned'
      ? consume(
          shop,
          'transactional',
          ({ data }) => {
            begin();
            return [{ Update: writeOf(data.customerId, data.amountCents) }];
          },
          options,
        )
      : consume(
          shop,
          'exactlyOnceEffect',
          async ({ data }, context) => {
            begin();
            if (effect === 'commitWith')
              await context.commitWith([{ Update: writeOf(data.customerId, data.amountCents) }]);
          },
          options,
        );
  return {
    async invoke(event, fails = false) {
      failing = fails;
      return (await handler(event, lambda)).batchItemFailures.length;
    },
    handled: () => handled,
  };
}

/**
 * Powertools for Lambda, as its documentation puts batch and idempotency together. The key is the cheapest one, the
 * queue's message id; the handler decodes and checks the body as our runtime does.
 */
export function powertools(backend: Backend, effect: Effect): Candidate {
  let handled = 0;
  let failing = false;
  const client = clientOf(backend, false);
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' });
  const handle = makeIdempotent(
    async (record: SQSRecord): Promise<void> => {
      const { data } = JSON.parse(record.body) as { data: unknown };
      const order = v.parse(OrderPlaced, data);
      handled += 1;
      if (failing) throw declined();
      if (effect !== 'elsewhere')
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
    async invoke(event, fails = false) {
      failing = fails;
      config.registerLambdaContext(lambda);
      const { batchItemFailures } = await processPartialResponse(event, handle, processor, {
        context: lambda,
        throwOnFullBatchFailure: false,
      });
      return batchItemFailures.length;
    },
    handled: () => handled,
  };
}
