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
import { entrance } from '../base/index.ts';
import { type Effects, recordsTable } from '../topology/index.ts';
import { acknowledge } from './acknowledged.ts';
import { grantOnKey, keyItself } from './encryption.ts';
import { demandNone, type PropFault } from './judge.ts';

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

/**
 * What decides which of the table's actions a consumer sends.
 *
 * @example
 * ```ts
 * const use: RecordsUse = { effects: 'transactional', fifo: false };
 * ```
 */
export interface RecordsUse {
  /**
   * The subscriber's posture.
   *
   * @default - any
   */
  readonly effects?: Effects | undefined;
  /**
   * Whether its queue has groups, whose gaps the table marks.
   *
   * @default - it may have
   */
  readonly fifo?: boolean | undefined;
}

/**
 * What the runtime sends. Every posture claims, reads and settles records by statements and reads of whole batches. A
 * handler's commit (`commitWith`, the guard of a sequence) updates the record in a transaction, and so is a group's gap
 * marked; it is read by the handlers of groups. Events that commit together put their records.
 */
const actionsOf = ({ effects, fifo }: RecordsUse): string[] => [
  'dynamodb:BatchGetItem',
  ...(fifo === false ? [] : ['dynamodb:GetItem']),
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  ...(effects === undefined || effects === 'transactional' ? ['dynamodb:PutItem'] : []),
  ...(fifo === false && (effects === 'atLeastOnce' || effects === 'atMostOnce')
    ? []
    : ['dynamodb:UpdateItem']),
];

/**
 * The table that remembers, for each subscriber, which events were done: on demand, with time to live and
 * point-in-time recovery.
 *
 * @throws Error when DynamoDB would refuse the table's name, or something is said of an existing table
 * @example
 * ```ts
 * new RecordsTable(this, 'Records').grantConsume(role);
 * ```
 */
export class RecordsTable extends Construct {
  static {
    entrance(RecordsTable);
  }

  readonly table: ITable;
  /** The customer key under which it is, when there is one and it is known. */
  readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, props: RecordsTableProps = {}) {
    super(scope, id);
    demandNone(this, faultsOf(props));
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
      ...(encryptionKey === undefined
        ? {}
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: keyItself(encryptionKey) }),
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
   * @param use - what the subscriber does with the table; without it everything that any of them does
   * @example
   * ```ts
   * records.grantConsume(task.taskRole, { effects: 'transactional', fifo: false });
   * ```
   */
  grantConsume(grantee: IGrantable, use: RecordsUse = {}): Grant {
    const resourceArns = [this.table.tableArn];
    return Grant.addToPrincipal({ grantee, actions: actionsOf(use), resourceArns }).combine(
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

/**
 * Neither the CDK nor its validation looks at the name: without this, the deployment fails half-way. Of a table that
 * exists nothing is set: what is said of it would be lost.
 */
function faultsOf({ table, tableName, ...props }: RecordsTableProps): PropFault[] {
  if (table !== undefined)
    return Object.entries({
      tableName,
      removalPolicy: props.removalPolicy,
      pointInTimeRecovery: props.pointInTimeRecovery,
      deletionProtection: props.deletionProtection,
    }).flatMap(([property, value]) =>
      value === undefined
        ? []
        : {
            property,
            found: `${JSON.stringify(value)} beside an existing table`,
            allowed: 'one of both',
            remedy: `Leave out ${property} or table: the owner of a table decides.`,
          },
    );
  if (tableName === undefined || Token.isUnresolved(tableName) || /^[A-Za-z0-9._-]{3,255}$/.test(tableName))
    return [];
  return [
    {
      property: 'tableName',
      found: JSON.stringify(tableName),
      allowed: '3 to 255 letters, digits, dots, hyphens or underscores',
      remedy: 'Rename it, or leave the name out.',
    },
  ];
}
