import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger';
import { MetricUnit, Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics';
import { metricsNamespace } from '../../lib/topology/index.ts';
import type { LogFields, Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Structured JSON lines by Powertools Logger; its level comes from `POWERTOOLS_LOG_LEVEL`. */
export function powertoolsLogger(serviceName: string, subscriber: string): Logger {
  const logger = new PowertoolsLogger({ serviceName, persistentKeys: { subscriber } });
  const line = (level: keyof Logger) => (message: string, fields?: LogFields) =>
    fields === undefined ? logger[level](message) : logger[level](message, { ...fields });
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/** A metric holds at most 100 values a line (embedded metric format specification); at the hundredth Powertools prints by itself. */
const valuesPerLine = 99;

/**
 * Embedded metric format by Powertools Metrics: one line for each invocation, and one for each reason for which
 * messages were dead-lettered. Only what is not zero is printed. The dimension is `subscriber` alone, so that
 * alarms name their metric without knowing a function.
 */
export function powertoolsMetrics(): Metrics {
  const metrics = new PowertoolsMetrics({ namespace: metricsNamespace });
  metrics.clearDefaultDimensions();
  return {
    record(subscriber, measures) {
      for (const name of [
        'processed',
        'failed',
        'duplicates',
        'deferred',
        'expired',
        'unwanted',
        'parked',
      ] as const)
        if (measures[name] > 0) metrics.addMetric(name, MetricUnit.Count, measures[name]);
      let onLine = 0;
      for (const time of measures.handlerTimes) {
        if (onLine === valuesPerLine) {
          metrics.addDimension('subscriber', subscriber).publishStoredMetrics();
          onLine = 0;
        }
        metrics.addMetric('handlerTime', MetricUnit.Milliseconds, time);
        onLine++;
      }
      if (metrics.hasStoredMetrics()) metrics.addDimension('subscriber', subscriber).publishStoredMetrics();
      for (const [reason, count] of measures.deadLettered) {
        metrics.addDimensions({ subscriber, reason }).addMetric('deadLettered', MetricUnit.Count, count);
        metrics.publishStoredMetrics();
      }
    },
  };
}
