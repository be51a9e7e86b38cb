import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { recordsTable } from '../topology/index.ts';

/** Props of {@link RecordsTable}. */
export interface RecordsTableProps {
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
 * @example
 * ```ts
 * new RecordsTable(this, 'Records').grantConsume(role);
 * ```
 */
export class RecordsTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, props: RecordsTableProps = {}) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: recordsTable.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: recordsTable.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
  }

  /** Lets a consumer claim, complete and release records; nothing else, and no scans. */
  grantConsume(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.table.tableArn] });
  }
}
