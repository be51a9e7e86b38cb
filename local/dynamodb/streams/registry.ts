import type { StreamSpecification } from '@aws-sdk/client-dynamodb';
import { uuid } from '../../../lib/base/index.ts';
import type { ModelContext } from '../../service.ts';
import { constraint, validation } from '../errors.ts';
import type { Table } from '../table.ts';
import { createStream, recordLife, type TableStream, type ViewType } from './stream.ts';

/** The streams of an account and region: of tables that there are, and of those that are gone for less than a day. */
export interface StreamRegistry {
  /**
   * Checks whether a table's stream can be turned on or off, as a request says.
   *
   * @returns the call that does it
   * @throws ValidationException for a specification that contradicts itself, and where there is nothing to change
   */
  prepare(table: Table, specification: StreamSpecification | undefined): () => void;
  /** Ends the stream of a table that is deleted. */
  end(table: Table): void;
  find(arn: string): TableStream | undefined;
  /** All streams, those of one table together, in the order in which they were turned on. */
  all(): readonly TableStream[];
}

const views: readonly string[] = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'];

/**
 * Reads what a request says of a stream.
 *
 * @returns the view of the stream that is wanted, or `undefined` for none
 */
export function readStreamSpecification(specification: StreamSpecification): ViewType | undefined {
  const { StreamEnabled: enabled, StreamViewType: view } = specification;
  if (enabled === undefined) throw constraint('null', 'streamSpecification.streamEnabled', 'not be null');
  if (view !== undefined && !views.includes(view))
    throw constraint(
      view,
      'streamSpecification.streamViewType',
      `satisfy enum value set: [${views.join(', ')}]`,
    );
  if (enabled && view === undefined)
    throw validation(
      'One or more parameter values were invalid: StreamViewType is required when StreamEnabled is true',
    );
  if (!enabled && view !== undefined)
    throw validation(
      `One or more parameter values were invalid: StreamViewType ${view} is given, but StreamEnabled is false`,
    );
  return enabled ? view : undefined;
}

/** No streams yet. */
export function createStreamRegistry({ clock, random }: ModelContext): StreamRegistry {
  const streams = new Map<string, TableStream>();
  const hex = () => uuid(random).replaceAll('-', '');

  /** The moment as text, as the service labels streams; a later one where the table has a stream of this label. */
  const labelFor = (table: Table): string => {
    for (let moment = clock.now() as number; ; moment++) {
      const label = new Date(moment).toISOString().slice(0, -1);
      if (!streams.has(arnOf(table, label))) return label;
    }
  };
  const end = (table: Table) => {
    if (table.stream !== undefined) table.stream.closedAt = clock.now();
    table.stream = undefined;
  };
  const turnOn = (table: Table, view: ViewType) => {
    const label = labelFor(table);
    const stream = createStream({
      arn: arnOf(table, label),
      label,
      tableName: table.name,
      schema: table.schema,
      viewType: view,
      shardId: `shardId-${String(clock.now()).padStart(20, '0')}-${hex().slice(0, 8)}`,
      eventPrefix: hex().slice(0, 12),
      now: clock.now,
    });
    streams.set(stream.arn, stream);
    table.stream = stream;
    table.latestStream = stream;
  };
  const forget = () => {
    // A stream that was turned off can be read for a day, as long as its last record lives.
    for (const [arn, { closedAt }] of streams)
      if (closedAt !== undefined && closedAt + recordLife <= clock.now()) streams.delete(arn);
  };

  return {
    prepare(table, specification) {
      if (specification === undefined) return () => {};
      const view = readStreamSpecification(specification);
      if (view === undefined) {
        if (table.stream === undefined)
          throw validation(`Table has no stream to disable: TableName: ${table.name}`);
        return () => end(table);
      }
      if (table.stream !== undefined)
        throw validation(`Table already has an enabled stream: TableName: ${table.name}`);
      return () => turnOn(table, view);
    },
    end,
    find(arn) {
      forget();
      return streams.get(arn);
    },
    all() {
      forget();
      return [...streams.values()];
    },
  };
}

const arnOf = (table: Table, label: string): string => `${table.arn}/stream/${label}`;
