import type { ChangeSetStatus, ChangeSetType, ExecutionStatus } from '@aws-sdk/client-cloudformation';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { TemplateFault } from './check.ts';
import type { FailureOptions } from './operate.ts';
import type { Plan } from './plan.ts';
import type { Target } from './target.ts';

/** A change that was asked for and looked at, and is not made yet. */
export interface ChangeSet {
  readonly name: string;
  /** Its ARN. */
  readonly id: string;
  readonly kind: Extract<ChangeSetType, 'CREATE' | 'UPDATE'>;
  readonly description: string | undefined;
  readonly createdAt: Milliseconds;
  readonly target: Target;
  readonly plan: Plan;
  readonly status: ChangeSetStatus;
  readonly reason: string | undefined;
  /** What the model cannot do, for DescribeEvents. */
  readonly faults: readonly TemplateFault[];
  readonly onFailure: FailureOptions['onFailure'] | undefined;
  readonly token: string | undefined;
  execution: ExecutionStatus;
}

/** What a change set says that has nothing to change. */
export const noChanges =
  "The submitted information didn't contain changes. Submit different information to create a change set.";
