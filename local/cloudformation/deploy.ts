import { type ModelContext, ServiceError } from '../service.ts';
import type { AssemblyStack, CloudAssembly } from './assembly.ts';
import { noChanges } from './change-set.ts';
import { carryOut, makeChangeSet } from './changes.ts';
import { deleteStack } from './deletion.ts';
import { DeploymentError } from './errors.ts';
import { beginOperation } from './events.ts';
import { substitute } from './intrinsics.ts';
import { emptyStack, noSettings } from './operate.ts';
import type { DeploymentServices } from './provider.ts';
import type { Stack, StackStatus } from './stacks.ts';
import { isBusy } from './states.ts';
import { checkTarget, type DeploymentParts } from './target.ts';
import type { Template } from './template.ts';
import { shapeOf } from './template-shape.ts';

/** Where nothing is left to be changed: the stack is deleted, and made anew. */
const spent: readonly StackStatus[] = [
  'CREATE_FAILED',
  'DELETE_FAILED',
  'REVIEW_IN_PROGRESS',
  'ROLLBACK_COMPLETE',
  'ROLLBACK_FAILED',
];

/**
 * Deploys one stack of an assembly by a change set, as `cdk deploy` does: makes it, or brings it to its new template.
 *
 * @throws DeploymentError with everything that the model cannot do, before anything is made; or with the resource that
 * failed, after what had been done was taken back
 */
export async function deployStack(
  source: AssemblyStack,
  assembly: CloudAssembly,
  given: Readonly<Record<string, string>>,
  parts: DeploymentParts,
): Promise<Stack> {
  const { context, services, store } = parts;
  const { name } = source;
  const template = readTemplate(source);
  demandFree(store.live.get(name));
  const text = source.text ?? JSON.stringify(source.template, undefined, 1);
  const existing = store.live.get(name);
  const stack =
    existing === undefined || spent.includes(existing.status) ? emptyStack(name, parts) : existing;
  const checked = await checkTarget(
    {
      stack,
      source: { text, template },
      given,
      previous: stack.state.parameters,
      settings: {
        ...noSettings,
        tags: tagsOf(source),
        capabilities: ['CAPABILITY_IAM', 'CAPABILITY_NAMED_IAM'],
      },
      bootstrapped: true,
    },
    parts,
  );
  if (checked.faults.length > 0) throw new DeploymentError(checked.faults.map((fault) => fault.text));
  const now = store.live.get(name);
  demandFree(now);
  // Another deployment may have come and gone meanwhile.
  if (now !== existing) return deployStack(source, assembly, given, parts);
  if (stack !== existing && existing !== undefined) {
    await removeFirst(existing, parts);
    return deployStack(source, assembly, given, parts);
  }
  const kind = stack === existing ? 'UPDATE' : 'CREATE';
  const changeSet = makeChangeSet(stack, { name: 'deploy', kind }, checked, parts);
  if (changeSet.reason === noChanges) {
    stack.changeSets.delete(changeSet.id);
    return stack;
  }
  if (changeSet.reason !== undefined) {
    stack.changeSets.delete(changeSet.id);
    const { faults } = changeSet;
    throw new DeploymentError(faults.length > 0 ? faults.map((fault) => fault.text) : [changeSet.reason]);
  }
  provideAssets(assembly, context, services);
  store.live.set(name, stack);
  beginOperation(stack, context, undefined);
  const options = { onFailure: 'ROLLBACK', retainExceptOnCreate: false } as const;
  const outcome = await carryOut(stack, changeSet, options, parts);
  if (outcome === undefined) return stack;
  const { failure, left } = outcome;
  const verb = kind === 'CREATE' ? 'created' : 'updated';
  const undone = kind === 'CREATE' ? 'It could not be removed again' : 'It could not be changed back';
  throw new DeploymentError(
    [`Stack ${name} was not ${verb}. ${failure.text}`, ...left.map((fault) => `${undone}: ${fault}`)],
    failure.cause,
  );
}

function readTemplate({ name, template }: AssemblyStack): Template {
  try {
    return shapeOf(template);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new DeploymentError([`Stack ${name}: ${cause.message}`], cause);
  }
}

function demandFree(stack: Stack | undefined): void {
  if (stack === undefined || !isBusy(stack)) return;
  throw new DeploymentError([
    `Stack:${stack.id} is in ${stack.status} state and can not be updated. Wait for the deployment that is under way.`,
  ]);
}

async function removeFirst(stack: Stack, parts: DeploymentParts): Promise<void> {
  beginOperation(stack, parts.context, undefined);
  const faults = await deleteStack(stack, {}, parts);
  if (faults.length > 0)
    throw new DeploymentError(
      faults.map((fault) => `Stack ${stack.name} failed before and could not be removed. ${fault}`),
    );
}

const tagsOf = ({ tags = {} }: AssemblyStack) =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value: String(Value) }));

function provideAssets(assembly: CloudAssembly, context: ModelContext, services: DeploymentServices): void {
  const place = (text: string) =>
    substitute(text, (name) => {
      if (name === 'AWS::AccountId') return context.account;
      if (name === 'AWS::Region') return context.region;
      return name === 'AWS::Partition' ? 'aws' : name;
    });
  for (const { bucket, key, path, packaging } of assembly.assets) {
    if (packaging === 'zip') services.lambda.provideCode(place(bucket), place(key), path);
  }
}
