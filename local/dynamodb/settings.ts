import type {
  ContinuousBackupsDescription,
  DescribeContinuousBackupsCommandInput,
  DescribeContinuousBackupsCommandOutput,
  DescribeTimeToLiveCommandInput,
  DescribeTimeToLiveCommandOutput,
  ListTagsOfResourceCommandInput,
  ListTagsOfResourceCommandOutput,
  TagResourceCommandInput,
  UntagResourceCommandInput,
  UpdateContinuousBackupsCommandInput,
  UpdateContinuousBackupsCommandOutput,
  UpdateTimeToLiveCommandInput,
  UpdateTimeToLiveCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { days, minutes, toMilliseconds } from '../../lib/base/index.ts';
import { ServiceError } from '../service.ts';
import { required, validation } from './errors.ts';
import type { Reply, Tables } from './model.ts';
import type { Table } from './table.ts';

/** How far back a table can be restored, and how far behind the present it ends (developer guide, point-in-time recovery). */
const defaultRecoveryDays = 35;
const recoveryDelay = toMilliseconds(minutes(5));
const maximumTags = 50;

/** What can be set on a table beside its keys: expiry, backups, tags. */
export function settingOperations(tables: Tables) {
  const { clock } = tables.context;
  const backups = (table: Table): ContinuousBackupsDescription => ({
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription:
      table.recovery === undefined
        ? { PointInTimeRecoveryStatus: 'DISABLED' }
        : {
            PointInTimeRecoveryStatus: 'ENABLED',
            RecoveryPeriodInDays: table.recovery.days,
            EarliestRestorableDateTime: new Date(
              Math.max(table.recovery.since, clock.now() - toMilliseconds(days(table.recovery.days))),
            ),
            LatestRestorableDateTime: new Date(Math.max(table.recovery.since, clock.now() - recoveryDelay)),
          },
  });

  return {
    UpdateTimeToLive(input: UpdateTimeToLiveCommandInput): Reply<UpdateTimeToLiveCommandOutput> {
      const table = tables.open(input.TableName);
      const { Enabled: enabled, AttributeName: name } = input.TimeToLiveSpecification ?? {};
      if (enabled === undefined || name === undefined || name === '')
        throw required('timeToLiveSpecification');
      if (enabled && table.expiryAttribute !== undefined)
        throw validation(
          table.expiryAttribute === name
            ? 'TimeToLive is already enabled'
            : `TimeToLive is active on a different AttributeName: current AttributeName is ${table.expiryAttribute}`,
        );
      if (!enabled && table.expiryAttribute === undefined) throw validation('TimeToLive is already disabled');
      if (!enabled && table.expiryAttribute !== name)
        throw validation(
          `TimeToLive is active on a different AttributeName: current AttributeName is ${table.expiryAttribute}`,
        );
      table.expiryAttribute = enabled ? name : undefined;
      return { TimeToLiveSpecification: { Enabled: enabled, AttributeName: name } };
    },

    DescribeTimeToLive(input: DescribeTimeToLiveCommandInput): Reply<DescribeTimeToLiveCommandOutput> {
      const { expiryAttribute } = tables.open(input.TableName);
      return {
        TimeToLiveDescription:
          expiryAttribute === undefined
            ? { TimeToLiveStatus: 'DISABLED' }
            : { TimeToLiveStatus: 'ENABLED', AttributeName: expiryAttribute },
      };
    },

    DescribeContinuousBackups(
      input: DescribeContinuousBackupsCommandInput,
    ): Reply<DescribeContinuousBackupsCommandOutput> {
      return { ContinuousBackupsDescription: backups(openNamed(tables, input.TableName)) };
    },

    UpdateContinuousBackups(
      input: UpdateContinuousBackupsCommandInput,
    ): Reply<UpdateContinuousBackupsCommandOutput> {
      const table = openNamed(tables, input.TableName);
      const specification = input.PointInTimeRecoverySpecification;
      if (specification?.PointInTimeRecoveryEnabled === undefined)
        throw required('pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled');
      const period = specification.RecoveryPeriodInDays ?? defaultRecoveryDays;
      if (period < 1 || period > defaultRecoveryDays)
        throw validation(
          `RecoveryPeriodInDays ${period} is not allowed; it has to be between 1 and ${defaultRecoveryDays}`,
        );
      table.recovery = specification.PointInTimeRecoveryEnabled
        ? { days: period, since: table.recovery?.since ?? clock.now() }
        : undefined;
      return { ContinuousBackupsDescription: backups(table) };
    },

    TagResource(input: TagResourceCommandInput): object {
      const { tags } = tables.open(input.ResourceArn);
      const added = input.Tags ?? [];
      const keys = new Set([...tags.keys(), ...added.map((tag) => tag.Key ?? '')]);
      if (keys.size > maximumTags)
        throw validation(`A table has at most ${maximumTags} tags; with these it would have ${keys.size}`);
      for (const tag of added) tags.set(tag.Key ?? '', { Key: tag.Key, Value: tag.Value });
      return {};
    },

    UntagResource(input: UntagResourceCommandInput): object {
      const { tags } = tables.open(input.ResourceArn);
      for (const key of input.TagKeys ?? []) tags.delete(key);
      return {};
    },

    ListTagsOfResource(input: ListTagsOfResourceCommandInput): Reply<ListTagsOfResourceCommandOutput> {
      return { Tags: [...tables.open(input.ResourceArn).tags.values()].map((tag) => ({ ...tag })) };
    },
  };
}

function openNamed(tables: Tables, name: string | undefined): Table {
  if (name !== undefined && !tables.byName.has(name))
    throw new ServiceError('TableNotFoundException', `Table not found: ${name}`);
  return tables.open(name);
}
