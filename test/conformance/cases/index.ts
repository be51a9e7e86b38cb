import type { CaseGroup } from '../case.ts';
import { cloudwatchAlarms } from './cloudwatch-alarms.ts';
import { cloudwatchComposite } from './cloudwatch-composite.ts';
import { cloudwatchData } from './cloudwatch-data.ts';
import { cloudwatchEvaluation } from './cloudwatch-evaluation.ts';
import { cloudwatchSqs } from './cloudwatch-sqs.ts';
import { lambdaBatches } from './lambda-batches.ts';
import { lambdaFifo } from './lambda-fifo.ts';
import { lambdaFilters } from './lambda-filters.ts';
import { lambdaFunctions } from './lambda-functions.ts';
import { lambdaMappings } from './lambda-mappings.ts';
import { lambdaResponses } from './lambda-responses.ts';
import { sqsReceive } from './sqs-receive.ts';

/** Every group, in the order in which they are played and printed. */
export const groups: readonly CaseGroup[] = [
  sqsReceive,
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
];
