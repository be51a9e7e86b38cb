import { ServiceError } from '../service.ts';
import type { Protocol } from './request.ts';

// What SQS alone does on the wire, as recorded on AWS: it speaks two protocols, and its errors are not quite the same
// in them.

const jsonNames: Readonly<Record<string, string>> = {
  InvalidParameterValue: 'InvalidParameterValueException',
  MissingParameter: 'MissingRequiredParameterException',
};

/** The error's type in the JSON protocol; the header `x-amzn-query-error` has the name of the query protocol. */
export const jsonErrorType = (name: string): string => {
  const own = jsonNames[name];
  return own === undefined ? `com.amazonaws.sqs#${name}` : `com.amazon.coral.service#${own}`;
};

/** The message of an error, which one of them words otherwise in the query protocol. */
export const errorMessage = (protocol: Protocol, { name, message }: ServiceError): string =>
  protocol === 'query' && name === 'QueueDoesNotExist'
    ? 'The specified queue does not exist for this wsdl version.'
    : message;

/** Actions on no queue in particular, which a queue's own address does not take. */
const notOnQueue: ReadonlySet<string> = new Set(['CreateQueue', 'ListQueues']);

/**
 * Refuses an action of the query protocol that its address does not have.
 *
 * @throws {ServiceError} InvalidAction
 */
export function checkAction(action: string, known: boolean, path: string): void {
  if (known && (path === '/' || !notOnQueue.has(action))) return;
  throw new ServiceError('InvalidAction', `The action ${action} is not valid for this endpoint.`);
}
