import { uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { type ChangeSet, noChanges } from './change-set.ts';
import { DeploymentError } from './errors.ts';
import { create, type FailureOptions, type Outcome, update } from './operate.ts';
import { planOf } from './plan.ts';
import type { Stack } from './stacks.ts';
import type { CheckedTarget, DeploymentParts } from './target.ts';

/** What a change set is made of, besides the target. */
export interface ChangeSetRequest {
  readonly name: string;
  readonly kind: ChangeSet['kind'];
  readonly description?: string | undefined;
  readonly onFailure?: FailureOptions['onFailure'] | undefined;
  readonly token?: string | undefined;
}

/** Looks at what a change would do and keeps that with the stack; what cannot be done makes it a failed one. */
export function makeChangeSet(
  stack: Stack,
  request: ChangeSetRequest,
  { target, faults: found }: CheckedTarget,
  parts: DeploymentParts,
): ChangeSet {
  const plan =
    found.length > 0
      ? { changes: [], isEmpty: false, faults: [], refusal: undefined }
      : planOf(stack, target, parts);
  const faults = [...found, ...plan.faults];
  const reason =
    faults.length > 0
      ? new DeploymentError(faults.map(({ text }) => text)).message
      : (plan.refusal ?? (plan.isEmpty && request.kind === 'UPDATE' ? noChanges : undefined));
  const changeSet: ChangeSet = {
    name: request.name,
    id: changeSetId(request.name, parts.context),
    kind: request.kind,
    description: request.description,
    createdAt: parts.context.clock.now(),
    target,
    plan,
    status: reason === undefined ? 'CREATE_COMPLETE' : 'FAILED',
    reason,
    faults,
    onFailure: request.onFailure,
    token: request.token,
    execution: reason === undefined ? 'AVAILABLE' : 'UNAVAILABLE',
  };
  stack.changeSets.set(changeSet.id, changeSet);
  return changeSet;
}

/** Carries a change set out; the stack's others are void then. */
export async function carryOut(
  stack: Stack,
  changeSet: ChangeSet,
  options: FailureOptions,
  parts: DeploymentParts,
): Promise<Outcome | undefined> {
  stack.changeSets.clear();
  stack.changeSets.set(changeSet.id, changeSet);
  stack.changeSetId = changeSet.id;
  changeSet.execution = 'EXECUTE_IN_PROGRESS';
  const run = changeSet.kind === 'CREATE' ? create : update;
  const outcome = await run(stack, changeSet.target, options, parts);
  changeSet.execution = outcome === undefined ? 'EXECUTE_COMPLETE' : 'EXECUTE_FAILED';
  return outcome;
}

const changeSetId = (name: string, { region, account, random }: ModelContext): string =>
  `arn:aws:cloudformation:${region}:${account}:changeSet/${name}/${uuid(random)}`;
