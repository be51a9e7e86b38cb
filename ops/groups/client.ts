/**
 * A client of DynamoDB, as far as these tools use one: the SDK's own is one, and so is that of `sluice/local`.
 *
 * @example
 * ```ts
 * const client: TableClient = new DynamoDBClient({ region: 'eu-west-1' });
 * ```
 */
export interface TableClient {
  /** Sends a command of the SDK and resolves with its output. */
  send(command: object): Promise<object>;
}
