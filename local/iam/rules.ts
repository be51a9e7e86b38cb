import type { Random } from '../../lib/base/index.ts';
import { ServiceError } from '../service.ts';
import { PolicyError, type PolicyKind, readStatements } from './language/index.ts';

/** The errors of IAM (IAM API reference, "Common errors" of its actions). */
export const exists = (message: string) =>
  new ServiceError('EntityAlreadyExistsException', message, {
    statusCode: 409,
    queryCode: 'EntityAlreadyExists',
  });
export const conflict = (message: string) =>
  new ServiceError('DeleteConflictException', message, { statusCode: 409, queryCode: 'DeleteConflict' });
export const invalid = (message: string) =>
  new ServiceError('InvalidInputException', message, { queryCode: 'InvalidInput' });
export const missing = (message: string) =>
  new ServiceError('NoSuchEntityException', message, { statusCode: 404, queryCode: 'NoSuchEntity' });

export function noRole(name: string | undefined): never {
  throw missing(`The role with name ${name} cannot be found.`);
}

/** A policy document as it is sent: JSON. @throws {ServiceError} MalformedPolicyDocument */
export function readDocument(text: string | undefined, kind: PolicyKind): unknown {
  let document: unknown;
  try {
    document = JSON.parse(text ?? '');
    if (typeof document !== 'object' || document === null || !('Statement' in document))
      throw new Error('it has no Statement');
  } catch (cause) {
    throw malformed(cause);
  }
  checkDocument(document, kind);
  return document;
}

/**
 * What every policy has to be, whether calls will be judged by it or not. What the model does not have of a policy's
 * conditions is no fault of it: {@link unsupportedIn} names it.
 *
 * @throws {ServiceError} MalformedPolicyDocument
 */
export function checkDocument(document: unknown, kind: PolicyKind): void {
  try {
    readStatements(document, kind);
  } catch (cause) {
    if (cause instanceof PolicyError) throw malformed(cause);
    throw cause;
  }
}

const malformed = (cause: unknown) =>
  new ServiceError(
    'MalformedPolicyDocumentException',
    `The policy document cannot be read: ${String(cause instanceof Error ? cause.message : cause).replace(/\.$/, '')}.`,
    { queryCode: 'MalformedPolicyDocument', cause },
  );

/** A policy document as IAM answers it: JSON, percent-encoded by RFC 3986 (IAM API reference, GetRole). */
export const writeDocument = (document: unknown): string =>
  encodeURIComponent(JSON.stringify(document ?? {}, undefined, 2)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An identifier as IAM makes them: four letters of its kind, 17 of its own (IAM user guide, "Unique identifiers"). */
export function identifier(prefix: string, random: Random, length = 17): string {
  let text = prefix;
  for (let count = 0; count < length; count++) text += alphabet[Math.floor(random.next() * alphabet.length)];
  return text;
}

/** Begins the keys of a role's session: one that nobody remembers is known for what it was. */
export const roleKey = 'ASIASLUICE';

/** Keys as STS makes them for a session; what is signed with them is not checked, the token is. */
export function temporaryCredentials(random: Random, prefix = 'ASIA') {
  return {
    AccessKeyId: identifier(prefix, random, 20 - prefix.length),
    SecretAccessKey: identifier('', random, 40),
    SessionToken: identifier('', random, 120),
  };
}
