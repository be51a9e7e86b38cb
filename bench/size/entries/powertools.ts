import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { dynamodb, sqs } from './clients.ts';

const logger = new Logger({ serviceName: 'shop' });
const metrics = new Metrics({ namespace: 'shop' });
const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' });
const processor = new BatchProcessor(EventType.SQS);
const handle = makeIdempotent(
  async (record: SQSRecord) => {
    logger.info('handled', { orderId: (JSON.parse(record.body) as { orderId: string }).orderId });
    metrics.addMetric('processed', MetricUnit.Count, 1);
  },
  {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: 'records', awsSdkV3Client: dynamodb }),
    config,
  },
);

export const handler = async (event: SQSEvent, context: Context) => {
  config.registerLambdaContext(context);
  try {
    return await processPartialResponse(event, handle, processor, { context });
  } finally {
    metrics.publishStoredMetrics();
    void sqs;
  }
};
