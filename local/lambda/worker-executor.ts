import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { bootstrap } from './bootstrap.ts';
import {
  type Environment,
  type Executor,
  exitError,
  type FunctionConfiguration,
  type InvocationError,
  type InvocationResult,
  type LogSink,
} from './executor.ts';

type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'log'; readonly requestId: string; readonly lines: readonly string[] }
  | { readonly kind: 'fatal'; readonly requestId: string; readonly error: InvocationError }
  | {
      readonly kind: 'result';
      readonly requestId: string;
      readonly payload?: string;
      readonly error?: InvocationError;
    };

/**
 * V8's young generation in MiB. Its default grows to 48 per thread (Node.js documentation, `resourceLimits`),
 * which many idle environments together would keep.
 */
const youngGeneration = 16;

/** How often the buffers of a running invocation are looked at, in milliseconds. */
const bufferWatch = 25;

const outOfMemory = 'Runtime exited with error: signal: killed (out of memory)';

/** What {@link workerExecutor} is given. */
export interface WorkerOptions {
  /** Takes every line that a function writes to its standard output and error, in order. */
  readonly log: LogSink;
}

/**
 * An executor on the machine's own clock: each environment is one worker thread that runs the function's code
 * folder. The thread sees the function's variables and Lambda's, and nothing else of this process's environment;
 * it can be killed at any moment, also inside a synchronous loop; between two invocations it is frozen.
 *
 * The function's memory bounds two things, each by itself: the heap, at any moment; and the buffers that the thread
 * holds outside of it, every 25 ms while its loop turns and at the end of each invocation. A buffer counts as
 * soon as it is made, touched or not. Beyond either, the environment ends as out of memory. What native libraries
 * allocate by themselves is not seen.
 *
 * What a thread shares with this process, other than on Lambda: the working folder, the file system, and file
 * descriptors (`fs.writeSync(1, …)` bypasses the log).
 *
 * @example
 * ```ts
 * const executor = workerExecutor({ log: (functionName, requestId, line) => console.log(functionName, line) });
 * ```
 */
export function workerExecutor({ log }: WorkerOptions): Executor {
  let started = 0;
  return {
    async prepare(configuration) {
      const { functionName, codeFolder, handler } = configuration;
      if (codeFolder === undefined) {
        throw new Error(
          `Function ${functionName} has no code folder: deploy it with an asset or a zip file.`,
        );
      }
      if (!existsSync(codeFolder)) {
        throw new Error(`The code folder of function ${functionName} does not exist: ${codeFolder}`);
      }
      const dot = handler.lastIndexOf('.');
      const module = handler.slice(0, dot);
      const files = ['.mjs', '.js', '.cjs'].map((end) => join(codeFolder, module + end));
      if (dot < 1 || !files.some((file) => existsSync(file))) {
        throw new Error(
          `Handler "${handler}" of function ${functionName} is not in ${codeFolder}: ` +
            'it is written file.export, and the file ends with .mjs, .js or .cjs.',
        );
      }
    },
    start: (configuration) => startEnvironment(configuration, log, `${++started}`),
  };
}

function startEnvironment(
  configuration: FunctionConfiguration,
  log: LogSink,
  logStream: string,
): Environment {
  const wake = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(bootstrap, {
    eval: true,
    argv: [],
    execArgv: [],
    env: variablesOf(configuration, logStream),
    workerData: {
      configuration: { ...configuration, keys: undefined, variables: {}, logStream },
      wake,
      bufferLimit: configuration.memorySize * 1_048_576,
      bufferWatch,
      outOfMemory,
    },
    resourceLimits: {
      maxOldGenerationSizeMb: Math.max(32, configuration.memorySize - youngGeneration),
      maxYoungGenerationSizeMb: youngGeneration,
    },
  });

  let exitReason: string | undefined;
  let killed = false;
  let failure: InvocationError | undefined;
  let running: { requestId: string; finish: (result: InvocationResult) => void } | undefined;
  const exits: (() => void)[] = [];
  let markReady = () => {};
  const ready = new Promise<void>((resolve) => {
    markReady = resolve;
  });
  const finish = (result: InvocationResult) => {
    const invocation = running;
    running = undefined;
    invocation?.finish(result);
  };
  const end = (reason: string) => {
    if (exitReason !== undefined) return;
    exitReason = reason;
    markReady();
    if (running !== undefined) {
      finish({ ok: false, error: failure ?? exitError(running.requestId, reason) });
    }
    for (const exit of exits) exit();
  };

  worker.on('message', (message: Message) => {
    if (killed) return;
    switch (message.kind) {
      case 'ready':
        return markReady();
      case 'log':
        for (const line of message.lines) log(configuration.functionName, message.requestId, line);
        return;
      case 'fatal':
        failure = message.error;
        return;
      case 'result':
        if (message.error !== undefined) return finish({ ok: false, error: message.error });
        return finish({ ok: true, payload: message.payload ?? 'null' });
    }
  });
  // Out of memory, or a fault of the bootstrap itself; the exit follows.
  worker.on('error', (error: Error & { code?: string }) =>
    end(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory : `Runtime exited with error: ${error.message}`,
    ),
  );
  worker.on('exit', (code) =>
    end(
      code === 0
        ? 'Runtime exited without providing a reason'
        : `Runtime exited with error: exit status ${code}`,
    ),
  );

  return {
    ready,
    invoke(payload, { requestId, deadline }) {
      if (exitReason !== undefined) {
        return Promise.resolve({ ok: false, error: failure ?? exitError(requestId, exitReason) });
      }
      return new Promise((resolve) => {
        running = { requestId, finish: resolve };
        worker.postMessage({ payload, requestId, deadline });
        Atomics.add(wake, 0, 1);
        Atomics.notify(wake, 0);
      });
    },
    kill() {
      killed = true;
      end('Runtime exited with error: signal: killed');
      void worker.terminate();
    },
    onExit(listener) {
      exits.push(listener);
    },
  };
}

/** The variables of an environment (Lambda developer guide, "Defined runtime environment variables"). */
function variablesOf(configuration: FunctionConfiguration, logStream: string): Record<string, string> {
  return {
    AWS_REGION: configuration.region,
    AWS_DEFAULT_REGION: configuration.region,
    AWS_ENDPOINT_URL: configuration.endpoint,
    AWS_ACCESS_KEY_ID: configuration.keys?.accessKeyId ?? 'test',
    AWS_SECRET_ACCESS_KEY: configuration.keys?.secretAccessKey ?? 'test',
    ...(configuration.keys === undefined || configuration.keys.sessionToken === ''
      ? {}
      : { AWS_SESSION_TOKEN: configuration.keys.sessionToken }),
    // Lambda has no such files; without these two the SDK would read those of whoever runs the model.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EXECUTION_ENV: `AWS_Lambda_${configuration.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: configuration.functionName,
    AWS_LAMBDA_FUNCTION_VERSION: configuration.version ?? '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.memorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${configuration.functionName}`,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    LAMBDA_TASK_ROOT: configuration.codeFolder ?? '',
    LANG: 'en_US.UTF-8',
    _HANDLER: configuration.handler,
    // The function asked for another Node.js than the one of this process: the SDK's remark on it is not the function's.
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...configuration.variables,
  };
}
