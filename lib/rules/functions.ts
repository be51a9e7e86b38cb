import type { Graph } from './graph.ts';
import { eventSources, functions, linked, subscriptions } from './messaging.ts';
import { within } from './phrases.ts';
import { isAbout, some, statements } from './policy.ts';
import * as quotas from './quotas.ts';
import { queuePolicies, topicPolicies } from './resource-policies.ts';
import { roleMay, roleOf, rolePolicies } from './roles.ts';
import type { RuleTable } from './rule.ts';
import { number, property, type Resource, type Value } from './value.ts';

/** Whether a statement is about an action on just this resource: one on all resources says nothing of it. */
const isOnJust = (graph: Graph, from: Resource, statement: Value, action: string, on: Resource): boolean =>
  isAbout(statement, action) === true &&
  some(property(statement, 'Resource'), (said) =>
    said === '*' ? false : graph.link(from, said)?.resource === on,
  ) === true;

/** Whether a role is let do something with just this resource, by a policy of its own or of the resource. */
function isLet(
  graph: Graph,
  role: Resource,
  action: string,
  on: Resource,
  policiesOfIt: readonly Value[],
): boolean {
  const own = (rolePolicies(graph).get(role) ?? []).flatMap(({ from, document }) =>
    statements(document).map((statement) => ({ from, statement })),
  );
  const isOf = (effect: string) =>
    own.some(
      ({ from, statement }) =>
        property(statement, 'Effect') === effect &&
        (effect === 'Allow' || property(statement, 'Condition') === null) &&
        (isOnJust(graph, from, statement, action, on) ||
          (effect === 'Deny' &&
            isAbout(statement, action) === true &&
            some(property(statement, 'Resource'), (said) => said === '*') === true)),
    );
  if (isOf('Deny')) return false;
  return isOf('Allow') || policiesOfIt.some((policy) => namesRole(graph, on, policy, role, action));
}

/** Whether a policy of a resource lets a role by its ARN, and not everybody. */
const namesRole = (graph: Graph, on: Resource, policy: Value, role: Resource, action: string): boolean =>
  statements(policy).some(
    (statement) =>
      property(statement, 'Effect') === 'Allow' &&
      isAbout(statement, action) === true &&
      some(
        property(property(statement, 'Principal'), 'AWS'),
        (said) => graph.link(on, said)?.resource === role,
      ) === true,
  );

/** The topics from which a consumer hears whatever is published there, by its queue or by itself. */
const heardBy = (graph: Graph, consumer: Resource, queue: Resource | undefined): Resource[] => [
  ...new Set(
    subscriptions(graph)
      .filter(({ endpoint, filter }) => {
        const at = endpoint?.resource;
        return (at === consumer || (at !== undefined && at === queue)) && filter === null;
      })
      .flatMap(({ topic }) => topic.resource ?? []),
  ),
];

/** AWS's own word for a loop that is meant. */
const mayLoop = (consumer: Resource): boolean => property(consumer.properties, 'RecursiveLoop') === 'Allow';

