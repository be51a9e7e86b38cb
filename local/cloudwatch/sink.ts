import type { Clock } from '../../lib/base/index.ts';
import type { Dimensions, MetricSink } from '../service.ts';
import type { IdleQueues } from './idle.ts';
import { addSample, addValue, type MetricStore, MINUTE, type Series } from './store.ts';

const SQS = 'AWS/SQS';
/** Counters that SQS published for every minute, zeros too, by its older documentation. */
const SQS_COUNTERS = [
  'NumberOfMessagesSent',
  'NumberOfMessagesReceived',
  'NumberOfMessagesDeleted',
  'NumberOfEmptyReceives',
];

/** The sink for the model's services, and the reading of its gauges. */
export interface SampledSink extends MetricSink {
  /** Reads every gauge into the given minute. */
  sample(minute: number): void;
}

/**
 * @param counters - whether SQS counters are published only when something happened (`sparse`) or for every
 * minute of an active queue (`always`)
 */
export function createSink(
  clock: Clock,
  store: MetricStore,
  idle: IdleQueues,
  counters: 'sparse' | 'always',
): SampledSink {
  const gauges = new Set<{ readonly series: Series; readonly read: () => number | undefined }>();

  return {
    count(namespace, name, dimensions: Dimensions, value, unit) {
      const series = store.series(namespace, name, dimensions);
      if (unit !== undefined) series.unit = unit;
      if (namespace === SQS && value > 0) idle.acted(dimensions);
      const minute = Math.floor(clock.now() / MINUTE);
      // Of times one asks for percentiles; of counts nobody does, and they are many.
      if (unit === 'Milliseconds') addSample(series, minute, value);
      else addValue(series, minute, value);
    },

    gauge(namespace, name, dimensions, read) {
      const gauge = { series: store.series(namespace, name, dimensions), read };
      gauges.add(gauge);
      // A queue registers its gauges when it is made, and that is an action as well.
      if (namespace === SQS) idle.acted(dimensions);
      return () => gauges.delete(gauge);
    },

    sample(minute) {
      const readings: { readonly series: Series; readonly value: number }[] = [];
      for (const { series, read } of gauges) {
        const value = read();
        if (value === undefined) continue;
        readings.push({ series, value });
        if (series.namespace === SQS) idle.read(series.dimensions, series.name, value);
      }
      // Only when all gauges of a queue are read is it known whether it publishes.
      for (const { series, value } of readings)
        if (series.namespace !== SQS || idle.isActive(series.dimensions)) addValue(series, minute, value);
      if (counters === 'sparse') return;
      for (const dimensions of idle.active())
        for (const name of SQS_COUNTERS) {
          const series = store.series(SQS, name, dimensions);
          if (!series.points.has(minute)) addValue(series, minute, 0);
        }
    },
  };
}
