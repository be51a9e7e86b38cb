import type {
  DeploymentConfig,
  ResourceStatus as KnownResourceStatus,
  RollbackConfiguration,
  StackStatus,
  Tag,
} from '@aws-sdk/client-cloudformation';
import type { Milliseconds } from '../../lib/base/index.ts';
import type { ChangeSet } from './change-set.ts';
import type { ParameterValues } from './parameters.ts';
import type { Made, Properties } from './provider.ts';
import type { TemplateResource } from './template.ts';
import type { TemplateSource } from './template-source.ts';

export type { StackStatus };

/** Where a resource stands; the stack itself is a resource among its events. */
export type ResourceStatus = StackStatus | KnownResourceStatus;

/** A resource of a stack: what it was made from is kept, for changes to be judged by. */
export interface StackResource {
  readonly logicalId: string;
  readonly type: string;
  /** As the template has it: policies, metadata. */
  readonly definition: TemplateResource;
  /** With every reference resolved. */
  readonly properties: Properties;
  readonly made: Made;
  readonly status: ResourceStatus;
  readonly reason: string | undefined;
  readonly changedAt: Milliseconds;
}

/** Something that happened to a stack. */
export interface StackEvent {
  readonly id: string;
  readonly at: Milliseconds;
  readonly operationId: string;
  readonly token: string | undefined;
  readonly logicalId: string;
  readonly physicalId: string;
  readonly type: string;
  readonly status: ResourceStatus;
  readonly reason: string | undefined;
  /** As JSON, without secrets. */
  readonly properties: string | undefined;
}

/** What a request asks a stack to be, and an update that fails gives back. */
export interface StackState {
  readonly source: TemplateSource;
  readonly parameters: ParameterValues;
  readonly settings: StackSettings;
  readonly outputs: ReadonlyMap<string, StackOutput>;
  /** Names of the exports that it imports. */
  readonly imports: ReadonlySet<string>;
}

/** What stands beside the template. */
export interface StackSettings {
  readonly tags: readonly Tag[];
  readonly capabilities: readonly string[];
  readonly notificationArns: readonly string[];
  readonly rollbackConfiguration: RollbackConfiguration | undefined;
  readonly roleArn: string | undefined;
  readonly deploymentConfig: DeploymentConfig | undefined;
}

/** An output, with the name under which other stacks import it. */
export interface StackOutput {
  readonly value: string;
  readonly description: string | undefined;
  readonly exportName: string | undefined;
}

/** One step of an operation, as far as it has to be taken back when the operation fails. */
export type Step =
  | { readonly kind: 'created'; readonly resource: StackResource }
  | { readonly kind: 'replaced'; readonly before: StackResource; readonly after: StackResource }
  /** Without `after`, nothing but what is written down of it was changed. */
  | { readonly kind: 'updated'; readonly before: StackResource; readonly after: Properties | undefined };

/** Everything since the last stable state: present while an operation runs, and after one that failed and was left as it is. */
export interface Journal {
  /** The stack was not there before. */
  readonly isCreation: boolean;
  readonly state: StackState;
  readonly resources: ReadonlyMap<string, StackResource>;
  steps: Step[];
  /** Made by what is being taken back, to be removed when that is done. */
  doomed: StackResource[];
}

/** A stack as the model keeps it. */
export interface Stack {
  readonly name: string;
  readonly id: string;
  readonly createdAt: Milliseconds;
  updatedAt: Milliseconds | undefined;
  deletedAt: Milliseconds | undefined;
  status: StackStatus;
  reason: string | undefined;
  state: StackState;
  /** In the order in which they were made. */
  resources: Map<string, StackResource>;
  journal: Journal | undefined;
  warnings: string[];
  readonly events: StackEvent[];
  /** By their ARNs. */
  readonly changeSets: Map<string, ChangeSet>;
  /** The change set that was executed last. */
  changeSetId: string | undefined;
  terminationProtection: boolean;
  disableRollback: boolean;
  /** Which operation runs, or ran last. */
  operation: { readonly id: string; readonly token: string | undefined };
  /** Set by CancelUpdateStack: the operation ends before its next step. */
  cancelled: boolean;
  /** Hears each time that the stack has come to another status. */
  readonly heard: StackListener;
}

/**
 * Hears that a stack has come to another status.
 *
 * @param warnings - what in its template has no effect in the model
 */
export type StackListener = (stack: {
  readonly name: string;
  readonly status: StackStatus;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
}) => void;

/** All stacks of the account: those that are there by name, those that were deleted by their ARNs. */
export interface StackStore {
  readonly live: Map<string, Stack>;
  readonly deleted: Map<string, Stack>;
}

/** What stacks export, by name. */
export function exportsOf(store: StackStore) {
  const found = new Map<string, { readonly stack: Stack; readonly value: string }>();
  for (const stack of store.live.values()) {
    for (const { value, exportName } of stack.state.outputs.values()) {
      if (exportName !== undefined) found.set(exportName, { stack, value });
    }
  }
  return found;
}

/** The stacks that import an export. */
export const importersOf = (store: StackStore, exportName: string): readonly Stack[] =>
  [...store.live.values()].filter(({ state }) => state.imports.has(exportName));

/** Whether a policy of a resource keeps it. */
export const isRetained = (policy: string | undefined): boolean =>
  policy === 'Retain' || policy === 'RetainExceptOnCreate';
