import type {
  AlarmHistoryItem,
  DescribeAlarmHistoryCommandInput,
  HistoryItemType,
} from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../../lib/base/index.ts';
import { page } from './page.ts';

// CloudWatch user guide: the history of an alarm is kept for 30 days.
const KEPT = 30 * 24 * 60 * 60_000;

/** What happened to alarms, also to deleted ones. */
export interface AlarmHistory {
  add(alarm: string, type: HistoryItemType, summary: string, data: object): void;
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
        AlarmName: alarm,
        AlarmType: 'MetricAlarm',
        Timestamp: new Date(now),
        HistoryItemType: type,
        HistorySummary: summary,
        HistoryData: JSON.stringify({ version: '1.0', ...data }),
      });
      if (items[0]!.Timestamp.getTime() < now - KEPT)
        items = items.filter((item) => item.Timestamp.getTime() >= now - KEPT);
    },

    describe({ AlarmName, HistoryItemType, StartDate, EndDate, ScanBy, MaxRecords, NextToken }) {
      const found = items.filter(
        (item) =>
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
