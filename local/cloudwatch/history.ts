import type {
  AlarmHistoryItem,
  AlarmType,
  DescribeAlarmHistoryCommandInput,
  HistoryItemType,
} from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../../lib/base/index.ts';
import { page } from './page.ts';

// CloudWatch user guide: the history of an alarm is kept for 30 days.
const KEPT = 30 * 24 * 60 * 60_000;

/** An alarm, and of which kind it is. */
export interface AlarmName {
  readonly name: string;
  readonly kind: AlarmType;
}

/** What happened to alarms, also to deleted ones. */
export interface AlarmHistory {
  add(alarm: AlarmName, type: HistoryItemType, summary: string, data: object): void;
  describe(input: DescribeAlarmHistoryCommandInput): {
    AlarmHistoryItems: AlarmHistoryItem[];
    NextToken?: string;
  };
}

/** An empty history. */
export function createAlarmHistory(clock: Clock): AlarmHistory {
  let items: (AlarmHistoryItem & { readonly Timestamp: Date })[] = [];
  return {
    add(alarm, type, summary, data) {
      const now = clock.now();
      items.push({
        AlarmName: alarm.name,
        AlarmType: alarm.kind,
        Timestamp: new Date(now),
        HistoryItemType: type,
        HistorySummary: summary,
        HistoryData: JSON.stringify({ version: '1.0', ...data }),
      });
      if (items[0]!.Timestamp.getTime() < now - KEPT)
        items = items.filter((item) => item.Timestamp.getTime() >= now - KEPT);
    },

    describe({ AlarmName, AlarmTypes, HistoryItemType, StartDate, EndDate, ScanBy, MaxRecords, NextToken }) {
      // CloudWatch API reference, DescribeAlarmHistory: metric alarms alone when no type is named.
      const kinds = AlarmTypes ?? ['MetricAlarm'];
      const found = items.filter(
        (item) =>
          kinds.includes(item.AlarmType ?? 'MetricAlarm') &&
          (AlarmName === undefined || item.AlarmName === AlarmName) &&
          (HistoryItemType === undefined || item.HistoryItemType === HistoryItemType) &&
          (StartDate === undefined || item.Timestamp >= StartDate) &&
          (EndDate === undefined || item.Timestamp <= EndDate),
      );
      if (ScanBy !== 'TimestampAscending') found.reverse();
      const { items: AlarmHistoryItems, next } = page(found, NextToken, MaxRecords ?? 100);
      return { AlarmHistoryItems, ...next };
    },
  };
}
