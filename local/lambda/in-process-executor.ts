import { setMaxListeners } from 'node:events';
import { type Clock, type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import type { Principal } from '../service.ts';
import {
  type Environment,
  type Executor,
  exitError,
  type FunctionConfiguration,
  type InvocationResult,
} from './executor.ts';

/** Lambda's context object, as far as handlers in process are given it. */
export interface InProcessContext {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly awsRequestId: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): Milliseconds;
}

/** What a handler in process knows about the environment that it runs in. */
export interface InProcessEnvironment {
  readonly configuration: FunctionConfiguration;
  /** Whom its clients call as: the function's role, see `ModelClientOptions.principal`. */
  readonly principal: Principal;
  /** 1 for the first environment of the executor, 2 for the next. */
  readonly number: number;
  /**
   * Aborted when the environment is killed. JavaScript cannot be stopped from outside, so a killed handler
   * goes on: its result is ignored, and clients made for it have to refuse their work once this is aborted.
   */
  readonly signal: AbortSignal;
  /** Ends the environment in the middle of its work, as a crash of its process does. */
  kill(): void;
}

/** A handler as a function of this process: `event` is a fresh copy, as JSON leaves it. */
export type InProcessHandler = (
  event: unknown,
  context: InProcessContext,
  environment: InProcessEnvironment,
) => unknown;

/** What {@link inProcessExecutor} is given. */
export interface InProcessOptions {
  readonly clock: Clock;
  /**
   * The handlers by function name, or a look-up for names that CloudFormation makes and for handlers that keep
   * state of their own: it is called once for each environment, and once before to see whether there is one.
   */
  readonly handlers:
    | Readonly<Record<string, InProcessHandler>>
    | ((configuration: FunctionConfiguration) => InProcessHandler | undefined);
}

/**
 * An executor whose functions are JavaScript functions of this process, for tests and simulations on a virtual
 * clock. Values cross as JSON, as on Lambda. What it cannot do: stop a handler (see
 * {@link InProcessEnvironment.signal}), limit its memory, or give it variables of its own.
 *
 * @example
 * ```ts
 * const executor = inProcessExecutor({ clock, handlers: { payments: async (event) => ({ batchItemFailures: [] }) } });
 * ```
 */
export function inProcessExecutor({ clock, handlers }: InProcessOptions): Executor {
  const find = (configuration: FunctionConfiguration): InProcessHandler => {
    const handler =
      typeof handlers === 'function' ? handlers(configuration) : handlers[configuration.functionName];
    if (handler !== undefined) return handler;
    const known = typeof handlers === 'function' ? '' : `; known are: ${Object.keys(handlers).join(', ')}`;
    throw new Error(
      `No handler for function ${configuration.functionName}${known}. Hand one to inProcessExecutor.`,
    );
  };
  let started = 0;

  return {
    async prepare(configuration) {
      find(configuration);
    },
    start(configuration): Environment {
      const handler = find(configuration);
      const number = ++started;
      const principal = { role: configuration.role, session: configuration.functionName };
      const abort = new AbortController();
      // Every call under way listens, and Node warns of a leak from the eleventh on.
      setMaxListeners(0, abort.signal);
      const exits: (() => void)[] = [];
      let fail: ((result: InvocationResult) => void) | undefined;
      let currentRequest = '';
      const kill = () => {
        if (abort.signal.aborted) return;
        abort.abort();
        fail?.({ ok: false, error: exitError(currentRequest, exited) });
        for (const exit of exits) exit();
      };
      return {
        ready: Promise.resolve(),
        async invoke(payload, { requestId, deadline }) {
          if (abort.signal.aborted) return { ok: false, error: exitError(requestId, exited) };
          const context: InProcessContext = {
            functionName: configuration.functionName,
            functionVersion: configuration.version ?? '$LATEST',
            invokedFunctionArn: configuration.functionArn,
            memoryLimitInMB: String(configuration.memorySize),
            awsRequestId: requestId,
            logGroupName: `/aws/lambda/${configuration.functionName}`,
            logStreamName: `${number}`,
            callbackWaitsForEmptyEventLoop: true,
            getRemainingTimeInMillis: () => milliseconds(Math.max(0, deadline - clock.now())),
          };
          currentRequest = requestId;
          const killed = new Promise<InvocationResult>((resolve) => {
            fail = resolve;
          });
          const run = async (): Promise<InvocationResult> => {
            try {
              const environment = { configuration, principal, number, signal: abort.signal, kill };
              const response = await handler(JSON.parse(payload), context, environment);
              return { ok: true, payload: JSON.stringify(response) ?? 'null' };
            } catch (error) {
              return { ok: false, error: describe(error) };
            }
          };
          return Promise.race([run(), killed]);
        },
        kill,
        onExit: (listener) => {
          exits.push(listener);
        },
      };
    },
  };
}

const exited = 'Runtime exited with error: signal: killed';

/** An error as Lambda's Node runtime reports it. */
function describe(error: unknown) {
  if (error instanceof Error) {
    return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
  }
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}