/** What Lambda asks of a role that reads a queue. */
const reads = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** Rules on functions. */
export const functionRules = {
  'function-timeout': {
    severity: 'error',
    condition: 'A function may take longer than Lambda allows.',
    allowed: `${within(quotas.functionTimeoutLeast.value, quotas.functionTimeoutMost)}, on managed instances to ${quotas.managedInstanceTimeoutMost.value}`,
    remedy: 'Choose a value in that range, or give longer work to a container.',
    why: 'Lambda refuses the function in the middle of the deployment.',
    source: quotas.functionTimeoutMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const at of functions(graph)) {
        const found = number(property(at.properties, 'Timeout'));
        if (typeof found !== 'number') continue;
        const most =
          property(at.properties, 'CapacityProviderConfig') === null
            ? quotas.functionTimeoutMost
            : quotas.managedInstanceTimeoutMost;
        if (found < quotas.functionTimeoutLeast.value || found > most.value)
          yield {
            at,
            found: `Timeout ${found} seconds`,
            allowed: within(quotas.functionTimeoutLeast.value, most),
          };
      }
    },
  },
  'function-memory': {
    severity: 'error',
    condition: 'A function’s memory is out of Lambda’s limits.',
    allowed: within(quotas.functionMemoryLeast.value, quotas.functionMemoryMost),
    remedy: 'Choose a value in that range.',
    why: 'Lambda refuses the function in the middle of the deployment.',
    source: quotas.functionMemoryMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const at of functions(graph)) {
        // Managed instances have limits of their own.
        if (property(at.properties, 'CapacityProviderConfig') !== null) continue;
        const found = number(property(at.properties, 'MemorySize'));
        if (typeof found !== 'number') continue;
        if (found < quotas.functionMemoryLeast.value || found > quotas.functionMemoryMost.value)
          yield { at, found: `MemorySize ${found} MiB` };
      }
    },
  },
  'self-send': {
    severity: 'error',
    condition: 'A function may send to the queue that it reads.',
    allowed: 'no sqs:SendMessage on its own queue, unless RecursiveLoop is Allow',
    remedy:
      'Return the message as failed and set its visibility: that is the way to try it later. Take the permission away.',
    why: 'A copy has a new id and a new age, so nothing recognizes the repeat; and after 16 rounds Lambda stops the loop and drops the message: doubled, then lost.',
    source: 'Lambda developer guide, "Use Lambda recursive loop detection"',
    subjects: ['stack'],
    *check(graph) {
      for (const { queue, function: consumer } of eventSources(graph)) {
        if (queue === undefined || consumer === undefined || mayLoop(consumer)) continue;
        const role = roleOf(graph, consumer);
        if (role === undefined) continue;
        if (isLet(graph, role, 'sqs:SendMessage', queue, queuePolicies(graph).get(queue) ?? []))
          yield { at: consumer, found: `sqs:SendMessage on ${queue.logicalId}, which it reads` };
      }
    },
  },
  'topic-loop': {
    severity: 'warning',
    condition: 'A function may publish to a topic from which it hears everything.',
    allowed:
      'another topic, or a filter policy that leaves out what it publishes, or RecursiveLoop Allow where the loop is meant',
    remedy:
      'Filter the subscription, publish elsewhere, or silence the rule with the reason why the loop ends by itself.',
    why: 'Each event may beget the next: a storm that costs, until Lambda stops it after 16 rounds and drops the message. Whether it ends, only the code knows.',
    source: 'Lambda developer guide, "Use Lambda recursive loop detection"',
    subjects: ['stack'],
    *check(graph) {
      const consumers = [
        ...eventSources(graph).map(({ function: consumer, queue }) => ({ consumer, queue })),
        ...subscriptions(graph).map(({ endpoint }) => ({ consumer: endpoint?.resource, queue: undefined })),
      ];
      for (const { consumer, queue } of consumers) {
        if (consumer?.type !== 'AWS::Lambda::Function' || mayLoop(consumer)) continue;
        const role = roleOf(graph, consumer);
        if (role === undefined) continue;
        for (const topic of heardBy(graph, consumer, queue))
          if (isLet(graph, role, 'sns:Publish', topic, topicPolicies(graph).get(topic) ?? []))
            yield {
              at: consumer,
              found: `sns:Publish on ${topic.logicalId}, which it hears without a filter`,
            };
      }
    },
  },
  'consumer-policy': {
    severity: 'error',
    condition: 'A function may not read the queue of its event source.',
    allowed: `${reads.join(', ')} on the queue`,
    remedy: 'Grant it to the function’s role: queue.grantConsumeMessages(function).',
    why: 'Lambda refuses the event source in the middle of the deployment; and stops reading when the right is taken away later.',
    source: quotas.batchSizeMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const { queue, function: consumer } of eventSources(graph)) {
        const role = consumer === undefined ? undefined : roleOf(graph, consumer);
        if (queue === undefined || consumer === undefined || role === undefined) continue;
        const policies = queuePolicies(graph).get(queue) ?? [];
        const lacks = reads.filter((action) => roleMay(graph, role, action, queue, policies) === false);
        if (lacks.length > 0) yield { at: consumer, found: `no ${lacks.join(', ')} on ${queue.logicalId}` };
      }
    },
  },
  'consumer-key': {
    severity: 'error',
    condition: 'A function reads a queue under a customer key that it may not decrypt with.',
    allowed: 'kms:Decrypt on the queue’s key',
    remedy:
      'Grant it to the function’s role: key.grantDecrypt(function), or queue.grantConsumeMessages(function).',
    why: 'Every receive is refused: the messages wait, and are deleted when their retention ends.',
    source: 'SQS developer guide, "Amazon SQS key management"',
    subjects: ['stack'],
    *check(graph) {
      for (const { queue, function: consumer } of eventSources(graph)) {
        const role = consumer === undefined ? undefined : roleOf(graph, consumer);
        if (queue === undefined || consumer === undefined || role === undefined) continue;
        const key = linked(graph, queue, property(queue.properties, 'KmsMasterKeyId'), 'AWS::KMS::Key');
        if (key === undefined) continue;
        if (roleMay(graph, role, 'kms:Decrypt', key, [property(key.properties, 'KeyPolicy')]) === false)
          yield { at: consumer, found: `no kms:Decrypt on ${key.logicalId}, the key of ${queue.logicalId}` };
      }
    },
  },
} as const satisfies RuleTable;
