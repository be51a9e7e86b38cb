import { type EventSourceView, eventSources, visibilityOf } from './messaging.ts';
import { amount, within } from './phrases.ts';
import * as quotas from './quotas.ts';
import type { RuleTable } from './rule.ts';
import { isList, list, number, numberOr, property, type Resource } from './value.ts';

const timeoutOf = (consumer: Resource): number | undefined =>
  numberOr(property(consumer.properties, 'Timeout'), quotas.functionTimeoutDefault.value);

/** What the visibility of an event source's queue is judged by, where all of it is known. */
function timesOf({ queue, function: consumer, batchWindow }: EventSourceView) {
  if (queue === undefined || consumer === undefined || batchWindow === undefined) return undefined;
  const [visibility, timeout] = [visibilityOf(queue), timeoutOf(consumer)];
  return visibility === undefined || timeout === undefined
    ? undefined
    : { queue, visibility, timeout, window: batchWindow };
}

/** Whether provisioned pollers, which exclude a maximum concurrency, keep to what the function may run. */
function isBoundByPollers(at: Resource, reserved: number): boolean {
  const pollers = property(at.properties, 'ProvisionedPollerConfig');
  if (pollers === null) return false;
  const most = numberOr(property(pollers, 'MaximumPollers'), quotas.maximumPollersDefault.value);
  return most === undefined || most * quotas.pollerConcurrency.value <= reserved;
}

