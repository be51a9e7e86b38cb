import type { Graph } from './graph.ts';
import { deadLetterQueues, eventSources, isFifo, itself, queues, subscriptions } from './messaging.ts';
import { amount, within } from './phrases.ts';
import * as quotas from './quotas.ts';
import type { Finding, RuleTable } from './rule.ts';
import { boolean, number, property } from './value.ts';

/** A number of a queue that SQS keeps within limits. */
const range = (name: string, least: number, most: quotas.Quota) =>
  function* (graph: Graph): Iterable<Finding> {
    for (const at of queues(graph)) {
      const found = number(property(at.properties, name));
      if (typeof found === 'number' && (found < least || found > most.value))
        yield { at, found: `${name} ${amount(found, most.unit)}` };
    }
  };

const choose = 'Choose a value in that range, or leave it out.';

/** Rules on queues by themselves. */
export const queueRules = {
  'visibility-timeout': {
    severity: 'error',
    condition: 'A queue hides messages for longer than SQS allows.',
    allowed: within(0, quotas.visibilityMost),
    remedy: choose,
    why: 'SQS refuses the queue in the middle of the deployment.',
    source: quotas.visibilityMost.source,
    subjects: ['declaration', 'stack'],
    check: range('VisibilityTimeout', 0, quotas.visibilityMost),
  },
  'queue-retention': {
    severity: 'error',
    condition: 'A queue keeps messages shorter or longer than SQS allows.',
    allowed: within(quotas.retentionLeast.value, quotas.retentionMost),
    remedy: choose,
    why: 'SQS refuses the queue in the middle of the deployment.',
    source: quotas.retentionMost.source,
    subjects: ['declaration', 'stack'],
    check: range('MessageRetentionPeriod', quotas.retentionLeast.value, quotas.retentionMost),
  },
  'queue-delay': {
    severity: 'error',
    condition: 'A queue delays messages for longer than SQS allows.',
    allowed: within(0, quotas.delayMost),
    remedy: choose,
    why: 'SQS refuses the queue in the middle of the deployment.',
    source: quotas.delayMost.source,
    subjects: ['stack'],
    check: range('DelaySeconds', 0, quotas.delayMost),
  },
  'receive-wait': {
    severity: 'error',
    condition: 'A receive waits for longer than SQS allows.',
    allowed: within(0, quotas.receiveWaitMost),
    remedy: choose,
    why: 'SQS refuses the queue in the middle of the deployment.',
    source: quotas.receiveWaitMost.source,
    subjects: ['stack'],
    check: range('ReceiveMessageWaitTimeSeconds', 0, quotas.receiveWaitMost),
  },
  'message-size': {
    severity: 'error',
    condition: 'A queue takes messages that are smaller or larger than SQS allows.',
    allowed: within(quotas.messageBytesLeast.value, quotas.messageBytesMost),
    remedy: choose,
    why: 'SQS refuses the queue in the middle of the deployment.',
    source: quotas.messageBytesMost.source,
    subjects: ['stack'],
    check: range('MaximumMessageSize', quotas.messageBytesLeast.value, quotas.messageBytesMost),
  },
  'fifo-throughput': {
    severity: 'error',
    condition: 'A FIFO queue has its throughput by message group, and not its deduplication.',
    allowed: 'FifoThroughputLimit perMessageGroupId together with DeduplicationScope messageGroup',
    remedy: 'Set DeduplicationScope to messageGroup, or leave FifoThroughputLimit out.',
    why: 'SQS refuses the queue in the middle of the deployment.',
    source: 'SQS developer guide, "High throughput for FIFO queues"',
    subjects: ['stack'],
    *check(graph) {
      for (const at of queues(graph)) {
        const limit = property(at.properties, 'FifoThroughputLimit');
        const scope = property(at.properties, 'DeduplicationScope');
        if (limit === 'perMessageGroupId' && (scope === null || scope === 'queue'))
          yield {
            at,
            found: `FifoThroughputLimit perMessageGroupId with DeduplicationScope ${scope ?? 'left out, which is queue'}`,
          };
      }
    },
  },
  'fifo-attribute': {
    severity: 'error',
    condition: 'A standard queue or topic has an attribute that only a FIFO one has.',
    allowed:
      'ContentBasedDeduplication, DeduplicationScope, FifoThroughputLimit, FifoThroughputScope and ArchivePolicy on FIFO only',
    remedy: 'Make it FIFO, or leave the attribute out.',
    why: 'AWS refuses it in the middle of the deployment; and whoever set it counts on a deduplication that is not there.',
    source: quotas.visibilityDefault.source,
    subjects: ['stack'],
    *check(graph) {
      for (const at of [...queues(graph), ...graph.of('AWS::SNS::Topic')])
        for (const name of fifoAttributes) {
          const value = property(at.properties, name);
          if (
            value !== null &&
            value !== undefined &&
            boolean(value) !== false &&
            isFifo(itself(at)) === false
          )
            yield { at, found: `${name} on a standard ${at.type.endsWith('Topic') ? 'topic' : 'queue'}` };
        }
    },
  },
  'in-flight': {
    severity: 'warning',
    condition: 'A consumer can hold more messages at once than SQS hands out.',
    allowed: `up to ${quotas.inFlightMost.value} messages in flight: maximum concurrency x batch size`,
    remedy: 'Lower the maximum concurrency or the batch size.',
    why: 'At the quota a standard queue refuses every receive, and a FIFO queue falls silent: consumers wait although there is work.',
    source: quotas.inFlightMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, batchSize, maxConcurrency } of eventSources(graph)) {
        const concurrency = number(maxConcurrency);
        if (typeof concurrency !== 'number' || batchSize === undefined) continue;
        if (concurrency > quotas.concurrencyMost.value || batchSize > quotas.batchSizeMost.value) continue;
        if (concurrency * batchSize > quotas.inFlightMost.value)
          yield { at, found: `${concurrency} invocations x ${batchSize} messages` };
      }
    },
  },
  'dead-letter-queue-missing': {
    severity: 'error',
    condition: 'A queue with a subscription or an event source has no dead-letter queue.',
    allowed: 'a redrive policy on every queue that is consumed',
    remedy: 'Give it a dead-letter queue of its own kind.',
    why: 'A message that always fails comes back until its retention ends and is then deleted: it is lost; on FIFO its group sticks until then.',
    source: 'SQS developer guide, "Using dead-letter queues"',
    subjects: ['stack'],
    *check(graph) {
      const consumed = new Set([
        ...eventSources(graph).map(({ queue }) => queue),
        ...subscriptions(graph).map(({ endpoint }) => endpoint?.resource),
      ]);
      const given = deadLetterQueues(graph);
      if (given === undefined) return;
      for (const at of queues(graph))
        if (consumed.has(at) && !given.has(at) && property(at.properties, 'RedrivePolicy') === null)
          yield { at, found: 'no RedrivePolicy' };
    },
  },
} as const satisfies RuleTable;

const fifoAttributes = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'FifoThroughputLimit',
  'FifoThroughputScope',
  'ArchivePolicy',
];
