import type { SSEDescription, SSESpecification } from '@aws-sdk/client-dynamodb';
import type { KeyGuard } from '../kms/index.ts';
import { type NamedOperation, type Principal, ServiceError } from '../service.ts';
import { validation } from './errors.ts';
import type { Tables } from './model.ts';

/** The key of a table that is encrypted under a key of the account; without one, DynamoDB owns the key. */
export interface Encryption {
  readonly keyArn: string;
}

/**
 * Reads an SSESpecification.
 *
 * @param keys - finds the key; without it, it is kept as it was written
 * @throws ServiceError ValidationException for a key that is not there
 */
export function readEncryption(
  specification: SSESpecification | undefined,
  keys: KeyGuard | undefined,
): Encryption | undefined {
  const { Enabled: enabled, SSEType: type, KMSMasterKeyId: keyId } = specification ?? {};
  if (enabled !== true) {
    if (keyId !== undefined)
      throw validation(
        'One or more parameter values were invalid: KMSMasterKeyId can be specified only when SSE is enabled',
      );
    return undefined;
  }
  if (type !== undefined && type !== 'KMS')
    throw validation(`One or more parameter values were invalid: SSEType ${type} is not supported; use KMS`);
  const reference = keyId ?? 'alias/aws/dynamodb';
  try {
    return { keyArn: keys?.arnOf(reference) ?? reference };
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    const error = validation(`KMS validation error: ${cause.message}`);
    error.cause = cause;
    throw error;
  }
}

/** The part of a table's description; nothing where DynamoDB owns the key. */
export const describeEncryption = (
  encryption: Encryption | undefined,
): { SSEDescription?: SSEDescription } =>
  encryption === undefined
    ? {}
    : { SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: encryption.keyArn } };

/**
 * Actions on items, made over tables that ask for the key before they open (DynamoDB developer guide, "Authorizing use
 * of your customer managed key"): the caller needs kms:Decrypt through DynamoDB. All actions are done in one step, so
 * the caller of the present one is known when a table is opened.
 */
export function underKeys<Operations extends Readonly<Record<string, NamedOperation>>>(
  tables: Tables,
  keys: KeyGuard | undefined,
  make: (tables: Tables) => Operations,
): Operations {
  if (keys === undefined) return make(tables);
  let caller: Principal | undefined;
  const operations = make({
    ...tables,
    open(nameOrArn) {
      const table = tables.open(nameOrArn);
      if (table.encryption !== undefined)
        keys.use(table.encryption.keyArn, caller, 'decrypt', 'dynamodb', {
          'aws:dynamodb:tableName': table.name,
          'aws:dynamodb:subscriberId': tables.context.account,
        });
      return table;
    },
  });
  const judged = Object.entries(operations).map(([action, operation]) => {
    const run: NamedOperation = (input, call) => {
      caller = call?.principal;
      return operation(input, call);
    };
    return [action, run];
  });
  return Object.fromEntries(judged) as Operations;
}