/** Rules on event sources, the queues they read and the functions they call. */
export const eventSourceRules = {
  'visibility-below-timeout': {
    severity: 'error',
    condition: 'A queue shows a message again while the function may still work on it.',
    allowed: 'a visibility timeout of at least the function’s timeout plus the batch window',
    remedy: 'Raise the visibility timeout to 6 x timeout + batch window.',
    why: 'The message is handed out a second time in the middle of its work: its effect is doubled. Lambda refuses the event source, and says nothing when the timeout is raised later.',
    source: quotas.visibilityFactor.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const each of eventSources(graph)) {
        const times = timesOf(each);
        if (times === undefined) continue;
        const { queue, visibility, timeout, window } = times;
        if (visibility < timeout + window)
          yield {
            at: queue,
            found: `${amount(visibility, 'seconds')}, with a timeout of ${timeout} and a window of ${window}`,
            allowed: `at least ${timeout + window} seconds; advised are ${6 * timeout + window}`,
          };
      }
    },
  },
  'visibility-margin': {
    severity: 'warning',
    condition: 'A queue’s visibility timeout leaves no room for retries of the event source.',
    allowed: `at least ${quotas.visibilityFactor.value} x the function’s timeout, plus the batch window`,
    remedy: 'Raise the visibility timeout, or leave it out of a declaration.',
    why: 'When invocations are throttled, Lambda tries a batch again for a while; without the margin its messages come back meanwhile and their receives are burnt.',
    source: quotas.visibilityFactor.source,
    subjects: ['stack'],
    *check(graph) {
      for (const each of eventSources(graph)) {
        const times = timesOf(each);
        if (times === undefined) continue;
        const { queue, visibility, timeout, window } = times;
        const advised = Math.min(
          quotas.visibilityMost.value,
          quotas.visibilityFactor.value * timeout + window,
        );
        if (visibility >= timeout + window && visibility < advised)
          yield {
            at: queue,
            found: `${amount(visibility, 'seconds')}, with a timeout of ${timeout} and a window of ${window}`,
            allowed: `at least ${advised} seconds`,
          };
      }
    },
  },
  'partial-batch-response': {
    severity: 'error',
    condition: 'An event source does not take the messages that failed from the function’s answer.',
    allowed: 'FunctionResponseTypes with ReportBatchItemFailures, or batches of one message',
    remedy: 'Set reportBatchItemFailures: true, and answer with batchItemFailures.',
    why: 'One failure sends the whole batch back: the effects of all others are doubled. A function that answers with failures is not understood, and they are deleted.',
    source: 'Lambda developer guide, "Handling errors for an SQS event source"',
    subjects: ['stack'],
    *check(graph) {
      for (const { at, batchSize } of eventSources(graph)) {
        const types = list(property(at.properties, 'FunctionResponseTypes'));
        if (types === undefined || types.includes(undefined) || batchSize === undefined || batchSize === 1)
          continue;
        if (!types.includes('ReportBatchItemFailures'))
          yield { at, found: `batches of ${batchSize} without ReportBatchItemFailures` };
      }
    },
  },
  'event-source-filter': {
    severity: 'error',
    condition: 'An event source filters messages of a queue.',
    allowed: 'no filter criteria on an event source of SQS',
    remedy: 'Filter in the subscription, or let the function acknowledge what it does not want.',
    why: 'What matches no filter is deleted from the queue without a word: lost.',
    source: 'Lambda developer guide, "Using event filtering with an Amazon SQS event source"',
    subjects: ['stack'],
    *check(graph) {
      for (const { at } of eventSources(graph)) {
        const filters = property(property(at.properties, 'FilterCriteria'), 'Filters');
        if (isList(filters) && filters.length > 0)
          yield { at, found: `${filters.length} ${filters.length === 1 ? 'filter' : 'filters'}` };
      }
    },
  },
  'batch-size': {
    severity: 'error',
    condition: 'An event source gathers more messages than Lambda allows.',
    allowed: `1 to ${quotas.batchSizeMost.value} messages, on FIFO to ${quotas.fifoBatchSizeMost.value}`,
    remedy: 'Choose a value in that range, or leave it out.',
    why: 'Lambda refuses the event source in the middle of the deployment.',
    source: quotas.batchSizeMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, fifo, batchSize } of eventSources(graph)) {
        if (batchSize === undefined) continue;
        const most = fifo === true ? quotas.fifoBatchSizeMost : quotas.batchSizeMost;
        if (batchSize < 1 || batchSize > most.value)
          yield {
            at,
            found: `${batchSize} messages${fifo === true ? ' on FIFO' : ''}`,
            allowed: within(1, most),
          };
      }
    },
  },
  'batch-window': {
    severity: 'error',
    condition: 'An event source gathers a batch for a time that Lambda does not allow.',
    allowed: `0 to ${quotas.batchWindowMost.value} seconds; none on FIFO, and at least 1 when the batch is larger than ${quotas.batchWithoutWindowMost.value}`,
    remedy: 'Choose a value in that range, or leave it out.',
    why: 'Lambda refuses the event source in the middle of the deployment.',
    source: quotas.batchWindowMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, fifo, batchSize, batchWindow: window } of eventSources(graph)) {
        if (window === undefined) continue;
        if (window > quotas.batchWindowMost.value || window < 0)
          yield { at, found: amount(window, 'seconds') };
        else if (fifo === true && window > 0) yield { at, found: `${amount(window, 'seconds')} on FIFO` };
        else if (fifo === false && batchSize !== undefined && window === 0) {
          if (batchSize > quotas.batchWithoutWindowMost.value)
            yield { at, found: `none, with batches of ${batchSize}` };
        }
      }
    },
  },
  'maximum-concurrency': {
    severity: 'error',
    condition: 'An event source’s maximum concurrency is out of Lambda’s limits.',
    allowed: within(quotas.concurrencyLeast.value, quotas.concurrencyMost),
    remedy: 'Choose a value in that range, or leave it out.',
    why: 'Lambda refuses the event source in the middle of the deployment.',
    source: quotas.concurrencyMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, maxConcurrency } of eventSources(graph)) {
        const found = number(maxConcurrency);
        if (typeof found !== 'number') continue;
        if (found < quotas.concurrencyLeast.value || found > quotas.concurrencyMost.value)
          yield { at, found: `MaximumConcurrency ${found}` };
      }
    },
  },
  'concurrency-above-reserved': {
    severity: 'error',
    condition: 'An event source calls a function more often at once than the function may run.',
    allowed: 'a maximum concurrency up to the function’s reserved concurrency',
    remedy: 'Lower the maximum concurrency, or raise or drop the reserved one.',
    why: 'The invocations above are throttled, and each burns a receive: messages that nobody tried end in the dead-letter queue.',
    source: quotas.concurrencyMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const { at, function: consumer, maxConcurrency, enabled } of eventSources(graph)) {
        if (consumer === undefined || enabled === false) continue;
        const reserved = number(property(consumer.properties, 'ReservedConcurrentExecutions'));
        const most = number(maxConcurrency);
        if (typeof reserved !== 'number' || typeof most !== 'number') continue;
        // Several queues share what the function may run.
        const together = eventSources(graph)
          .filter((other) => other.function === consumer && other.enabled !== false)
          .reduce((sum, other) => sum + (number(other.maxConcurrency) ?? 0), 0);
        if (most > reserved)
          yield {
            at,
            found: `MaximumConcurrency ${most} on a function with a reserved concurrency of ${reserved}`,
            allowed: `up to ${reserved}`,
          };
        else if (together > reserved)
          yield {
            at: consumer,
            found: `MaximumConcurrency ${together} of all its event sources, with a reserved concurrency of ${reserved}`,
            allowed: `up to ${reserved} together`,
          };
      }
    },
  },
  'reserved-concurrency-bound': {
    severity: 'warning',
    condition: 'A consumer is bounded by its reserved concurrency alone.',
    allowed: `maximum concurrency on the event source as the bound, or provisioned pollers that call up to ${quotas.pollerConcurrency.value} times each`,
    remedy:
      'Set MaximumConcurrency on the event source, up to the reserved concurrency; to switch a consumer off, set Enabled to false there.',
    why: 'The event source does not know the function’s bound: it goes on calling, is throttled, and each throttled invocation burns a receive.',
    source: quotas.concurrencyMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const { at, function: consumer, maxConcurrency, enabled } of eventSources(graph)) {
        if (consumer === undefined || maxConcurrency !== null || enabled !== true) continue;
        const reserved = number(property(consumer.properties, 'ReservedConcurrentExecutions'));
        if (typeof reserved !== 'number' || isBoundByPollers(at, reserved)) continue;
        yield { at: consumer, found: `a reserved concurrency of ${reserved}, and no maximum concurrency` };
      }
    },
  },
  'provisioned-pollers': {
    severity: 'error',
    condition: 'Provisioned pollers are out of Lambda’s limits, or stand beside a maximum concurrency.',
    allowed: `MinimumPollers ${quotas.minimumPollersLeast.value} to ${quotas.minimumPollersMost.value}, MaximumPollers up to ${quotas.maximumPollersMost.value}, and no MaximumConcurrency`,
    remedy: 'Choose one of them: pollers, or maximum concurrency.',
    why: 'Lambda refuses the event source in the middle of the deployment.',
    source: quotas.minimumPollersMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const { at, maxConcurrency } of eventSources(graph)) {
        const pollers = property(at.properties, 'ProvisionedPollerConfig');
        if (pollers === null || pollers === undefined) continue;
        const least = number(property(pollers, 'MinimumPollers'));
        const most = number(property(pollers, 'MaximumPollers'));
        if (typeof number(maxConcurrency) === 'number')
          yield { at, found: 'provisioned pollers with a maximum concurrency' };
        if (
          typeof least === 'number' &&
          (least < quotas.minimumPollersLeast.value || least > quotas.minimumPollersMost.value)
        )
          yield { at, found: `MinimumPollers ${least}` };
        if (
          typeof most === 'number' &&
          (most > quotas.maximumPollersMost.value || most < (typeof least === 'number' ? least : 1))
        )
          yield { at, found: `MaximumPollers ${most}` };
      }
    },
  },
} as const satisfies RuleTable;
