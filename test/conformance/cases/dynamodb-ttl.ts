import { deepEqual, equal, ok } from 'node:assert/strict';
import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { group } from '../case.ts';
import type { World } from '../world.ts';
import { exactly, index, invalid, item, table } from './kit/dynamodb.ts';
import { refused } from './kit/refusal.ts';
import { recordsOf, streamed } from './kit/streams.ts';

const guide = 'DynamoDB developer guide, "Using time to live (TTL) in DynamoDB"';
const hour = 3_600;

const set = ({ dynamodb }: World, TableName: string, Enabled: boolean, AttributeName = 'ttl') =>
  dynamodb.send(
    new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { Enabled, AttributeName } }),
  );
const told = async ({ dynamodb }: World, TableName: string) =>
  (await dynamodb.send(new DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
const seconds = (world: World, ahead: number) => Math.floor(world.now() / 1000) + ahead;

export const dynamodbTtl = group(
  'dynamodb-ttl',
  'Time to live',
  ['dynamodb'],
  [
    {
      name: 'turned-on-and-told',
      title: 'Time to live is off at first, and told when it is on.',
      source: {
        page: 'DynamoDB API reference, "UpdateTimeToLive"',
        says: 'it turns time to live on or off for one attribute',
      },
      async run(world) {
        const { name } = await table(world);
        deepEqual(await told(world, name), { TimeToLiveStatus: 'DISABLED' });
        await set(world, name, true);
        const found = await told(world, name);
        equal(found?.AttributeName, 'ttl');
        ok(/^ENABL/.test(found?.TimeToLiveStatus ?? ''), `The status is ${found?.TimeToLiveStatus}.`);
      },
    },
    {
      name: 'turned-on-twice',
      title: 'What is on is not turned on, nor for another attribute; what is off is not turned off.',
      source: {
        page: 'DynamoDB API reference, "UpdateTimeToLive"',
        says: 'a ValidationException for further calls; one attribute a table',
      },
      async run(world) {
        const { name } = await table(world);
        await refused('time to live turned off where it is off', invalid, () => set(world, name, false));
        await set(world, name, true);
        await refused('time to live turned on twice', invalid, () => set(world, name, true));
        await refused('time to live for a second attribute', invalid, () => set(world, name, true, 'other'));
      },
    },
    {
      name: 'expired-is-still-read',
      title: 'An expired item is read until it is deleted.',
      source: {
        page: 'DynamoDB developer guide, "Working with expired items and time to live"',
        says: 'expired items that are not yet deleted appear in reads, queries and scans, and can be updated',
      },
      async run(world) {
        const { name, put, get, query, update } = await table(world);
        await set(world, name, true);
        const ttl = seconds(world, -10);
        await put({ pk: 'a', ttl });
        deepEqual(await get('a'), item({ pk: 'a', ttl }), 'The item was gone ten seconds after its time.');
        equal((await query('pk = :p', { values: { p: 'a' } })).Count, 1);
        await update('a', 'SET n = :v', { values: { v: 1 }, ConditionExpression: 'attribute_exists(pk)' });
      },
    },
    {
      name: 'deleted-within-two-days',
      title: 'An expired item is deleted within two days; one that is not expired stays.',
      source: {
        page: guide,
        says: 'items are deleted within a few days of their expiration',
        conflict:
          'Older pages say 48 hours, the present one "a few days". The model deletes within 48 hours, each item at its own time.',
      },
      hours: true,
      async run(world) {
        const { name, put, get } = await table(world);
        await set(world, name, true);
        await put({ pk: 'expired', ttl: seconds(world, 10) });
        await put({ pk: 'later', ttl: seconds(world, 100 * hour) });
        await put({ pk: 'never' });
        await world.pass(60);
        ok(await get('expired'), 'It was gone a minute after its time.');
        await world.pass(50 * hour);
        equal(await get('expired'), undefined, 'It is there after two days.');
        ok(await get('later'), 'An item was deleted before its time.');
        ok(await get('never'), 'An item without a time was deleted.');
      },
    },
    {
      name: 'only-seconds-in-a-number',
      title:
        'Only a number of seconds since 1970 expires, no text, no milliseconds, nothing that is five years old.',
      source: {
        page: 'DynamoDB developer guide, "Computing Time to Live (TTL) in DynamoDB"',
        says: 'a Number in epoch seconds, not more than five years in the past; other items are left alone',
      },
      hours: true,
      async run(world) {
        const { name, put, get } = await table(world);
        await set(world, name, true);
        const now = seconds(world, 0);
        await put({ pk: 'text', ttl: String(now) });
        await put({ pk: 'milliseconds', ttl: now * 1000 });
        await put({ pk: 'old', ttl: now - 5 * 366 * 24 * hour });
        await put({ pk: 'list', ttl: [now] });
        await put({ pk: 'seconds', ttl: now });
        await put({ pk: 'fraction', ttl: exactly({ N: `${now}.5` }) });
        await world.pass(50 * hour);
        for (const pk of ['text', 'milliseconds', 'old', 'list'])
          ok(await get(pk), `The item with ${pk} was deleted.`);
        equal(await get('seconds'), undefined);
      },
    },
    {
      name: 'renewed-in-time',
      title: 'An item whose time is moved on stays.',
      source: {
        page: 'DynamoDB developer guide, "Working with expired items and time to live"',
        says: 'the attribute can be changed, also of an expired item that is not deleted yet',
      },
      hours: true,
      async run(world) {
        const { name, put, update, get } = await table(world);
        await set(world, name, true);
        await put({ pk: 'a', ttl: seconds(world, 10) });
        await world.pass(20);
        await update('a', 'SET #t = :v', { names: { t: 'ttl' }, values: { v: seconds(world, 100 * hour) } });
        await world.pass(50 * hour);
        ok(await get('a'), 'The renewed item was deleted.');
      },
    },
    {
      name: 'deleted-from-indexes',
      title: 'An expired item leaves the indexes too.',
      source: { page: guide, says: 'items are removed from indexes as by DeleteItem' },
      hours: true,
      async run(world) {
        const made = await table(world, { indexes: [index('byStatus', 'status')], defined: { status: 'S' } });
        await set(world, made.name, true);
        await made.put({ pk: 'a', status: 'open', ttl: seconds(world, 1) });
        await world.pass(50 * hour);
        const { Count } = await made.query('#s = :s', {
          IndexName: 'byStatus',
          names: { s: 'status' },
          values: { s: 'open' },
        });
        equal(Count, 0);
      },
    },
    {
      name: 'record-of-a-deletion-by-time',
      title: 'The stream tells of a deletion by time as the service’s own.',
      source: {
        page: 'DynamoDB developer guide, "DynamoDB Streams and Time to Live"',
        says: 'a REMOVE whose userIdentity has the type Service and the principal dynamodb.amazonaws.com',
      },
      needs: ['dynamodbstreams'],
      hours: true,
      async run(world) {
        const { name, put, remove, streamArn } = await streamed(world);
        await set(world, name, true);
        const expired = { pk: 'expired', ttl: seconds(world, 25 * hour) };
        await put(expired);
        let found = await recordsOf(world, streamArn, 1);
        for (
          let passed = 0;
          passed < 75 && found.every(({ eventName }) => eventName !== 'REMOVE');
          passed++
        ) {
          await world.pass(hour);
          found = await recordsOf(world, streamArn, 0);
        }
        const [record] = found.filter(({ eventName }) => eventName === 'REMOVE');
        deepEqual(record?.userIdentity, { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' });
        deepEqual(record?.dynamodb?.OldImage, item(expired));
        ok(
          (record?.dynamodb?.ApproximateCreationDateTime?.getTime() ?? 0) >= expired.ttl * 1000,
          'It was deleted before its time.',
        );
        await put({ pk: 'by hand' });
        await remove('by hand');
        const last = (await recordsOf(world, streamArn, 1)).at(-1);
        equal(last?.dynamodb?.Keys?.pk?.S, 'by hand');
        equal(last?.userIdentity, undefined, 'A caller’s deletion looks like the service’s.');
      },
    },
    {
      name: 'turned-off-again',
      title: 'Nothing is deleted when time to live is off again.',
      source: { page: guide, says: 'time to live can be disabled' },
      hours: true,
      async run(world) {
        const { name, put, get } = await table(world);
        await set(world, name, true);
        await put({ pk: 'a', ttl: seconds(world, 10 * hour) });
        await world.pass(2 * hour);
        await set(world, name, false);
        equal((await told(world, name))?.TimeToLiveStatus, 'DISABLED');
        await world.pass(80 * hour);
        ok(await get('a'), 'The item was deleted.');
      },
    },
  ],
);
