import type { ModelContext } from '../service.ts';
import type { Table } from './table.ts';

/** What a service answers: the SDK's output without its metadata. */
export type Reply<Output> = Omit<Output, '$metadata'>;

/** The tables of an account and region. */
export interface Tables {
  readonly context: ModelContext;
  readonly byName: Map<string, Table>;
  /**
   * The table of this name or ARN, with its expired items gone as far as the service would have deleted them.
   *
   * @throws ResourceNotFoundException
   */
  open(nameOrArn: string | undefined): Table;
}
