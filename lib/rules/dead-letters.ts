import type { Graph } from './graph.ts';
import { eventSources, isFifo, itself, queues, redriveOf, retentionOf } from './messaging.ts';
import * as quotas from './quotas.ts';
import type { RuleTable } from './rule.ts';
import { document, list, number, property, type Resource } from './value.ts';

/** Queues with the dead-letter queue that they have among those that were read. */
function* pairs(graph: Graph): Iterable<{ readonly at: Resource; readonly target: Resource }> {
  for (const at of queues(graph)) {
    const target = redriveOf(graph, at)?.target?.resource;
    if (target?.type === 'AWS::SQS::Queue') yield { at, target };
  }
}

/** The receives that a message has until SQS gives it up. */
function* receives(graph: Graph): Iterable<{ readonly at: Resource; readonly count: number }> {
  for (const at of queues(graph)) {
    const count = number(redriveOf(graph, at)?.maxReceiveCount ?? null);
    if (typeof count === 'number') yield { at, count };
  }
}

/** One more than SQS asks for: the first receive may be none that anybody worked on. */
const fewestReceives = quotas.maxReceiveCountLeast.value + 1;

/** Rules on dead-letter queues of queues. */
export const deadLetterRules = {
  'dead-letter-retention': {
    severity: 'error',
    condition: 'A standard dead-letter queue keeps messages no longer than its source.',
    allowed: `more than the source’s retention, or ${quotas.retentionMost.value} seconds for both`,
    remedy: 'Keep dead letters longer than the queue keeps messages: 14 days cost nothing more.',
    why: 'On a standard queue the age goes on counting in the dead-letter queue: what failed late is deleted at once, and lost.',
    source: 'SQS developer guide, "Using dead-letter queues"',
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, target } of pairs(graph)) {
        const [own, others] = [retentionOf(at), retentionOf(target)];
        if (own === undefined || others === undefined || isFifo(itself(at)) !== false) continue;
        if (others <= own && others < quotas.retentionMost.value)
          yield {
            at: target,
            found: `${others} seconds, and ${own} seconds on ${at.logicalId}`,
            allowed: `more than ${own} seconds, up to ${quotas.retentionMost.value}`,
          };
      }
    },
  },
  'dead-letter-kind': {
    severity: 'error',
    condition: 'A dead-letter queue is of another kind than its queue.',
    allowed: 'FIFO for a FIFO queue, standard for a standard one',
    remedy: 'Make both of one kind.',
    why: 'SQS refuses the redrive policy in the middle of the deployment.',
    source: 'SQS developer guide, "Using dead-letter queues"',
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const at of queues(graph)) {
        const target = redriveOf(graph, at)?.target;
        if (target === undefined) continue;
        const [own, others] = [isFifo(itself(at)), isFifo(target)];
        if (own !== undefined && others !== undefined && own !== others)
          yield {
            at,
            found: `a ${others ? 'FIFO' : 'standard'} dead-letter queue on a ${own ? 'FIFO' : 'standard'} queue`,
          };
      }
    },
  },
  'dead-letter-loop': {
    severity: 'error',
    condition: 'A queue gives up its messages to itself, or to a queue that gives them back.',
    allowed: 'dead-letter queues that lead nowhere else',
    remedy: 'Give the dead-letter queue no redrive policy.',
    why: 'What always fails goes round until its retention ends, is counted as new each time, and is lost without ever lying still.',
    source: 'SQS developer guide, "Using dead-letter queues"',
    subjects: ['stack'],
    *check(graph) {
      for (const at of queues(graph)) {
        const seen = new Set<Resource>();
        let next: Resource | undefined = at;
        while (next !== undefined && !seen.has(next)) {
          seen.add(next);
          next = redriveOf(graph, next)?.target?.resource;
        }
        if (next === at) yield { at, found: [...seen, at].map(({ logicalId }) => logicalId).join(' -> ') };
      }
    },
  },
  'redrive-allow': {
    severity: 'error',
    condition: 'A dead-letter queue does not admit the queue that uses it.',
    allowed: 'redriveAllowPolicy allowAll, or byQueue with the queue’s ARN',
    remedy: 'Add the queue to sourceQueueArns, or leave redriveAllowPolicy out.',
    why: 'SQS refuses the redrive policy in the middle of the deployment.',
    source: 'SQS API reference, "SetQueueAttributes"',
    subjects: ['stack'],
    *check(graph) {
      for (const { at, target } of pairs(graph)) {
        const policy = document(property(target.properties, 'RedriveAllowPolicy'));
        const permission = property(policy, 'redrivePermission');
        if (permission === 'denyAll')
          yield { at: target, found: `denyAll, and ${at.logicalId} gives up to it` };
        if (permission !== 'byQueue') continue;
        const sources = list(property(policy, 'sourceQueueArns'))?.map((each) => graph.link(target, each));
        const known = sources?.every((link) => link?.resource !== undefined);
        if (known && !sources?.some((link) => link?.resource === at))
          yield { at: target, found: `byQueue without ${at.logicalId}` };
      }
    },
  },
  'max-receive-count': {
    severity: 'error',
    condition: 'A queue gives messages up after one receive that fails, or after more than SQS counts.',
    allowed: `${fewestReceives} to ${quotas.maxReceiveCountMost.value} receives`,
    remedy: 'Choose a number far above the attempts: 100 is a good last net.',
    why: 'Beyond the limits SQS refuses the queue. With 1, a throttled invocation, a worker that was stopped or a look in the console is the only receive: messages that nobody tried are given up.',
    source: quotas.maxReceiveCountMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, count } of receives(graph))
        if (count < fewestReceives || count > quotas.maxReceiveCountMost.value)
          yield { at, found: `maxReceiveCount ${count}` };
    },
  },
  'receive-margin': {
    severity: 'warning',
    condition: 'A queue that a function reads gives messages up after few receives.',
    allowed: `at least ${quotas.maxReceiveCountWithLambda.value} receives, and in a declaration more than the attempts`,
    remedy: 'Raise maxReceiveCount: it is the last net, not the number of attempts.',
    why: 'Throttled invocations burn receives without a try, so healthy messages end in the dead-letter queue; nothing is lost.',
    source: quotas.maxReceiveCountWithLambda.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      const withFunction = new Set(eventSources(graph).map(({ queue }) => queue));
      for (const { at, count } of receives(graph))
        if (withFunction.has(at) && count > 1 && count < quotas.maxReceiveCountWithLambda.value)
          yield { at, found: `maxReceiveCount ${count}` };
    },
  },
  'fifo-receives': {
    severity: 'warning',
    condition: 'A FIFO queue that is read in batches gives messages up after few receives.',
    allowed: 'at least 5 x batch size, and in a declaration attempts x batch size',
    remedy: 'Raise maxReceiveCount, or lower the batch size.',
    why: 'The messages behind a failing head come back with it, untried: each of its receives is one of theirs, and SQS dead-letters them with it.',
    source: 'law of this package: the last net lies above attempts x batch size',
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { queue, fifo, batchSize } of eventSources(graph)) {
        if (queue === undefined || fifo !== true || batchSize === undefined || batchSize < 2) continue;
        const count = number(redriveOf(graph, queue)?.maxReceiveCount ?? null);
        const least = Math.min(quotas.maxReceiveCountMost.value, 5 * batchSize);
        if (typeof count === 'number' && count >= quotas.maxReceiveCountWithLambda.value && count < least)
          yield {
            at: queue,
            found: `maxReceiveCount ${count} with batches of ${batchSize}`,
            allowed: `at least ${least}`,
          };
      }
    },
  },
} as const satisfies RuleTable;
