import { ServiceError } from '../service.ts';

/** A key, alias or other thing that is not there (KMS API reference, common errors of every action on keys). */
export const notFound = (message: string) => new ServiceError('NotFoundException', message);

export const disabled = (arn: string) => new ServiceError('DisabledException', `${arn} is disabled.`);

/** The key is in a state in which this cannot be done; the SDK's and the wire's name is the long one. */
export const invalidState = (message: string) => new ServiceError('KMSInvalidStateException', message);

export const accessDenied = (message: string) => new ServiceError('AccessDeniedException', message);

export const validation = (message: string) => new ServiceError('ValidationException', message);

export const malformedPolicy = (message: string, cause?: unknown) =>
  new ServiceError('MalformedPolicyDocumentException', message, cause === undefined ? {} : { cause });
