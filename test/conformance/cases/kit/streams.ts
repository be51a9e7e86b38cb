import type { StreamViewType } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
} from '@aws-sdk/client-dynamodb-streams';
import type { World } from '../../world.ts';
import { type TableOptions, table } from './dynamodb.ts';

/** A table with a stream, from whose beginning records are read. */
export async function streamed(
  world: World,
  StreamViewType: StreamViewType = 'NEW_AND_OLD_IMAGES',
  options: TableOptions = {},
) {
  const made = await table(world, {
    ...options,
    more: { ...options.more, StreamSpecification: { StreamEnabled: true, StreamViewType } },
  });
  return {
    ...made,
    /** Reads from the beginning until `count` records are there, and a moment longer. */
    records: (count: number) => recordsOf(world, made.streamArn, count),
  };
}

/** The shards of a stream, parents before their children. */
export async function shardsOf({ dynamodbstreams }: World, StreamArn: string) {
  const { StreamDescription } = await dynamodbstreams.send(new DescribeStreamCommand({ StreamArn }));
  return StreamDescription?.Shards ?? [];
}

/** An iterator of a shard. */
export async function iteratorOf(
  { dynamodbstreams }: World,
  StreamArn: string,
  ShardId: string | undefined,
  at: Pick<GetShardIteratorCommandInput, 'ShardIteratorType' | 'SequenceNumber'>,
): Promise<string | undefined> {
  return (await dynamodbstreams.send(new GetShardIteratorCommand({ StreamArn, ShardId, ...at })))
    .ShardIterator;
}

/** Every record of a stream from its beginning, shard by shard, as soon as `count` are there. */
export async function recordsOf(world: World, streamArn: string, count: number): Promise<_Record[]> {
  const look = async () => {
    const found: _Record[] = [];
    for (const { ShardId } of await shardsOf(world, streamArn)) {
      let ShardIterator = await iteratorOf(world, streamArn, ShardId, {
        ShardIteratorType: 'TRIM_HORIZON',
      });
      // An open shard always has a next iterator: an empty answer is its end for now.
      while (ShardIterator !== undefined) {
        const page = await world.dynamodbstreams.send(new GetRecordsCommand({ ShardIterator }));
        found.push(...(page.Records ?? []));
        if ((page.Records ?? []).length === 0) break;
        ShardIterator = page.NextShardIterator;
      }
    }
    return found;
  };
  await world.eventually(`${count} records in the stream`, 5, async () =>
    (await look()).length >= count ? true : undefined,
  );
  await world.pass(0.3);
  return look();
}
