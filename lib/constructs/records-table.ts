import { RemovalPolicy, Token } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  Table,
  TableEncryption,
  type TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { recordsTable } from '../topology/index.ts';
import { acknowledge } from './acknowledged.ts';
import { grantOnKey } from './encryption.ts';

/**
 * Props of {@link RecordsTable}.
 *
 * @example
 * ```ts
 * const props: RecordsTableProps = { removalPolicy: RemovalPolicy.DESTROY };
 * ```
 */
export interface RecordsTableProps {
  /**
   * A table that exists already, with the partition key, time to live and index that `recordsTable` of `sluice` names.
   * Nothing is made then.
   *
   * @default - a table is made
   */
  readonly table?: ITable | Table | TableV2 | undefined;
  /**
   * The table's physical name: 3 to 255 letters, digits, dots, hyphens or underscores (DynamoDB developer guide,
   * "Naming rules").
   *
   * @default - chosen by CloudFormation
   */
  readonly tableName?: string | undefined;
  /**
   * The customer key under which records are encrypted; with `table`, the key that it has, if the CDK does not know it.
   *
   * @default - the key of `table`; for a table that is made the AWS owned key of DynamoDB
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * What becomes of the table when the stack is deleted. Without its records, a replay repeats effects.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
  /**
   * Whether the table can be restored to any second of the last 35 days.
   *
   * @default true
   */
  readonly pointInTimeRecovery?: boolean | undefined;
  /**
   * Whether DynamoDB refuses to delete the table.
   *
   * @default false
   */
  readonly deletionProtection?: boolean | undefined;
}

/** What the runtime sends: statements for whole batches, reads, items and transactions for single events. */
const actions = [
  'dynamodb:BatchGetItem',
  'dynamodb:GetItem',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

/**
 * The table that remembers, for each subscriber, which events were done: on demand, with time to live and
 * point-in-time recovery.
 *
 * @throws Error when DynamoDB would refuse the table's name, or it is given beside an existing table
 * @example
 * ```ts
 * new RecordsTable(this, 'Records').grantConsume(role);
 * ```
 */
export class RecordsTable extends Construct {
  readonly table: ITable;
  /** The customer key under which it is, when there is one and it is known. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, props: RecordsTableProps = {}) {
    super(scope, id);
    demandTableName(props);
    // The CDK's own table is not quite what its interface says, where optional properties are exact.
    this.table = (props.table ?? this.#make(props)) as ITable;
    this.encryptionKey = props.encryptionKey ?? this.table.encryptionKey;
  }

  #make({
    tableName,
    encryptionKey,
    removalPolicy,
    pointInTimeRecovery,
    deletionProtection,
  }: RecordsTableProps) {
    const table = new Table(this, 'Table', {
      ...(tableName === undefined ? {} : { tableName }),
      partitionKey: { name: recordsTable.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: recordsTable.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery ?? true },
      removalPolicy: removalPolicy ?? RemovalPolicy.RETAIN,
      ...(encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      ...(deletionProtection === undefined ? {} : { deletionProtection }),
    });
    if (pointInTimeRecovery === false) acknowledge(table, 'unrestorableTable');
    // Only markers of groups have its key: records cost it nothing.
    const { indexName, partitionKey, sortKey } = recordsTable.groups;
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.NUMBER },
    });
    return table;
  }

  /**
   * Lets a consumer claim, complete and release records; nothing else, no scans, and not the index: that is for
   * operators. Of a customer key, through DynamoDB alone, what DynamoDB needs in the name of who reads and writes.
   *
   * @param grantee - a role or function
   * @example
   * ```ts
   * records.grantConsume(task.taskRole);
   * ```
   */
  grantConsume(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.table.tableArn] }).combine(
      grantOnKey(this.encryptionKey, grantee, 'dynamodb', ...keyActions),
    );
  }
}

/**
 * What DynamoDB does with a table's key in the name of who calls it (DynamoDB developer guide, "DynamoDB encryption at
 * rest", authorizing use of a customer managed key), but for what only the table's maker needs: to make grants.
 */
const keyActions = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Neither the CDK nor its validation looks at the name: without this, the deployment fails half-way. */
function demandTableName({ table, tableName }: RecordsTableProps): void {
  if (tableName === undefined) return;
  if (table !== undefined)
    throw new Error(
      `The table of records cannot be named "${tableName}" beside an existing table; allowed is one of both. Leave out tableName or table.`,
    );
  if (Token.isUnresolved(tableName) || /^[A-Za-z0-9._-]{3,255}$/.test(tableName)) return;
  throw new Error(
    `The table of records cannot be named "${tableName}"; allowed are 3 to 255 letters, digits, dots, hyphens or underscores. Rename it, or leave the name out.`,
  );
}
