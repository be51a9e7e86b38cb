import { milliseconds, uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import type { Properties } from './provider.ts';
import { withoutSecrets } from './secrets.ts';
import type { ResourceStatus, Stack, StackResource, StackStatus } from './stacks.ts';

/** Writes down what happens to a resource that is not one of the stack's yet. */
export function note(
  stack: Stack,
  resource: {
    readonly logicalId: string;
    readonly type: string;
    readonly physicalId: string;
    readonly properties?: Properties | undefined;
  },
  status: ResourceStatus,
  context: ModelContext,
  reason?: string,
): void {
  // Each event has a moment of its own: those who show events sort them by time.
  const last = stack.events.at(-1)?.at ?? -1;
  stack.events.push({
    id: uuid(context.random),
    at: milliseconds(Math.max(context.clock.now(), last + 1)),
    operationId: stack.operation.id,
    token: stack.operation.token,
    logicalId: resource.logicalId,
    physicalId: resource.physicalId,
    type: resource.type,
    status,
    reason,
    properties:
      resource.properties === undefined
        ? undefined
        : JSON.stringify(withoutSecrets(resource.properties, ...parametersOf(stack))),
  });
}

/** The stack's parameters, and those from before the operation: resources are made of the one or the other. */
const parametersOf = ({ state, journal }: Stack) =>
  journal === undefined ? [state.parameters] : [state.parameters, journal.state.parameters];

/** Writes down what happens to a resource; gives it back as it stands then. */
export function noteResource(
  stack: Stack,
  resource: StackResource,
  status: ResourceStatus,
  context: ModelContext,
  reason?: string,
): StackResource {
  const { logicalId, type, made, properties } = resource;
  note(stack, { logicalId, type, physicalId: made.physicalId, properties }, status, context, reason);
  return { ...resource, status, reason, changedAt: context.clock.now() };
}

/** Writes down where the stack itself stands. */
export function noteStack(stack: Stack, status: StackStatus, context: ModelContext, reason?: string): void {
  stack.status = status;
  stack.reason = reason;
  note(
    stack,
    { logicalId: stack.name, type: 'AWS::CloudFormation::Stack', physicalId: stack.id },
    status,
    context,
    reason,
  );
  stack.heard(stack);
}

/** Begins an operation: what happens from now on belongs to it. */
export function beginOperation(stack: Stack, context: ModelContext, token: string | undefined): void {
  stack.operation = { id: uuid(context.random), token };
  stack.cancelled = false;
}

/** What an error says, with its code when it has one. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
};
