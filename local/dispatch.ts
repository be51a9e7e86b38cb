import { createFaultPlan, type FaultPlan } from './faults.ts';
import type { Guard } from './iam/index.ts';
import {
  type Call,
  type ModelContext,
  type Principal,
  type Service,
  ServiceError,
  type ServiceId,
} from './service.ts';

/** Services by their ids. */
export type Services = Readonly<Partial<Record<ServiceId, Service>>>;

/**
 * The one way to call a model's actions, over HTTP and in process: here calls of roles are judged, and faults are planned.
 *
 * @example
 * ```ts
 * const { QueueUrl } = (await aws.call('sqs', 'CreateQueue', { QueueName: 'orders' })) as { QueueUrl: string };
 * ```
 */
export interface Dispatcher {
  readonly context: Pick<ModelContext, 'clock' | 'random' | 'account' | 'region' | 'endpoint'>;
  readonly services: Services;
  readonly faults: FaultPlan;
  /**
   * Whose calls are signed with a key; nothing for a key of the administrator's. Throws for a key of a session that is
   * not known any more, or that comes with another session's token.
   *
   * @default - every call is the administrator's
   */
  readonly principalOf?:
    | ((accessKeyId: string, sessionToken?: string, service?: ServiceId) => Principal | undefined)
    | undefined;
  /**
   * Carries out one action, under the planned faults. The answer is a promise only when the action has to wait.
   *
   * @throws {ServiceError} what the service answers; thrown, or the promise's rejection
   */
  call(service: ServiceId, action: string, input: object, call?: Call): object | Promise<object>;
}

/**
 * Makes the door to a set of services.
 *
 * @example
 * ```ts
 * const aws = createDispatcher(context, { sqs: createSqs(context) });
 * await aws.call('sqs', 'CreateQueue', { QueueName: 'orders' });
 * ```
 */
export function createDispatcher(
  context: Dispatcher['context'],
  services: Services,
  plan: FaultPlan = createFaultPlan(context.clock, context.random),
  rights: { readonly guard?: Guard } & Pick<Dispatcher, 'principalOf'> = {},
): Dispatcher {
  const { guard, principalOf } = rights;
  return {
    context,
    principalOf,
    services,
    faults: plan,
    call(id, action, input, call = {}) {
      const service = services[id];
      if (service === undefined) throw unknownService(services, id);
      const operation = Object.hasOwn(service.operations, action) ? service.operations[action] : undefined;
      if (operation === undefined) throw unknownAction(services, id, action);
      // Who has no role is the administrator: nothing is looked at.
      const inPart =
        guard === undefined || call.principal?.role === undefined
          ? undefined
          : guard(id, action, input, call);
      return plan.apply(service, action, input as Readonly<Record<string, unknown>>, call, () =>
        inPart === undefined ? operation(input, call) : inPart((allowed) => operation(allowed, call)),
      );
    },
  };
}

const unknownAction = (services: Services, id: ServiceId, action: string): ServiceError =>
  new ServiceError(
    'UnknownOperationException',
    `The model of AWS knows no action "${action}" of ${id}${explanation(services, id, action)}`,
    { queryCode: 'InvalidAction' },
  );

function explanation(services: Services, id: ServiceId, action: string): string {
  const leftOut = services[id]?.leftOut ?? {};
  return Object.hasOwn(leftOut, action) ? `: ${leftOut[action]}` : `. ${supportedActions(services, id)}`;
}

/** The actions that there are, for the message of an error. */
export const supportedActions = (services: Services, id: ServiceId): string =>
  `It knows: ${Object.keys(services[id]?.operations ?? {})
    .sort()
    .join(', ')}.`;

/** The error for a service that the model does not have. */
export const unknownService = (services: Services, name: string): ServiceError =>
  new ServiceError(
    'UnknownServiceException',
    `The model of AWS has no service "${name}". It has: ${Object.keys(services).join(', ')}.`,
    { statusCode: 501 },
  );
