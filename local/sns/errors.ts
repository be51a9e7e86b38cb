import { ServiceError } from '../service.ts';

/**
 * A parameter that SNS refuses: the SDK shows `InvalidParameterException`, the wire carries `InvalidParameter`.
 *
 * @param reason - what was found and what is allowed
 */
export const invalidParameter = (reason: string): ServiceError =>
  new ServiceError('InvalidParameterException', `Invalid parameter: ${reason}`, {
    queryCode: 'InvalidParameter',
  });

/** A message attribute that SNS refuses: the SDK shows `InvalidParameterValueException`. Recorded on AWS. */
export const invalidAttribute = (reason: string): ServiceError =>
  new ServiceError('InvalidParameterValueException', reason, { queryCode: 'ParameterValueInvalid' });

/** A topic or subscription that is not there: `NotFoundException`. */
export const notFound = (what: string): ServiceError =>
  new ServiceError('NotFoundException', `${what} does not exist`, { statusCode: 404, queryCode: 'NotFound' });

/** A whole batch that is refused; `name` is the exception's name in the SDK. */
export const batchRefused = (name: string, reason: string): ServiceError =>
  new ServiceError(name, reason, { queryCode: name.replace(/Exception$/, '') });

/** A quota that is used up: `SubscriptionLimitExceededException`, `FilterPolicyLimitExceededException`. */
export const limitExceeded = (name: string, reason: string): ServiceError =>
  new ServiceError(name, reason, { statusCode: 403, queryCode: name.replace(/Exception$/, '') });
