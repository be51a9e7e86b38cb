import { ServiceError } from '../service.ts';

/** A request that does not hold together: `ValidationException` in the SDK, `ValidationError` on the wire. */
export const invalid = (reason: string): ServiceError =>
  new ServiceError('ValidationException', reason, { queryCode: 'ValidationError' });

/** A parameter's value that CloudWatch does not take: `InvalidParameterValueException`. */
export const invalidValue = (reason: string): ServiceError =>
  new ServiceError('InvalidParameterValueException', reason, { queryCode: 'InvalidParameterValue' });

/** A parameter that must be there: `MissingRequiredParameterException`. */
export const missing = (parameter: string): ServiceError =>
  new ServiceError('MissingRequiredParameterException', `The parameter ${parameter} is required.`, {
    queryCode: 'MissingParameter',
  });

/** An alarm that is not there: `ResourceNotFound`. */
export const notFound = (what: string): ServiceError =>
  new ServiceError('ResourceNotFound', `${what} does not exist.`, { statusCode: 404 });
