import type { Milliseconds } from '../../lib/base/index.ts';
import type { Made, Properties } from './provider.ts';
import type { Template } from './template.ts';

/** Where a stack stands, in CloudFormation's words. */
export type StackStatus =
  | 'CREATE_IN_PROGRESS'
  | 'CREATE_COMPLETE'
  | 'CREATE_FAILED'
  | 'ROLLBACK_IN_PROGRESS'
  | 'ROLLBACK_COMPLETE'
  | 'ROLLBACK_FAILED'
  | 'DELETE_IN_PROGRESS'
  | 'DELETE_COMPLETE'
  | 'DELETE_FAILED';

/** Where a resource stands; the stack itself is a resource among its events. */
export type ResourceStatus = StackStatus | 'DELETE_SKIPPED';

/** A resource of a stack: what it was made from is kept, for changes to be judged by. */
export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Properties;
  readonly made: Made;
  readonly retained: boolean;
  status: ResourceStatus;
  changedAt: Milliseconds;
}

/** Something that happened to a stack. */
export interface StackEvent {
  readonly id: string;
  readonly at: Milliseconds;
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
  readonly status: ResourceStatus;
  readonly reason: string | undefined;
}

/** A stack as the model keeps it. */
export interface Stack {
  readonly name: string;
  readonly id: string;
  readonly template: Template;
  readonly parameters: ReadonlyMap<string, string | readonly string[]>;
  readonly createdAt: Milliseconds;
  status: StackStatus;
  reason: string | undefined;
  /** In the order in which they were made. */
  readonly resources: Map<string, StackResource>;
  readonly outputs: Map<string, StackOutput>;
  /** Names of the exports that it imports. */
  readonly imports: Set<string>;
  readonly warnings: string[];
  readonly events: StackEvent[];
}

/** An output, with the name under which other stacks import it. */
export interface StackOutput {
  readonly value: string;
  readonly description: string | undefined;
  readonly exportName: string | undefined;
}
