import {
  BatchProcessor,
  EventType,
  processPartialResponse,
  SqsFifoPartialProcessorAsync,
} from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { environment, recordsTable, type Subscriber } from '../../lib/topology/index.ts';
import type { HarnessTools } from '../../local/index.ts';
import type { BuildConsumer } from '../../ops/simulation/index.ts';
import { workOf } from './work.ts';

/**
 * Powertools for AWS Lambda: the batch processor around a handler made idempotent, as the pages "Idempotency" (section
 * "Batch integration") and "Batch processing" of its documentation put them together.
 */
export const buildPowertools =
  ({ skipGroupOnError }: { readonly skipGroupOnError: boolean }): BuildConsumer =>
  (order) => {
    const { messaging, subscriber, tools } = order;
    const { fifo, retention } = messaging.subscribers[subscriber] as Subscriber;
    const work = workOf(order);
    const config = new IdempotencyConfig({
      eventKeyJmesPath: 'powertools_json(body).[source, id]',
      payloadValidationJmesPath: 'powertools_json(body).data',
      throwOnNoIdempotencyKey: true,
      // The default of one hour is shorter than a message can live.
      expiresAfterSeconds: retention,
    });
    let remaining = () => 0;
    const handle = makeIdempotent(
      (record: SQSRecord): Promise<void> =>
        work(record.body, Number(record.attributes.ApproximateReceiveCount), remaining()),
      {
        persistenceStore: new DynamoDBPersistenceLayer({
          tableName: tools.environment[environment.recordsTable] ?? '',
          keyAttr: recordsTable.partitionKey,
          expiryAttr: recordsTable.timeToLive,
          awsSdkV3Client: sdkClient(tools),
        }),
        config,
        // By default the name of the function, which is a variable of the process: here all share one.
        keyPrefix: subscriber,
      },
    );
    const standard = new BatchProcessor(EventType.SQS);
    const ordered = new SqsFifoPartialProcessorAsync();
    return (batch, lambda) => {
      const context = lambda as unknown as Context;
      const event = batch as unknown as SQSEvent;
      config.registerLambdaContext(context);
      remaining = () => lambda.getRemainingTimeInMillis();
      return fifo
        ? processPartialResponse(event, handle, ordered, { context, skipGroupOnError })
        : processPartialResponse(event, handle, standard, { context });
    };
  };

/** The model's client with what Powertools looks for in one of the SDK: a stack that it can put its user agent on. */
function sdkClient({ dynamodb }: HarnessTools): DynamoDBClient {
  const middlewareStack = { identify: () => [], addRelativeTo: () => {} };
  return { ...dynamodb, config: {}, middlewareStack } as unknown as DynamoDBClient;
}
