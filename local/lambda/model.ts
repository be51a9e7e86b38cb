import type { InvokeCommandInput } from '@aws-sdk/client-lambda';
import type { KeyGuard } from '../kms/index.ts';
import type { ModelContext, Service } from '../service.ts';
import { createAsyncSettings } from './async-settings.ts';
import { createCodeStore, type ObjectOf } from './code.ts';
import type { EventSourceFaults } from './event-source.ts';
import type { Executor, LogSink } from './executor.ts';
import { createFunctions, type FunctionState } from './functions.ts';
import { createInvoker } from './invoke.ts';
import { createMappings, type EventSourceView } from './mappings.ts';
import { createPermissions } from './permissions.ts';
import type { EnvironmentView } from './pool.ts';
import { queueActions } from './queue.ts';
import { anyRole, type ExecutionRoles, withKeys } from './roles.ts';
import { decryptingExecutor } from './variables-key.ts';
import { createVersions } from './versions.ts';

/** What {@link createLambda} is given besides the context. */
export interface LambdaOptions {
  /** The queues that event sources poll. */
  readonly sqs: Pick<Service, 'operations'>;
  /**
   * Gives the bytes of an object of S3: code that no folder was provided for is unpacked from it.
   *
   * @default - there are no objects
   */
  readonly objectOf?: ObjectOf;
  /** What runs functions. */
  readonly executor: Executor;
  /**
   * Knows the roles that functions run under.
   *
   * @default - any role will do, and no function has keys of its own
   */
  readonly roles?: ExecutionRoles;
  /**
   * How many environments of one function may run at once on this machine. Event sources do not go beyond it,
   * `Invoke` is throttled by it.
   *
   * @default - no bound but Lambda's own, 1,000 for the account
   */
  readonly environmentsPerFunction?: number;
  /**
   * How many batches an event source runs at once that says no MaximumConcurrency. A machine of few cores does not get
   * on faster by more environments: each of them loads the code first.
   *
   * @default - Lambda's own scaling, up to 1,250
   */
  readonly batchesAtOnce?: number;
  /** Faults to inject into event sources. */
  readonly faults?: EventSourceFaults;
  /**
   * Takes what event sources meet and no service answers: errors of the model, or of a fault plan.
   *
   * @default - LastProcessingResult alone tells
   */
  readonly log?: LogSink;
  /**
   * Asked before a function's variables are decrypted (KMSKeyArn).
   *
   * @default - none: the key is kept, and has no effect
   */
  readonly keys?: KeyGuard;
}

/** Lambda, with its event source mappings for SQS. */
export interface LambdaModel extends Service {
  readonly id: 'lambda';
  /** Says that the S3 object `key` of `bucket` is the unpacked code in `folder` (absolute path). */
  provideCode(bucket: string, key: string, folder: string): void;
  /** The environments of all functions. */
  environments(): readonly EnvironmentView[];
  /** The event sources of all functions. */
  eventSources(): readonly EventSourceView[];
  /** Kills one environment of the function in mid-invocation; false when none is busy. */
  kill(functionName: string): boolean;
  /** Ends every event source, environment and retry; nothing runs after it. */
  stop(): void;
}

/**
 * Lambda as a state machine. Functions run in the given executor; an event source polls as described in the
 * Lambda developer guide: five pollers, up to 300 more a minute while all are busy, not beyond its maximum
 * concurrency.
 *
 * Not modelled: layers, container images, provisioned concurrency and pollers, destinations,
 * the recursion guard, and the slow-down of pollers after function errors.
 *
 * @example
 * ```ts
 * const lambda = createLambda(context, { sqs, executor: inProcessExecutor({ clock, handlers }) });
 * ```
 */
export function createLambda(context: ModelContext, options: LambdaOptions): LambdaModel {
  const {
    sqs,
    roles = anyRole,
    faults,
    environmentsPerFunction = Number.POSITIVE_INFINITY,
    batchesAtOnce = Number.POSITIVE_INFINITY,
    log = () => {},
  } = options;
  const executor = decryptingExecutor(withKeys(options.executor, roles), options.keys);
  const code = createCodeStore(options.objectOf);
  const { functions, get, find, isLive, nameOf, operations } = createFunctions(
    context,
    executor,
    code,
    roles,
  );
  const versions = createVersions(context, executor, get);
  const asynchronous = createAsyncSettings(context.clock, find);
  const invoker = createInvoker(context, isLive, environmentsPerFunction);
  const queue = queueActions(sqs);
  const mappings = createMappings(context, find, {
    context,
    queue,
    roles,
    invoker,
    environmentsPerFunction,
    batchesAtOnce,
    faults,
    log,
  });

  const poolsOf = (state: FunctionState) => [state, ...state.qualified.values()].map(({ pool }) => pool);
  const pools = () => [...functions.values()].flatMap(poolsOf);

  return {
    id: 'lambda',
    operations: {
      ...operations,
      ...mappings.operations,
      ...versions.operations,
      ...createPermissions(find),
      ...asynchronous.operations,
      Invoke(input: InvokeCommandInput) {
        const state = find(input.FunctionName, input.Qualifier);
        return invoker.invoke(versions.route(state), input, asynchronous.settingsOf(state));
      },
    },
    provideCode: code.provide,
    environments: () => pools().flatMap((pool) => pool.views()),
    eventSources: mappings.views,
    kill(functionName) {
      const state = functions.get(nameOf(functionName));
      return state !== undefined && poolsOf(state).some((pool) => pool.killOne());
    },
    stop() {
      mappings.stop();
      invoker.stop();
      for (const pool of pools()) pool.stop();
      // A poller that has just received finds no function, and starts no environment any more.
      functions.clear();
      code.stop();
    },
  };
}
