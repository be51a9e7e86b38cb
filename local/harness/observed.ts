import type { Milliseconds } from '../../lib/base/index.ts';
import { metricsNamespace } from '../../lib/topology/index.ts';
import type { MetricSink } from '../service.ts';

/** A line that a handler or the runtime logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Write = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A logger that keeps its lines, in the shape that `consume` takes. */
export interface HarnessLogger {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

/** What the runtime counts in one invocation, as it hands it to its metrics. */
export interface HarnessMeasures {
  readonly processed: number;
  readonly failed: number;
  readonly duplicates: number;
  readonly deferred: number;
  readonly expired: number;
  readonly unwanted: number;
  readonly stale: number;
  readonly parked: number;
  readonly deadLettered: ReadonlyMap<string, number>;
  readonly handlerTimes: readonly Milliseconds[];
}

/** Metrics that go to the model's CloudWatch, in the shape that `consume` takes. */
export interface HarnessMetrics {
  record(subscriber: string, measures: HarnessMeasures): void;
}

export function keepingLogger(lines: LogLine[]): HarnessLogger {
  const at =
    (level: LogLine['level']): Write =>
    (message, fields = {}) => {
      lines.push({ level, message, fields });
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function modelMetrics(sink: MetricSink): HarnessMetrics {
  const counts = [
    'processed',
    'failed',
    'duplicates',
    'deferred',
    'expired',
    'unwanted',
    'stale',
    'parked',
  ] as const;
  return {
    record(subscriber, measures) {
      const count = (name: string, value: number, unit: string, more: Record<string, string> = {}) =>
        sink.count(metricsNamespace, name, { subscriber, ...more }, value, unit);
      for (const name of counts) if (measures[name] > 0) count(name, measures[name], 'Count');
      for (const time of measures.handlerTimes) count('handlerTime', time, 'Milliseconds');
      for (const [reason, letters] of measures.deadLettered)
        count('deadLettered', letters, 'Count', { reason });
    },
  };
}
