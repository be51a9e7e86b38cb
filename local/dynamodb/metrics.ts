import type { MetricSink } from '../service.ts';
import type { Table } from './table.ts';

/**
 * Publishes what a table consumes, once a minute, and nothing for a minute in which it consumed nothing
 * (DynamoDB developer guide, metrics and dimensions).
 *
 * @returns the call that ends it
 */
export function announceMetrics(metrics: MetricSink, table: Table): () => void {
  const dimensions = { TableName: table.name };
  const gauge = (name: string, take: () => number) =>
    metrics.gauge('AWS/DynamoDB', name, dimensions, () => take() || undefined);
  const ends = [
    gauge('ConsumedReadCapacityUnits', () => {
      const units = table.readUnits;
      table.readUnits = 0;
      return units;
    }),
    gauge('ConsumedWriteCapacityUnits', () => {
      const units = table.writeUnits;
      table.writeUnits = 0;
      return units;
    }),
    gauge('ConditionalCheckFailedRequests', () => {
      const failed = table.failedConditions;
      table.failedConditions = 0;
      return failed;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
