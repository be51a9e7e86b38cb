import { Annotations, Stack } from 'aws-cdk-lib';
import { CfnGlobalTable, CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import type { IConstruct } from 'constructs';
import { recordsTable } from '../topology/index.ts';
import type { Report } from './check-props.ts';

const { partitionKey, timeToLive, groups } = recordsTable;

interface Attribute {
  readonly attributeName?: string;
  readonly attributeType?: string;
}

interface Key {
  readonly attributeName?: string;
  readonly keyType?: string;
}

/** The properties of a table of this app; of one that was imported nothing is known. */
function propertiesOf(table: IConstruct) {
  const made = table.node.defaultChild;
  if (!(made instanceof CfnTable || made instanceof CfnGlobalTable)) return undefined;
  const known = (value: unknown): unknown => Stack.of(made).resolve(value);
  return {
    keys: known(made.keySchema) as readonly Key[] | undefined,
    attributes: known(made.attributeDefinitions) as readonly Attribute[] | undefined,
    timeToLive: known(made.timeToLiveSpecification) as { readonly attributeName?: string } | undefined,
    indexes: known(made.globalSecondaryIndexes) as readonly { readonly indexName?: string }[] | undefined,
  };
}

/** A table without the keys of records takes none of them: every message would go back until it is too old. */
export function checkRecordsTable(table: IConstruct, report: Report): void {
  const found = propertiesOf(table);
  if (found === undefined || !Array.isArray(found.keys)) return;
  const typeOf = (name: string | undefined) =>
    found.attributes?.find?.(({ attributeName }) => attributeName === name)?.attributeType;
  const keys = found.keys.map(({ attributeName }) => `"${attributeName}" (${typeOf(attributeName) ?? '?'})`);
  const [first, ...rest] = found.keys;
  if (first?.attributeName !== partitionKey || rest.length > 0 || (typeOf(partitionKey) ?? 'S') !== 'S')
    report(
      'records',
      `a table with the key ${keys.join(' and ')}`,
      `the partition key "${partitionKey}" (S), and no sort key`,
      'Give a table of its own to records: RecordsTable makes one.',
    );
  if (found.timeToLive === undefined)
    Annotations.of(table).addWarningV2(
      'sluice:records-time-to-live',
      `The table of records has no time to live: records are kept and paid for ever. Set timeToLiveAttribute: '${timeToLive}'.`,
    );
  else if (found.timeToLive.attributeName !== timeToLive)
    report(
      'records',
      `a table with time to live by "${found.timeToLive.attributeName}"`,
      `time to live by "${timeToLive}", else records are kept for ever`,
      `Set timeToLiveAttribute: '${timeToLive}'.`,
    );
}

/** Asked when the app is complete, since an index may be added to a table at any time. */
export function missingIndex(table: IConstruct, halting: readonly string[]): string[] {
  const found = propertiesOf(table);
  if (found === undefined || halting.length === 0) return [];
  if (found.indexes?.some?.(({ indexName }) => indexName === groups.indexName)) return [];
  return [
    `records: found the table ${table.node.path} without the index "${groups.indexName}"; allowed: one with the partition key "${groups.partitionKey}" (S) and the sort key "${groups.sortKey}" (N), since ${halting.map((name) => `"${name}"`).join(', ')} halt groups, which an operator finds by it. Add it with addGlobalSecondaryIndex.`,
  ];
}
