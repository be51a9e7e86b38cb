/**
 * Why a worker cannot work, now or ever: an option that is not allowed, a queue that does not exist, a queue that
 * these credentials may not receive from.
 *
 * @example
 * ```ts
 * try {
 *   await worker.ended;
 * } catch (error) {
 *   if (error instanceof WorkerError) console.error(error.message);
 *   throw error;
 * }
 * ```
 */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
}

/**
 * What no further try will change, by the names that SQS and IAM give it in either protocol (SQS API reference, "Common
 * errors"; ReceiveMessage, "Errors").
 */
const hopeless: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'the queue does not exist',
  'AWS.SimpleQueueService.NonExistentQueue': 'the queue does not exist',
  InvalidAddress: 'the queue’s URL is none',
  AccessDenied: 'access is denied',
  AccessDeniedException: 'access is denied',
  InvalidClientTokenId: 'the access key is not known',
  UnrecognizedClientException: 'the access key is not known',
  SignatureDoesNotMatch: 'the secret key is wrong',
  OptInRequired: 'the account has not subscribed to the service',
};

/** Why there is no point in another try; `undefined` when there is. */
export function hopelessness(error: unknown): string | undefined {
  const name = nameOf(error);
  return Object.hasOwn(hopeless, name) ? hopeless[name] : undefined;
}

/** An error's name, whatever was thrown. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : String(error));

/** An error in one line, cut: what a service answers may be long, and what a handler throws may hold a payload. */
export const inOneLine = (error: unknown): string =>
  `${nameOf(error)}: ${(error instanceof Error ? error.message : '').split('\n')[0]}`.slice(0, 300);
