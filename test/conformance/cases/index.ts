import type { CaseGroup } from '../case.ts';
import { cloudwatchAlarms } from './cloudwatch-alarms.ts';
import { cloudwatchComposite } from './cloudwatch-composite.ts';
import { cloudwatchData } from './cloudwatch-data.ts';
import { cloudwatchEvaluation } from './cloudwatch-evaluation.ts';
import { cloudwatchSqs } from './cloudwatch-sqs.ts';
import { sqsReceive } from './sqs-receive.ts';

/** Every group, in the order in which they are played and printed. */
export const groups: readonly CaseGroup[] = [
  sqsReceive,
  cloudwatchData,
  cloudwatchSqs,
  cloudwatchAlarms,
  cloudwatchEvaluation,
  cloudwatchComposite,
];
