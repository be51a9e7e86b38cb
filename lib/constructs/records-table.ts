import { RemovalPolicy, Token } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { recordsTable } from '../topology/index.ts';

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
   * The table's physical name: 3 to 255 letters, digits, dots, hyphens or underscores (DynamoDB developer guide,
   * "Naming rules").
   *
   * @default - chosen by CloudFormation
   */
  readonly tableName?: string | undefined;
  /**
   * What becomes of the table when the stack is deleted. Without its records, a replay repeats effects.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy | undefined;
}

/** What the runtime sends: statements for whole batches, items and transactions for single events. */
const actions = [
  'dynamodb:BatchGetItem',
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:GetItem',
  'dynamodb:PartiQLDelete',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];

/**
 * The table that remembers, for each subscriber, which events were done: on demand, with time to live and
 * point-in-time recovery.
 *
 * @throws Error when DynamoDB would refuse the table's name
 * @example
 * ```ts
 * new RecordsTable(this, 'Records').grantConsume(role);
 * ```
 */
export class RecordsTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, props: RecordsTableProps = {}) {
    super(scope, id);
    demandTableName(props.tableName);
    this.table = new Table(this, 'Table', {
      ...(props.tableName === undefined ? {} : { tableName: props.tableName }),
      partitionKey: { name: recordsTable.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: recordsTable.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
    // Only markers of groups have its key: records cost it nothing.
    const { indexName, partitionKey, sortKey } = recordsTable.groups;
    this.table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: AttributeType.NUMBER },
    });
  }

  /** Lets a consumer claim, complete and release records; nothing else, and no scans. */
  grantConsume(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.table.tableArn] });
  }
}

/** Neither the CDK nor its validation looks at the name: without this, the deployment fails half-way. */
function demandTableName(name: string | undefined): void {
  if (name === undefined || Token.isUnresolved(name) || /^[A-Za-z0-9._-]{3,255}$/.test(name)) return;
  throw new Error(
    `The table of records cannot be named "${name}"; allowed are 3 to 255 letters, digits, dots, hyphens or underscores. Rename it, or leave the name out.`,
  );
}
