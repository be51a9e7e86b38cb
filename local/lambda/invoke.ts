import type { InvokeCommandInput } from '@aws-sdk/client-lambda';
import { milliseconds, type Timer, uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { ServiceError } from '../service.ts';
import type { AsyncSettings } from './async-settings.ts';
import { notFound, throttled } from './errors.ts';
import type { InvocationResult } from './executor.ts';
import type { FunctionState } from './functions.ts';

/** Concurrent executions of an account in a region (Lambda developer guide, "Lambda quotas"). */
const accountConcurrency = 1_000;

/** An asynchronous event is tried three times, one and then two minutes apart (Lambda developer guide, "Asynchronous invocation"). */
const retryDelays = [60_000, 120_000] as const;

/** Payload limits in bytes: 6 MB synchronous, 1 MB asynchronous (Lambda quotas; asynchronous was 256 KB before 2025-10). */
const payloadLimit = { RequestResponse: 6 * 1_048_576, Event: 1_048_576 } as const;

/** The largest response of an invocation in bytes: 6 MB and what Lambda adds (Lambda quotas; its own message names it). */
const responseLimit = 6_291_556;

const namespace = 'AWS/Lambda';

/** Runs invocations: concurrency limits, metrics, the retries of asynchronous events. */
export function createInvoker(
  context: ModelContext,
  isLive: (state: FunctionState) => boolean,
  environmentsPerFunction: number,
) {
  const { clock, metrics, random } = context;
  const retries = new Set<Timer>();
  let running = 0;
  let stopped = false;

  /** Why no invocation may start now; `undefined` when one may. */
  const refusal = (state: FunctionState): string | undefined => {
    if (state.concurrent >= (state.reservedConcurrency ?? Number.POSITIVE_INFINITY)) {
      return 'ReservedFunctionConcurrentInvocationLimitExceeded';
    }
    if (running >= accountConcurrency || state.concurrent >= environmentsPerFunction) {
      return 'ConcurrentInvocationLimitExceeded';
    }
    return undefined;
  };

  /** Runs one invocation; throws `TooManyRequestsException` when none may start. */
  const run = async (state: FunctionState, payload: string, requestId: string): Promise<InvocationResult> => {
    const dimensions = { FunctionName: state.configuration.functionName };
    if (!isLive(state)) {
      throw notFound(`Function not found: ${state.configuration.functionArn}`);
    }
    const reason = refusal(state);
    if (reason !== undefined) {
      metrics.count(namespace, 'Throttles', dimensions, 1, 'Count');
      throw throttled(reason);
    }
    state.concurrent++;
    running++;
    metrics.count(namespace, 'ConcurrentExecutions', dimensions, state.concurrent, 'Count');
    try {
      const { duration, ...answer } = await state.pool.invoke(payload, requestId);
      const result = withinResponseLimit(answer);
      metrics.count(namespace, 'Invocations', dimensions, 1, 'Count');
      metrics.count(namespace, 'Errors', dimensions, result.ok ? 0 : 1, 'Count');
      metrics.count(namespace, 'Duration', dimensions, duration, 'Milliseconds');
      return result;
    } finally {
      state.concurrent--;
      running--;
    }
  };

  const later = (delay: number, task: () => void) => {
    // An invocation that the stop itself ended fails after it.
    if (stopped) return;
    const timer = clock.after(milliseconds(delay), () => {
      retries.delete(timer);
      task();
    });
    retries.add(timer);
  };
  const runEvent = async (
    state: FunctionState,
    payload: string,
    requestId: string,
    acceptedAt: number,
    settings: AsyncSettings,
    failures = 0,
  ) => {
    if (!isLive(state)) return;
    let result: InvocationResult;
    try {
      result = await run(state, payload, requestId);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const waited = clock.now() - acceptedAt;
      if (waited >= settings.age) {
        metrics.count(
          namespace,
          'AsyncEventsDropped',
          { FunctionName: state.configuration.functionName },
          1,
          'Count',
        );
        return;
      }
      // From one second, doubling to five minutes (Lambda developer guide, "Asynchronous invocation").
      later(
        Math.min(300_000, Math.max(1_000, waited)),
        () => void runEvent(state, payload, requestId, acceptedAt, settings, failures),
      );
      return;
    }
    if (result.ok) return;
    const delay = failures < settings.retries ? retryDelays[failures] : undefined;
    if (delay === undefined || clock.now() - acceptedAt + delay > settings.age) {
      metrics.count(
        namespace,
        'AsyncEventsDropped',
        { FunctionName: state.configuration.functionName },
        1,
        'Count',
      );
      return;
    }
    later(delay, () => void runEvent(state, payload, requestId, acceptedAt, settings, failures + 1));
  };

  return {
    run,
    async invoke(state: FunctionState, input: InvokeCommandInput, settings: AsyncSettings) {
      const payload = textOf(input.Payload);
      const type = input.InvocationType ?? 'RequestResponse';
      if (type === 'DryRun') return { StatusCode: 204, ExecutedVersion: state.qualifier };
      if (Buffer.byteLength(payload) > payloadLimit[type]) {
        throw new ServiceError(
          'RequestTooLargeException',
          `Request must be smaller than ${payloadLimit[type]} bytes for the ${type} invocation type; found ${Buffer.byteLength(payload)}.`,
          { statusCode: 413, members: { Type: 'User' } },
        );
      }
      try {
        JSON.parse(payload);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        throw new ServiceError(
          'InvalidRequestContentException',
          `Could not parse request body into json: ${text}`,
          { members: { Type: 'User' }, cause: error },
        );
      }
      const requestId = uuid(random);
      if (type === 'Event') {
        void runEvent(state, payload, requestId, clock.now(), settings);
        return { StatusCode: 202 };
      }
      const result = await run(state, payload, requestId);
      if (result.ok) {
        return { StatusCode: 200, ExecutedVersion: state.qualifier, Payload: Buffer.from(result.payload) };
      }
      return {
        StatusCode: 200,
        ExecutedVersion: state.qualifier,
        FunctionError: 'Unhandled',
        Payload: Buffer.from(JSON.stringify(result.error)),
      };
    },
    stop() {
      stopped = true;
      for (const timer of retries) timer.cancel();
      retries.clear();
    },
  };
}

export type Invoker = ReturnType<typeof createInvoker>;

/** A response that is too large is an error of the function. */
const withinResponseLimit = (result: InvocationResult): InvocationResult =>
  result.ok && Buffer.byteLength(result.payload) > responseLimit
    ? {
        ok: false,
        error: {
          errorType: 'Function.ResponseSizeTooLarge',
          errorMessage: `Response payload size exceeded maximum allowed payload size (${responseLimit} bytes).`,
        },
      }
    : result;

/** An empty payload is the event `{}`. */
function textOf(payload: InvokeCommandInput['Payload']): string {
  return payload === undefined ? '{}' : Buffer.from(payload as Uint8Array).toString('utf8') || '{}';
}
