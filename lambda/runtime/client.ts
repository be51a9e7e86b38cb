/**
 * A client of a service, as far as the runtime uses one: every client of the AWS SDK v3 is one, and so is the
 * in-process client of `sluice/local`.
 *
 * @example
 * ```ts
 * publisher(messaging, { sns: new SNSClient({ region: 'eu-west-1' }) });
 * ```
 */
export interface AwsClient {
  /** Sends a command of the SDK and resolves with its output. */
  send(command: object, options?: { readonly abortSignal?: AbortSignal }): Promise<object>;
}

/**
 * How the clients made here behave. Bounded on purpose: a call that hangs must not outlive a lease, so at most
 * three tries of three seconds each (the SDK's own default has no request timeout).
 */
export const clientDefaults = {
  maxAttempts: 3,
  // Resolves a command's middleware once for each class of commands instead of for each call: a third of the CPU of
  // a small call (measured). Safe because nothing adds middleware to a client that is made here.
  cacheMiddleware: true,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
} as const;
