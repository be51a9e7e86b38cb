import { ServiceError } from '../service.ts';

/** A value that Lambda refuses. */
export const invalid = (message: string): ServiceError =>
  new ServiceError('InvalidParameterValueException', message, { members: { Type: 'User' } });

/** A function or mapping that does not exist. */
export const notFound = (message: string): ServiceError =>
  new ServiceError('ResourceNotFoundException', message, { statusCode: 404, members: { Type: 'User' } });

/** Something that exists already. */
export const conflict = (message: string): ServiceError =>
  new ServiceError('ResourceConflictException', message, { statusCode: 409, members: { Type: 'User' } });

/** No environment is free, and no more may be started. */
export const throttled = (reason: string): ServiceError =>
  new ServiceError('TooManyRequestsException', 'Rate Exceeded.', {
    statusCode: 429,
    members: { Type: 'User', Reason: reason },
  });
