import { CfnParameter, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Table, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RecordsTable } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { make, mayDo, newRole, newStack } from './support.ts';

const partitionKey = { name: 'pk', type: AttributeType.STRING };

const actions = ['BatchGetItem', 'GetItem', 'PartiQLInsert', 'PartiQLUpdate', 'PutItem', 'UpdateItem'];

describe('A table of records that is made alone', () => {
  it('outlives its stack, can be restored, and is encrypted under DynamoDB’s own key', () => {
    const stack = newStack();
    new RecordsTable(stack, 'Records');
    const { Properties, DeletionPolicy } = make(stack).resource('RecordsTable');
    expect(DeletionPolicy).toBe('Retain');
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    expect(Properties).not.toHaveProperty('SSESpecification');
    expect(Properties).not.toHaveProperty('DeletionProtectionEnabled');
  });

  it('is as it is told to be', () => {
    const stack = newStack();
    const encryptionKey = new Key(stack, 'Key');
    const records = new RecordsTable(stack, 'Records', {
      tableName: 'records',
      encryptionKey,
      removalPolicy: RemovalPolicy.DESTROY,
      pointInTimeRecovery: false,
      deletionProtection: true,
    });
    expect(records.encryptionKey).toBe(encryptionKey);
    const made = make(stack);
    const { Properties, DeletionPolicy } = made.resource('RecordsTable');
    expect(DeletionPolicy).toBe('Delete');
    expect(Properties).toMatchObject({
      TableName: 'records',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      SSESpecification: {
        SSEEnabled: true,
        SSEType: 'KMS',
        KMSMasterKeyId: { 'Fn::GetAtt': [made.resource('Key').id, 'Arn'] },
      },
    });
  });
});

describe('A consumer of records', () => {
  it('may do on the table what the runtime sends, and nothing on its index', () => {
    const stack = newStack();
    new RecordsTable(stack, 'Records').grantConsume(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))).toEqual(
      actions.map((action) => `dynamodb:${action} on RecordsTable.Arn`),
    );
  });

  it('may use the table’s customer key through DynamoDB, and in no other way', () => {
    const stack = newStack();
    const encryptionKey = new Key(stack, 'Key');
    new RecordsTable(stack, 'Records', { encryptionKey }).grantConsume(newRole(stack));
    const allowed = mayDo(make(stack).statements('WorkerDefaultPolicy'));
    expect(allowed.filter((each) => each.startsWith('kms:'))).toEqual(
      ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
        (action) => `kms:${action} on Key.Arn through dynamodb.AWS::Region.amazonaws.com`,
      ),
    );
    expect(allowed).toHaveLength(6 + actions.length);
  });
});

describe('A table that exists', () => {
  it('is taken as it is, with its key', () => {
    const stack = newStack();
    const encryptionKey = new Key(stack, 'Key');
    const table = new Table(stack, 'Existing', { partitionKey, encryptionKey });
    const records = new RecordsTable(stack, 'Records', { table });
    records.grantConsume(newRole(stack));
    expect(records.table).toBe(table);
    const made = make(stack);
    expect(Object.values(made.resources).filter(({ Type }) => Type === 'AWS::DynamoDB::Table')).toHaveLength(
      1,
    );
    const allowed = mayDo(made.statements('WorkerDefaultPolicy'));
    expect(allowed).toContain('dynamodb:PartiQLInsert on Existing.Arn');
    expect(allowed).toContain('kms:Decrypt on Key.Arn through dynamodb.AWS::Region.amazonaws.com');
  });

  it('may be of the other construct of the CDK, or imported', () => {
    const stack = newStack();
    new RecordsTable(stack, 'New', { table: new TableV2(stack, 'Existing', { partitionKey }) });
    const imported = Table.fromTableArn(
      stack,
      'I',
      'arn:aws:dynamodb:eu-central-1:111111111111:table/records',
    );
    new RecordsTable(stack, 'Imported', { table: imported }).grantConsume(newRole(stack));
    expect(mayDo(make(stack).statements('WorkerDefaultPolicy'))[0]).toBe(
      'dynamodb:BatchGetItem on arn:aws:dynamodb:eu-central-1:111111111111:table/records',
    );
  });
});

describe('A name that cannot be', () => {
  it.each(['ab', 'my records', 'a'.repeat(256)])('"%s" is refused', (tableName) => {
    expect(() => new RecordsTable(newStack(), 'Records', { tableName })).toThrow(/3 to 255 letters/);
  });

  it('nor is anything that its owner decides, of a table that exists', () => {
    const stack = newStack();
    const { table } = new RecordsTable(stack, 'Records');
    const said = {
      removalPolicy: RemovalPolicy.DESTROY,
      pointInTimeRecovery: false,
      deletionProtection: true,
    };
    expect(() => new RecordsTable(stack, 'Again', { table, ...said })).toThrow(
      /Again has 3 faults:\n {2}- removalPolicy: .*\n {2}- pointInTimeRecovery: .*\n {2}- deletionProtection: /,
    );
  });

  it('nor can one beside an existing table; what only the deployment knows is let through', () => {
    const stack = newStack();
    const tableName = new CfnParameter(stack, 'Name').valueAsString;
    const { table } = new RecordsTable(stack, 'Records', { tableName });
    expect(() => new RecordsTable(stack, 'Again', { table, tableName: 'records' })).toThrow(
      'tableName: found "records" beside an existing table; allowed: one of both',
    );
  });
});
