import type { CaseGroup } from '../case.ts';
import { sqsReceive } from './sqs-receive.ts';

/** Every group, in the order in which they are played and printed. */
export const groups: readonly CaseGroup[] = [sqsReceive];
