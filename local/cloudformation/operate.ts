import { type Milliseconds, milliseconds, uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { deleteStack } from './deletion.ts';
import { messageOf, noteStack } from './events.ts';
import { cleanUp, type Failure, ordered, reach } from './execute.ts';
import { rollBackCreation, rollBackUpdate } from './rollback.ts';
import type { Stack, StackSettings, StackState } from './stacks.ts';
import type { DeploymentParts, Target } from './target.ts';

/** What becomes of a stack when it does not reach its target. */
export interface FailureOptions {
  /** What is left of a creation: everything, as far as it came; nothing, not even the stack; or the stack, empty. */
  readonly onFailure: 'DO_NOTHING' | 'ROLLBACK' | 'DELETE';
  readonly retainExceptOnCreate: boolean;
}

/** How an operation ended that failed. */
export interface Outcome {
  readonly failure: Failure;
  /** What could not be taken back. */
  readonly left: readonly string[];
}

/** Creates the resources of a new stack. */
export async function create(
  stack: Stack,
  target: Target,
  options: FailureOptions,
  parts: DeploymentParts,
): Promise<Outcome | undefined> {
  const { context } = parts;
  stack.disableRollback = options.onFailure === 'DO_NOTHING';
  noteStack(stack, 'CREATE_IN_PROGRESS', context, 'User Initiated');
  const failure = await reach(stack, target, parts);
  if (failure === undefined) {
    stack.resources = ordered(stack, target);
    stack.journal = undefined;
    noteStack(stack, 'CREATE_COMPLETE', context);
    return undefined;
  }
  if (options.onFailure === 'DO_NOTHING') {
    noteStack(stack, 'CREATE_FAILED', context, failure.reason);
    return { failure, left: [] };
  }
  if (options.onFailure === 'DELETE') {
    noteStack(stack, 'CREATE_FAILED', context, `${failure.reason} Delete requested by user.`);
    return { failure, left: await deleteStack(stack, {}, parts) };
  }
  const reason = `${failure.reason} Rollback requested by user.`;
  return { failure, left: await rollBackCreation(stack, { ...options, reason }, parts) };
}

/** Brings a stack that is there to a new target. */
export async function update(
  stack: Stack,
  target: Target,
  options: FailureOptions,
  parts: DeploymentParts,
): Promise<Outcome | undefined> {
  const { context } = parts;
  stack.disableRollback = options.onFailure === 'DO_NOTHING';
  stack.updatedAt = context.clock.now();
  noteStack(stack, 'UPDATE_IN_PROGRESS', context, 'User Initiated');
  const failure = await reach(stack, target, parts);
  if (failure === undefined) {
    await cleanUp(stack, target, parts);
    stack.journal = undefined;
    noteStack(stack, 'UPDATE_COMPLETE', context);
    return undefined;
  }
  if (options.onFailure === 'DO_NOTHING') {
    noteStack(stack, 'UPDATE_FAILED', context, failure.reason);
    return { failure, left: [] };
  }
  return { failure, left: await takeBack(stack, { ...options, reason: failure.reason }, parts) };
}

/** Takes back what the stack's journal holds: to the last stable state, or to nothing when there was none. */
export const takeBack = (
  stack: Stack,
  options: Parameters<typeof rollBackUpdate>[1],
  parts: DeploymentParts,
): Promise<readonly string[]> =>
  stack.journal?.isCreation === true
    ? rollBackCreation(stack, options, parts)
    : rollBackUpdate(stack, options, parts);

/** A stack that has nothing yet but its name. */
export function emptyStack(name: string, { context, heard }: DeploymentParts): Stack {
  const { region, account, random, clock } = context;
  return {
    name,
    id: `arn:aws:cloudformation:${region}:${account}:stack/${name}/${uuid(random)}`,
    createdAt: clock.now(),
    updatedAt: undefined,
    deletedAt: undefined,
    status: 'REVIEW_IN_PROGRESS',
    reason: undefined,
    state: emptyState,
    resources: new Map(),
    journal: undefined,
    warnings: [],
    events: [],
    changeSets: new Map(),
    changeSetId: undefined,
    terminationProtection: false,
    disableRollback: false,
    operation: { id: uuid(random), token: undefined },
    cancelled: false,
    heard,
  };
}

/** Settings of a request that says nothing. */
export const noSettings: StackSettings = {
  tags: [],
  capabilities: [],
  notificationArns: [],
  rollbackConfiguration: undefined,
  roleArn: undefined,
  deploymentConfig: undefined,
};

const emptyState: StackState = {
  source: { text: '', template: {} },
  parameters: new Map(),
  settings: noSettings,
  outputs: new Map(),
  imports: new Set(),
};

/**
 * How long an operation keeps its caller waiting, in milliseconds. AWS answers at once; callers poll every few seconds,
 * so one that is answered when the work is done sees its end at the first look.
 */
const patience: Milliseconds = milliseconds(1_500);

/** Ends when the work is done, or after a short while in which it was not; the work goes on then. */
async function waitBriefly(work: Promise<unknown>, { clock }: ModelContext): Promise<void> {
  let timer: { cancel(): void } | undefined;
  const end = new Promise<void>((resolve) => {
    timer = clock.after(patience, resolve);
  });
  try {
    await Promise.race([work, end]);
  } finally {
    timer?.cancel();
  }
}

/**
 * Runs an operation for a caller who waits a while. Whatever its steps meet is the stack's affair; should the engine
 * itself fail, the stack says so instead of being under way for ever.
 */
export function supervise(stack: Stack, work: Promise<unknown>, context: ModelContext): Promise<void> {
  const settled = work.catch((error: unknown) => {
    const failed = stack.status.startsWith('DELETE_')
      ? 'DELETE_FAILED'
      : stack.status.startsWith('UPDATE_')
        ? 'UPDATE_ROLLBACK_FAILED'
        : 'ROLLBACK_FAILED';
    noteStack(stack, failed, context, `Internal failure: ${messageOf(error)}`);
  });
  return waitBriefly(settled, context);
}
