import type { Milliseconds, Seconds } from '../../lib/base/index.ts';
import type { FunctionKeys } from './roles.ts';

/** What an executor needs to know about a function. A new revision is a new object. */
export interface FunctionConfiguration {
  readonly functionName: string;
  readonly functionArn: string;
  /**
   * The number of a published version.
   *
   * @default - `$LATEST`
   */
  readonly version?: string;
  /** The execution role's ARN. */
  readonly role: string;
  /** `file.export`, relative to the code folder, for example `index.handler`. */
  readonly handler: string;
  readonly runtime: string;
  /** MiB. */
  readonly memorySize: number;
  /** How long one invocation may take. */
  readonly timeout: Seconds;
  /** The function's own variables; the standard ones of Lambda are added by the executor. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * The account's key under which the variables are encrypted.
   *
   * @default - a key that AWS manages
   */
  readonly kmsKeyArn?: string | undefined;
  /** Absolute path of the unpacked code; `undefined` when the executor knows the handler by other means. */
  readonly codeFolder: string | undefined;
  readonly region: string;
  readonly account: string;
  /**
   * Keys of a session of the role, new ones for each environment.
   *
   * @default - `test`, the administrator's
   */
  readonly keys?: FunctionKeys;
  /** Where the model listens: becomes `AWS_ENDPOINT_URL`. */
  readonly endpoint: string;
}

/** What a failed invocation reports, in the words of Lambda's own payload. */
export interface InvocationError {
  /** The error's class (`TypeError`), or Lambda's own: `Sandbox.Timedout`, `Runtime.ExitError`, `Runtime.ImportModuleError`. */
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** How an invocation ended: `payload` is the response as JSON text. */
export type InvocationResult =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: InvocationError };

/** One invocation as the environment is told of it. */
export interface Invocation {
  readonly requestId: string;
  /** Epoch milliseconds at which the invocation is killed. */
  readonly deadline: Milliseconds;
}

/** One execution environment: it runs one invocation at a time and keeps its state between them. */
export interface Environment {
  /**
   * Settles when the code is loaded, or could not be, or the environment ended before; it never rejects.
   * What went wrong is the result of the first invocation.
   */
  readonly ready: Promise<void>;
  /** Runs one invocation; `payload` is the event as JSON text. It never rejects. */
  invoke(payload: string, invocation: Invocation): Promise<InvocationResult>;
  /** Ends the environment at once, in the middle of whatever it does; a running invocation fails. */
  kill(): void;
  /** Calls `listener` once when the environment has ended, by {@link Environment.kill} or by itself. */
  onExit(listener: () => void): void;
}

/** What runs functions. */
export interface Executor {
  /** Checks that the function can be run; rejects with what is wrong. Called when it is made and at each change of its code. */
  prepare(configuration: FunctionConfiguration): Promise<void>;
  /** Starts an environment; loading the code goes on in the background, see {@link Environment.ready}. */
  start(configuration: FunctionConfiguration): Environment;
}

/** Where a line that a function wrote goes. */
export type LogSink = (functionName: string, requestId: string, line: string) => void;

/** The error that Lambda reports for an environment that ended in the middle of an invocation. */
export const exitError = (requestId: string, reason: string): InvocationError => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `RequestId: ${requestId} Error: ${reason}`,
});
