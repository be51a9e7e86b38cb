import type { CaseGroup } from '../case.ts';
import { cloudformationStacks } from './cloudformation-stacks.ts';
import { cloudformationUpdate } from './cloudformation-update.ts';
import { cloudwatchAlarms } from './cloudwatch-alarms.ts';
import { cloudwatchComposite } from './cloudwatch-composite.ts';
import { cloudwatchData } from './cloudwatch-data.ts';
import { cloudwatchEvaluation } from './cloudwatch-evaluation.ts';
import { cloudwatchSqs } from './cloudwatch-sqs.ts';
import { compared } from './compared.ts';
import { dynamodbConditions } from './dynamodb-conditions.ts';
import { dynamodbItems } from './dynamodb-items.ts';
import { dynamodbPartiql } from './dynamodb-partiql.ts';
import { dynamodbQueries } from './dynamodb-queries.ts';
import { dynamodbStreams } from './dynamodb-streams.ts';
import { dynamodbTables } from './dynamodb-tables.ts';
import { dynamodbTransactions } from './dynamodb-transactions.ts';
import { dynamodbTtl } from './dynamodb-ttl.ts';
import { dynamodbUpdates } from './dynamodb-updates.ts';
import { dynamodbValues } from './dynamodb-values.ts';
import { lambdaBatches } from './lambda-batches.ts';
import { lambdaFifo } from './lambda-fifo.ts';
import { lambdaFilters } from './lambda-filters.ts';
import { lambdaFunctions } from './lambda-functions.ts';
import { lambdaMappings } from './lambda-mappings.ts';
import { lambdaResponses } from './lambda-responses.ts';
import { snsDelivery } from './sns-delivery.ts';
import { snsFilter } from './sns-filter.ts';
import { snsFilterBody } from './sns-filter-body.ts';
import { snsPublish } from './sns-publish.ts';
import { snsSubscriptions } from './sns-subscriptions.ts';
import { snsTopics } from './sns-topics.ts';
import { sqsAttributes } from './sqs-attributes.ts';
import { sqsBatches } from './sqs-batches.ts';
import { sqsDeduplication } from './sqs-deduplication.ts';
import { sqsErrors } from './sqs-errors.ts';
import { sqsFifo } from './sqs-fifo.ts';
import { sqsFifoGroups } from './sqs-fifo-groups.ts';
import { sqsMessageAttributes } from './sqs-message-attributes.ts';
import { sqsMoves } from './sqs-moves.ts';
import { sqsQueues } from './sqs-queues.ts';
import { sqsReceive } from './sqs-receive.ts';
import { sqsRedrive } from './sqs-redrive.ts';
import { sqsRedrivePolicy } from './sqs-redrive-policy.ts';
import { sqsRetention } from './sqs-retention.ts';
import { sqsSend } from './sqs-send.ts';
import { sqsVisibility } from './sqs-visibility.ts';

/** Every group, in the order in which they are played and printed. */
// biome-ignore format: one entry a line
export const groups: readonly CaseGroup[] = [
  sqsQueues,
  sqsAttributes,
  sqsSend,
  sqsMessageAttributes,
  sqsBatches,
  sqsReceive,
  sqsVisibility,
  sqsFifoGroups,
  sqsFifo,
  sqsDeduplication,
  sqsRedrive,
  sqsRedrivePolicy,
  sqsMoves,
  sqsRetention,
  sqsErrors,
  snsTopics,
  snsSubscriptions,
  snsPublish,
  snsFilter,
  snsFilterBody,
  snsDelivery,
  dynamodbTables,
  dynamodbItems,
  dynamodbValues,
  dynamodbConditions,
  dynamodbUpdates,
  dynamodbTransactions,
  dynamodbQueries,
  dynamodbPartiql,
  dynamodbTtl,
  dynamodbStreams,
  lambdaBatches,
  lambdaResponses,
  lambdaFifo,
  lambdaFilters,
  lambdaMappings,
  lambdaFunctions,
  cloudwatchData,
  cloudwatchSqs,
  cloudwatchAlarms,
  cloudwatchEvaluation,
  cloudwatchComposite,
  cloudformationStacks,
  cloudformationUpdate,
  compared,
];
