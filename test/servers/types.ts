import type { ServerName } from './names.ts';

/** What the stack depends on, by the SDK's package names. */
export type ServiceName =
  | 'sqs'
  | 'sns'
  | 'dynamodb'
  | 'dynamodbstreams'
  | 'lambda'
  | 'cloudwatch'
  | 'cloudformation'
  | 's3'
  | 'ssm'
  | 'ecr'
  | 'iam'
  | 'sts';

/** How a server is started. */
export interface StartOptions {
  /**
   * Port on 127.0.0.1.
   *
   * @default - any free one
   */
  readonly port?: number;
  /** Gets a line at each step that takes a while: what is installed, what is started. */
  readonly log?: (line: string) => void;
  /**
   * Lets LocalStack run Node functions as processes of this machine, where it has no Docker. The other servers run
   * functions or do not, whatever is said here.
   *
   * @default false
   */
  readonly functions?: boolean;
  /**
   * LocalStack as a container, or from its Python package; the other servers have no container here.
   *
   * @default - a container when a Docker engine answers
   */
  readonly docker?: boolean;
  /**
   * Folder of a built package that the model is started from, where its start is measured.
   *
   * @default - the checkout
   */
  readonly built?: string;
  /** Ends the installation and the start; whatever was begun is undone. */
  readonly signal?: AbortSignal;
}

/** A server that answers. */
export interface RunningServer {
  readonly name: ServerName;
  readonly version: string;
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly url: string;
  /** The services that it has at all; how much of them, the conformance suite says. */
  readonly services: readonly ServiceName[];
  /** Its processes at this moment, the first one started it; none for a container. */
  pids(): readonly number[];
  /** Resident memory of all its processes at this moment, in bytes; of a container as Docker counts it. */
  memory(): number;
  /** Aborts, with one line as its reason, when the server ends without being told to. */
  readonly died: AbortSignal;
  /** Ends all its processes and removes its files. May be called again. */
  stop(): Promise<void>;
}

/**
 * A server cannot be had on this machine: a program that it needs is missing, or the network is. The message is one
 * line that says what is missing and how to get it.
 */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable';
}

/**
 * A server is there and did not start, or its installation failed: a port is taken, it ended, it never got ready. The message says
 * so in one line; the end of its log follows in lines of their own.
 */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
}
