import { ServiceError } from '../service.ts';

/** A request that cannot be understood or that breaks a rule of the API. */
export const validation = (message: string): ServiceError => new ServiceError('ValidationException', message);

/** What API validation says of a member that breaks its constraint. */
export const constraint = (value: string, member: string, rule: string): ServiceError =>
  validation(
    `1 validation error detected: Value '${value}' at '${member}' failed to satisfy constraint: Member must ${rule}`,
  );

/** What API validation says of a member that is missing. */
export const required = (member: string): ServiceError =>
  validation(
    `1 validation error detected: Value null at '${member}' failed to satisfy constraint: Member must not be null`,
  );

/** A table that does not exist, asked for its items. */
export const noSuchTable = (): ServiceError =>
  new ServiceError('ResourceNotFoundException', 'Requested resource not found');

/** A table that does not exist, asked for itself. */
export const noSuchTableNamed = (name: string): ServiceError =>
  new ServiceError('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`);

/** A single write whose condition did not hold; `Item` is what was found, when the caller asked for it. */
export const conditionalCheckFailed = (item?: object): ServiceError =>
  new ServiceError('ConditionalCheckFailedException', 'The conditional request failed', {
    members: item === undefined ? {} : { Item: item },
  });
