import type { CaseGroup } from '../case.ts';
import { cloudformationStacks } from './cloudformation-stacks.ts';
import { cloudformationUpdate } from './cloudformation-update.ts';
import { cloudwatchAlarms } from './cloudwatch-alarms.ts';
import { cloudwatchComposite } from './cloudwatch-composite.ts';
import { cloudwatchData } from './cloudwatch-data.ts';
import { cloudwatchEvaluation } from './cloudwatch-evaluation.ts';
import { cloudwatchSqs } from './cloudwatch-sqs.ts';
import { compared } from './compared.ts';
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
import { sqsReceive } from './sqs-receive.ts';

/** Every group, in the order in which they are played and printed. */
export const groups: readonly CaseGroup[] = [
  sqsReceive,
  snsTopics,
  snsSubscriptions,
  snsPublish,
  snsFilter,
  snsFilterBody,
  snsDelivery,
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
