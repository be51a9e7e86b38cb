import type { Subscriber, Topic } from '../topology/index.ts';
import { filled, type Line } from './dashboard-graph.ts';
import {
  functionMetrics,
  type MetricDefinition,
  queueMetrics,
  recordsMetrics,
  topicMetrics,
} from './metrics.ts';
import { prices } from './prices.ts';

const million = 1_000_000;
/** Lambda's megabytes are binary, and so are the gigabytes that it bills. */
const megabytesInGigabyte = 1024;
/** One call of SQS takes or deletes up to ten messages (SQS developer guide, quotas). */
const messagesInCall = 10;

/** US dollars an hour, from what one period cost: the same number whatever period the dashboard is set to. */
const perHour = (
  label: string,
  cost: string,
  ...metrics: [MetricDefinition, ...MetricDefinition[]]
): Line => ({
  label,
  expression: `3600 * (${cost}) / PERIOD(${metrics[0].id})`,
  metrics,
});

/** Calls of SQS: a delivery of SNS is one; receives and deletes come in batches, full ones at best. */
function requests({ name, batchSize }: Subscriber) {
  const metrics = [
    queueMetrics.sent(name),
    queueMetrics.received(name),
    queueMetrics.deleted(name),
    queueMetrics.emptyReceives(name),
  ] as const;
  const [sent, received, deleted, empty] = metrics.map(filled) as [string, string, string, string];
  const batch = Math.min(batchSize, messagesInCall);
  return { metrics, calls: `${sent} + (${received} + ${deleted}) / ${batch} + ${empty}` };
}

/** What a subscriber's queue costs. */
export function queueCost(subscriber: Subscriber): Line {
  const { metrics, calls } = requests(subscriber);
  const { value } = subscriber.fifo ? prices.sqsFifo : prices.sqsStandard;
  return perHour('SQS', `(${calls}) * ${value} / ${million}`, ...metrics);
}

/** What a subscriber's function costs. */
export function functionCost({ name, memorySize }: Subscriber): Line {
  const invocations = functionMetrics.invocations(name);
  const time = functionMetrics.time(name);
  return perHour(
    'Lambda',
    `${filled(invocations)} * ${prices.lambdaRequests.value} / ${million} + ${gigabyteSeconds(time, memorySize)} * ${prices.lambdaTime.value}`,
    invocations,
    time,
  );
}

const gigabyteSeconds = (time: MetricDefinition, memory: number): string =>
  `${filled(time)} * ${memory} / ${megabytesInGigabyte} / 1000`;

/** What a function's time is billed by: the memory that it holds, times how long. */
export function functionTime({ name, memorySize }: Subscriber): Line {
  const time = functionMetrics.time(name);
  return { label: 'Lambda GB-seconds', expression: gigabyteSeconds(time, memorySize), metrics: [time] };
}

/** What a topic costs: its publishes, and on FIFO their size and each delivery. */
export function topicCost({ name, fifo }: Topic): Line {
  const published = topicMetrics.published(name);
  if (!fifo)
    return perHour('SNS', `${filled(published)} * ${prices.snsStandard.value} / ${million}`, published);
  const size = topicMetrics.size(name);
  const delivered = topicMetrics.delivered(name);
  return perHour(
    'SNS',
    `(${filled(published)} * ${prices.snsFifo.value} + ${filled(delivered)} * ${prices.snsFifoDelivery.value}) / ${million} + ${filled(size)} * ${prices.snsFifoSize.value} / 1000000000`,
    published,
    delivered,
    size,
  );
}

/** What reads and writes of the records cost. */
export function recordsCost(): Line {
  const { writeUnits, readUnits } = recordsMetrics;
  return perHour(
    'DynamoDB',
    `(${filled(writeUnits)} * ${prices.writeUnits.value} + ${filled(readUnits)} * ${prices.readUnits.value}) / ${million}`,
    writeUnits,
    readUnits,
  );
}
