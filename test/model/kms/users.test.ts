import { describe, expect, it } from 'vitest';
import { inWorld, roleArn, type World } from './support.ts';

async function table(world: World, SSESpecification: object, more: object = {}) {
  await world.call('dynamodb', 'CreateTable', {
    TableName: 'records',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    SSESpecification,
    ...more,
  });
}
const Item = { pk: { S: 'one' } };
const denied = {
  name: 'AccessDeniedException',
  message: expect.stringContaining('KMS key access denied error: User: '),
};
const dataCalls: readonly (readonly [string, object])[] = [
  ['PutItem', { TableName: 'records', Item }],
  ['GetItem', { TableName: 'records', Key: Item }],
  [
    'Query',
    {
      TableName: 'records',
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'one' } },
    },
  ],
  ['BatchGetItem', { RequestItems: { records: { Keys: [Item] } } }],
  ['TransactWriteItems', { TransactItems: [{ Put: { TableName: 'records', Item } }] }],
  ['ExecuteStatement', { Statement: `SELECT * FROM "records" WHERE pk = 'one'` }],
];

describe('A table under a customer key', () => {
  it.each(dataCalls)('lets a role do %s only with kms:Decrypt', (action, input) =>
    inWorld(async (world) => {
      await table(world, { Enabled: true, SSEType: 'KMS', KMSMasterKeyId: await world.key() });
      await world.call('dynamodb', action, input, world.role('worker', 'dynamodb:*', 'kms:Decrypt'));
      await expect(
        world.call('dynamodb', action, input, world.role('blind', 'dynamodb:*')),
      ).rejects.toMatchObject(denied);
      // A caller does not leave its name behind.
      await world.call('dynamodb', action, input);
    }),
  );

  it('tells each statement of a batch', () =>
    inWorld(async (world) => {
      await table(world, { Enabled: true, KMSMasterKeyId: await world.key() });
      const Statements = [{ Statement: `SELECT * FROM "records" WHERE pk = 'one'` }];
      const blind = world.role('blind', 'dynamodb:*');
      expect(await world.call('dynamodb', 'BatchExecuteStatement', { Statements }, blind)).toMatchObject({
        Responses: [{ Error: { Message: expect.stringContaining('KMS key access denied error') } }],
      });
    }));

  it('shows its key; without one DynamoDB owns it, and with none named it is that of AWS for the account', () =>
    inWorld(async (world) => {
      const keyArn = await world.key();
      const described = async () =>
        (
          await world.call<{ Table: { SSEDescription?: object } }>('dynamodb', 'DescribeTable', {
            TableName: 'records',
          })
        ).Table.SSEDescription;
      await table(world, { Enabled: false });
      expect(await described()).toBeUndefined();
      const update = (SSESpecification: object) =>
        world.call('dynamodb', 'UpdateTable', { TableName: 'records', SSESpecification });
      await update({ Enabled: true, KMSMasterKeyId: keyArn.split('/')[1] });
      expect(await described()).toEqual({ Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: keyArn });
      await update({ Enabled: true });
      const { KeyMetadata } = await world.call<{ KeyMetadata: { Arn: string } }>('kms', 'DescribeKey', {
        KeyId: 'alias/aws/dynamodb',
      });
      expect(await described()).toMatchObject({ KMSMasterKeyArn: KeyMetadata.Arn });
      await expect(update({ Enabled: true, KMSMasterKeyId: 'alias/none' })).rejects.toThrow(
        /KMS validation error/,
      );
    }));

  it('can be used by everybody in the account under the key that AWS manages', () =>
    inWorld(async (world) => {
      await table(world, { Enabled: true });
      await world.call('dynamodb', 'PutItem', { TableName: 'records', Item }, world.role('w', 'dynamodb:*'));
    }));

  it('is not deleted while it is protected', () =>
    inWorld(async ({ call, ...world }) => {
      await table({ call, ...world }, { Enabled: false }, { DeletionProtectionEnabled: true });
      await expect(call('dynamodb', 'DeleteTable', { TableName: 'records' })).rejects.toMatchObject({
        name: 'ValidationException',
        message:
          'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
      });
      await call('dynamodb', 'UpdateTable', { TableName: 'records', DeletionProtectionEnabled: false });
      await call('dynamodb', 'DeleteTable', { TableName: 'records' });
    }));
});

describe('A function whose variables are under a customer key', () => {
  const make = (world: World, KMSKeyArn: string | undefined, Variables: object = { SECRET: 'x' }) =>
    world.call('lambda', 'CreateFunction', {
      ...{ FunctionName: 'worker', Role: roleArn('worker'), Handler: 'index.handler', Code: {} },
      ...{ Environment: { Variables }, KMSKeyArn },
    });
  const invoke = async ({ call }: World) => {
    const { Payload } = await call<{ Payload: Uint8Array }>('lambda', 'Invoke', { FunctionName: 'worker' });
    return JSON.parse(Buffer.from(Payload).toString()) as unknown;
  };

  it('starts where its role may decrypt them', () =>
    inWorld(async (world) => {
      world.role('worker', 'kms:Decrypt');
      await make(world, await world.key());
      expect(await invoke(world)).toEqual({ secret: 'x' });
    }));
  it('does not start where it may not', () =>
    inWorld(async (world) => {
      world.role('worker', 'sqs:*');
      const keyArn = await world.key();
      expect(await make(world, keyArn)).toMatchObject({ KMSKeyArn: keyArn });
      await expect(invoke(world)).rejects.toMatchObject({
        name: 'KMSAccessDeniedException',
        statusCode: 502,
        message: expect.stringMatching(
          /^Lambda was unable to decrypt the environment variables because KMS access was denied\. Please check the function's KMS key settings\. .*assumed-role\/worker\/worker is not authorized to perform: kms:Decrypt/,
        ),
      });
    }));
  it('needs no key for no variables, and none when the key is taken away', () =>
    inWorld(async (world) => {
      world.role('worker', 'sqs:*');
      const keyArn = await world.key();
      await make(world, keyArn, {});
      expect(await invoke(world)).toEqual({});
      await world.call('lambda', 'UpdateFunctionConfiguration', {
        FunctionName: 'worker',
        Environment: { Variables: { SECRET: 'y' } },
      });
      await expect(invoke(world)).rejects.toMatchObject({ name: 'KMSAccessDeniedException' });
      await world.call('lambda', 'UpdateFunctionConfiguration', { FunctionName: 'worker', KMSKeyArn: '' });
      expect(await invoke(world)).toEqual({ secret: 'y' });
    }));
  it('that runs goes on; a new environment does not start under a disabled key', () =>
    inWorld(async (world) => {
      world.role('worker', 'kms:Decrypt');
      const KeyId = await world.key();
      await make(world, KeyId);
      await invoke(world);
      await world.call('kms', 'DisableKey', { KeyId });
      expect(await invoke(world)).toEqual({ secret: 'x' });
      await world.call('lambda', 'UpdateFunctionConfiguration', { FunctionName: 'worker', Timeout: 9 });
      await expect(invoke(world)).rejects.toMatchObject({ name: 'KMSDisabledException' });
    }));
});
