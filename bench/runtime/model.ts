import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import {
  type AwsModel,
  createAws,
  createVirtualClock,
  modelClient,
  type VirtualClock,
} from '../../local/index.ts';
import { tables } from './names.ts';
import type { Send } from './tape.ts';

/** The model of AWS with the tables of the candidates. */
export interface BenchModel {
  readonly aws: AwsModel;
  readonly clock: VirtualClock;
  /** Answers the SDK's commands without HTTP. */
  readonly send: Send;
}

export async function createModel(): Promise<BenchModel> {
  const clock = createVirtualClock();
  const aws = createAws({ clock });
  const client = modelClient(aws, 'dynamodb');
  for (const [TableName, key] of [
    [tables.sluice, 'pk'],
    [tables.effects, 'pk'],
    [tables.powertools, 'id'],
  ] as const)
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
        KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      }),
    );
  return { aws, clock, send: client.send.bind(client) as unknown as Send };
}
