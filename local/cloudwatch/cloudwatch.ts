import { milliseconds, type Timer } from '../../lib/base/index.ts';
import type { MetricSink, ModelContext, Service } from '../service.ts';
import { type AlarmChange, type AlarmView, alarmView } from './alarm.ts';
import { alarmOperations } from './alarm-operations.ts';
import { createAlarms, type Notify } from './alarms.ts';
import { dashboardOperations } from './dashboards.ts';
import { dataOperations } from './data-operations.ts';
import { ingestEmbeddedMetrics } from './emf.ts';
import { createAlarmHistory } from './history.ts';
import { createIdleQueues } from './idle.ts';
import { createSink } from './sink.ts';
import { createMetricStore, MINUTE } from './store.ts';

/** The model of CloudWatch. */
export interface CloudWatchModel extends Service {
  /** Where the model's services publish. */
  readonly metrics: MetricSink;
  /** Takes the metrics out of a log line; true when the line was in the embedded metric format. */
  ingestLogLine(line: string): boolean;
  /** Every alarm with its state. */
  alarms(): readonly AlarmView[];
  /** Calls `listener` at every change of an alarm's state; returns the call that ends it. */
  onAlarmChange(listener: (change: AlarmChange) => void): () => void;
  /** Reads gauges and evaluates alarms at every full minute of the clock from now on. */
  start(): void;
  /** Ends what {@link start} began. */
  stop(): void;
  /**
   * Does at once what {@link start} does at the end of each minute: reads the gauges into the minute that has
   * just ended and evaluates every alarm. For simulations that move their own clock from minute to minute.
   */
  endMinute(): void;
}

/** How the model behaves where AWS leaves room. */
export interface CloudWatchOptions {
  /**
   * Whether SQS publishes its counters only in minutes in which something happened, or zeros too: AWS's newer
   * and older documentation differ.
   *
   * @default 'sparse'
   */
  readonly queueCounters?: 'sparse' | 'always';
  /**
   * Where the windows of an alarm end that has no `EvaluationWindow` of its own: at each evaluation, as on AWS
   * (CloudWatch user guide, "Alarm evaluation window"), or at full periods of the clock. With one-minute periods
   * both are the same; with longer ones `sliding` sees a change up to a period earlier.
   *
   * @default 'sliding'
   */
  readonly evaluationWindow?: 'sliding' | 'wallClock';
}

/**
 * A model of CloudWatch: one-minute metrics, metric math, alarms that change state on the clock and notify
 * topics, and dashboards.
 *
 * What differs from AWS: points are kept by the minute (no high resolution), percentiles to three significant
 * digits, alarms notify SNS topics only, anomaly and log alarms are refused.
 *
 * @param context - clock, chance, account and Region; alarms are evaluated at full minutes of the clock
 * @param notify - publishes the message of an alarm's action to a topic
 * @example
 * ```ts
 * const cloudwatch = createCloudWatch(context, (topicArn, subject, message, sourceArn) =>
 *   sns.publishFromService(topicArn, { subject, message }, { service: 'cloudwatch.amazonaws.com', sourceArn }),
 * );
 * cloudwatch.start();
 * ```
 */
export function createCloudWatch(
  context: Omit<ModelContext, 'metrics'>,
  notify: Notify,
  options: CloudWatchOptions = {},
): CloudWatchModel {
  const { clock } = context;
  const idle = createIdleQueues(clock, context.random);
  const store = createMetricStore((namespace, dimensions) =>
    namespace === 'AWS/SQS' ? idle.holdOf(dimensions) : undefined,
  );
  const sink = createSink(clock, store, idle, options.queueCounters ?? 'sparse');
  const history = createAlarmHistory(clock);
  const alarms = createAlarms(context, store, history, notify, options.evaluationWindow ?? 'sliding');

  const end = (boundary: number) => {
    sink.sample(boundary / MINUTE - 1);
    alarms.evaluate(boundary);
  };
  let timer: Timer | undefined;
  const schedule = (boundary: number) => {
    timer = clock.after(milliseconds(Math.max(0, boundary - clock.now())), () => {
      // A machine's timer may come a little early; only a full minute ends one. After a long sleep of the
      // machine the minutes in between are not made up.
      const now = clock.now();
      if (now < boundary) return schedule(boundary);
      schedule((Math.floor(now / MINUTE) + 1) * MINUTE);
      end(Math.floor(now / MINUTE) * MINUTE);
    });
  };

  return {
    id: 'cloudwatch',
    operations: {
      ...dataOperations(clock, store),
      ...alarmOperations(alarms, history),
      ...dashboardOperations(clock, context.account),
    },
    metrics: sink,
    ingestLogLine: (line) => ingestEmbeddedMetrics(store, line, clock.now()),
    alarms: () => alarms.all().map(alarmView),
    onAlarmChange: alarms.onChange,
    start() {
      if (timer === undefined) schedule((Math.floor(clock.now() / MINUTE) + 1) * MINUTE);
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      alarms.stop();
    },
    endMinute: () => end(Math.floor(clock.now() / MINUTE) * MINUTE),
  };
}
