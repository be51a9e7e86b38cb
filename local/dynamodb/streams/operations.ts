import type {
  _Record,
  DescribeStreamCommandInput,
  DescribeStreamCommandOutput,
  GetRecordsCommandInput,
  GetRecordsCommandOutput,
  GetShardIteratorCommandInput,
  GetShardIteratorCommandOutput,
  ListStreamsCommandInput,
  ListStreamsCommandOutput,
} from '@aws-sdk/client-dynamodb-streams';
import { ServiceError } from '../../service.ts';
import { describeSchema } from '../describe.ts';
import { constraint, required, validation } from '../errors.ts';
import type { Reply, Tables } from '../model.ts';
import { readIterator, writeIterator } from './iterator.ts';
import type { StreamRegistry } from './registry.ts';
import { readSequenceNumber, recordOf, sequenceNumber, type TableStream } from './stream.ts';

/** Streams and shards of one answer; records and bytes of one answer (API reference of DynamoDB Streams). */
const mostListed = 100;
const mostRecords = 1_000;
const mostBytes = 1_048_576;

/** The actions of DynamoDB Streams. */
export function streamOperations(tables: Tables, registry: StreamRegistry) {
  const { clock, region } = tables.context;

  const streamOf = (arn: string | undefined): TableStream => {
    if (arn === undefined) throw required('streamArn');
    const stream = registry.find(arn);
    if (stream === undefined)
      throw new ServiceError(
        'ResourceNotFoundException',
        `Requested resource not found: Stream: ${arn} not found`,
      );
    // What has expired goes before anybody looks.
    if (stream.closedAt === undefined) tables.open(stream.tableName);
    return stream;
  };
  const checkShard = (stream: TableStream, shardId: string | undefined) => {
    if (shardId === undefined) throw required('shardId');
    if (shardId !== stream.shardId)
      throw new ServiceError(
        'ResourceNotFoundException',
        `Requested resource not found: Shard does not exist: ${shardId}`,
      );
  };

  return {
    ListStreams(input: ListStreamsCommandInput): Reply<ListStreamsCommandOutput> {
      const limit = limitOf(input.Limit, mostListed);
      const wanted = registry.all().filter(({ tableName }) => (input.TableName ?? tableName) === tableName);
      const start = wanted.findIndex(({ arn }) => arn === input.ExclusiveStartStreamArn) + 1;
      const page = wanted.slice(start, start + limit);
      const last = page.at(-1);
      return {
        Streams: page.map(({ arn, label, tableName }) => ({
          StreamArn: arn,
          TableName: tableName,
          StreamLabel: label,
        })),
        ...(last !== undefined && start + limit < wanted.length ? { LastEvaluatedStreamArn: last.arn } : {}),
      };
    },

    DescribeStream(input: DescribeStreamCommandInput): Reply<DescribeStreamCommandOutput> {
      limitOf(input.Limit, mostListed);
      const stream = streamOf(input.StreamArn);
      const shard = {
        ShardId: stream.shardId,
        SequenceNumberRange: {
          StartingSequenceNumber: sequenceNumber(0),
          ...(stream.closedAt === undefined ? {} : { EndingSequenceNumber: sequenceNumber(stream.last()) }),
        },
      };
      // A child of a shard that was read to its end is asked for by a filter; a stream of one shard has none.
      const hidden =
        input.ExclusiveStartShardId === stream.shardId || input.ShardFilter?.Type === 'CHILD_SHARDS';
      return {
        StreamDescription: {
          StreamArn: stream.arn,
          StreamLabel: stream.label,
          StreamStatus: stream.closedAt === undefined ? 'ENABLED' : 'DISABLED',
          StreamViewType: stream.viewType,
          CreationRequestDateTime: new Date(stream.createdAt),
          TableName: stream.tableName,
          KeySchema: describeSchema(stream.schema),
          Shards: hidden ? [] : [shard],
        },
      };
    },

    GetShardIterator(input: GetShardIteratorCommandInput): Reply<GetShardIteratorCommandOutput> {
      const stream = streamOf(input.StreamArn);
      checkShard(stream, input.ShardId);
      const next = startOf(stream, input, clock.now());
      return {
        ShardIterator: writeIterator({ arn: stream.arn, shardId: stream.shardId, next }, clock.now()),
      };
    },

    GetRecords(input: GetRecordsCommandInput): Reply<GetRecordsCommandOutput> {
      if (input.ShardIterator === undefined) throw required('shardIterator');
      const limit = limitOf(input.Limit, mostRecords);
      const position = readIterator(input.ShardIterator, clock.now());
      const stream = streamOf(position.arn);
      checkShard(stream, position.shardId);
      if (position.next < stream.oldest(clock.now())) throw trimmed(position.next);
      const Records: _Record[] = [];
      let bytes = 0;
      let { next } = position;
      for (const change of stream.from(next)) {
        if (Records.length === limit) break;
        const { record, size } = recordOf(stream, region, change);
        bytes += size;
        if (bytes > mostBytes && Records.length > 0) break;
        Records.push(record);
        next = change.sequence + 1;
      }
      const read = stream.closedAt !== undefined && next > stream.last();
      return {
        Records,
        ...(read ? {} : { NextShardIterator: writeIterator({ ...position, next }, clock.now()) }),
      };
    },
  };
}

function startOf(stream: TableStream, input: GetShardIteratorCommandInput, now: number): number {
  const { ShardIteratorType: type, SequenceNumber: text } = input;
  switch (type) {
    case 'TRIM_HORIZON':
      return stream.oldest(now);
    case 'LATEST':
      return stream.last() + 1;
    case 'AT_SEQUENCE_NUMBER':
    case 'AFTER_SEQUENCE_NUMBER': {
      if (text === undefined)
        throw validation(`SequenceNumber is required when ShardIteratorType is ${type}`);
      const number = readSequenceNumber(text);
      if (number === undefined || number > stream.last())
        throw validation(`Invalid SequenceNumber: ${text} is not one of shard ${stream.shardId}`);
      const next = Math.max(1, type === 'AT_SEQUENCE_NUMBER' ? number : number + 1);
      if (next < stream.oldest(now)) throw trimmed(next);
      return next;
    }
    case undefined:
      throw required('shardIteratorType');
    default:
      throw constraint(
        String(type),
        'shardIteratorType',
        'satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]',
      );
  }
}

const trimmed = (sequence: number) =>
  new ServiceError(
    'TrimmedDataAccessException',
    `The record with sequence number ${sequenceNumber(sequence)} is older than 24 hours and was trimmed. Begin anew at TRIM_HORIZON.`,
  );

function limitOf(limit: number | undefined, most: number): number {
  if (limit === undefined) return most;
  if (limit < 1 || limit > most) throw constraint(String(limit), 'limit', `be between 1 and ${most}`);
  return limit;
}
