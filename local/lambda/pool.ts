import { type Milliseconds, milliseconds, sleep, type Timer, toMilliseconds } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import type { Environment, Executor, FunctionConfiguration, InvocationResult } from './executor.ts';

/** How long an environment is kept without work. AWS does not say; minutes are what is seen. */
const idleLife = milliseconds(5 * 60_000);

/** Loading the code has ten seconds of its own before it counts as the invocation's time (Lambda developer guide, "Runtime environment lifecycle"). */
const initialisationLimit = milliseconds(10_000);

/**
 * An environment as seen from outside.
 *
 * @example
 * ```ts
 * const busy = aws.lambda.environments().filter(({ state }) => state === 'busy').length;
 * ```
 */
export interface EnvironmentView {
  readonly functionName: string;
  readonly state: 'starting' | 'busy' | 'idle';
  /** The invocation that it runs. */
  readonly requestId: string | undefined;
  readonly startedAt: Milliseconds;
  /** Invocations so far, the running one included. */
  readonly invocations: number;
}

interface Slot {
  readonly environment: Environment;
  readonly startedAt: Milliseconds;
  state: 'starting' | 'busy' | 'idle';
  requestId: string | undefined;
  invocations: number;
  idleSince: Milliseconds;
}

/** The environments of one function. */
export interface Pool {
  /** How many run an invocation now. */
  busy(): number;
  /** Runs one invocation in a warm environment if there is one, else in a new one. */
  invoke(payload: string, requestId: string): Promise<InvocationResult & { duration: Milliseconds }>;
  /** From now on new environments are made from `configuration`; old ones end when they are free. */
  replace(configuration: FunctionConfiguration): void;
  /** Kills one busy environment; false when none is busy. */
  killOne(): boolean;
  views(): readonly EnvironmentView[];
  stop(): void;
}

/**
 * Keeps the environments of one function: reuses the one that was used last, so that those that are not needed
 * grow old, and ends what was idle for five minutes. An environment that ended in an invocation (time-out, exit,
 * out of memory) is replaced by the next invocation that needs one.
 */
export function createPool(context: ModelContext, executor: Executor, first: FunctionConfiguration): Pool {
  const { clock } = context;
  let configuration = first;
  const slots = new Set<Slot>();
  const idle: Slot[] = [];
  let reaper: Timer | undefined;

  const drop = (slot: Slot) => {
    slots.delete(slot);
    const position = idle.indexOf(slot);
    if (position >= 0) idle.splice(position, 1);
  };
  const start = (): Slot => {
    const environment = executor.start(configuration);
    const slot: Slot = {
      environment,
      startedAt: clock.now(),
      state: 'starting',
      requestId: undefined,
      invocations: 0,
      idleSince: clock.now(),
    };
    slots.add(slot);
    environment.onExit(() => drop(slot));
    return slot;
  };
  // The idle ones are in the order in which they became idle: the first is the oldest.
  const reap = () => {
    reaper = undefined;
    while (idle[0] !== undefined && clock.now() - idle[0].idleSince >= idleLife) {
      idle[0].environment.kill();
    }
    if (idle[0] !== undefined) {
      reaper = clock.after(milliseconds(idle[0].idleSince + idleLife - clock.now()), reap);
    }
  };

  return {
    busy: () => slots.size - idle.length,
    async invoke(payload, requestId) {
      const used = configuration;
      const slot = idle.pop() ?? start();
      slot.requestId = requestId;
      slot.invocations++;
      if (slot.state === 'starting') {
        const loaded = new AbortController();
        void slot.environment.ready.then(() => loaded.abort());
        await Promise.race([slot.environment.ready, sleep(clock, initialisationLimit, loaded.signal)]);
      }
      slot.state = 'busy';
      const startedAt = clock.now();
      const limit = toMilliseconds(used.timeout);
      let timeout: Timer | undefined;
      const timedOut = new Promise<InvocationResult>((resolve) => {
        timeout = clock.after(limit, () => {
          // Answered before the kill, whose own answer would be that the environment has exited.
          resolve({
            ok: false,
            error: {
              errorType: 'Sandbox.Timedout',
              errorMessage: `RequestId: ${requestId} Error: Task timed out after ${used.timeout.toFixed(2)} seconds`,
            },
          });
          slot.environment.kill();
        });
      });
      const invocation = { requestId, deadline: milliseconds(startedAt + limit) };
      const result = await Promise.race([timedOut, slot.environment.invoke(payload, invocation)]);
      timeout?.cancel();
      slot.requestId = undefined;
      if (slots.has(slot)) {
        if (used !== configuration) slot.environment.kill();
        else {
          slot.state = 'idle';
          slot.idleSince = clock.now();
          idle.push(slot);
          reaper ??= clock.after(idleLife, reap);
        }
      }
      return { ...result, duration: milliseconds(clock.now() - startedAt) };
    },
    replace(next) {
      configuration = next;
      for (const slot of [...idle]) slot.environment.kill();
    },
    killOne() {
      for (const slot of slots) {
        if (slot.state !== 'busy') continue;
        slot.environment.kill();
        return true;
      }
      return false;
    },
    views: () =>
      [...slots].map((slot) => ({
        functionName: configuration.functionName,
        state: slot.state,
        requestId: slot.requestId,
        startedAt: slot.startedAt,
        invocations: slot.invocations,
      })),
    stop() {
      reaper?.cancel();
      for (const slot of [...slots]) slot.environment.kill();
    },
  };
}
