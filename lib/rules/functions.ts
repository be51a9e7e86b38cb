import type { Graph } from './graph.ts';
import { eventSources, functions, linked } from './messaging.ts';
import { within } from './phrases.ts';
import { every, matches, some, statements } from './policy.ts';
import * as quotas from './quotas.ts';
import type { RuleTable } from './rule.ts';
import { list, number, property, type Resource, type Value } from './value.ts';

/** The policies of every role, as far as they are part of the app. */
const rolePoliciesKey = {};
const rolePolicies = (graph: Graph): ReadonlyMap<Resource, readonly Policy[]> =>
  graph.once(rolePoliciesKey, () => {
    const found = new Map<Resource, Policy[]>();
    const add = (role: Resource | undefined, from: Resource, document: Value) => {
      if (role === undefined) return;
      found.set(role, [...(found.get(role) ?? []), { from, document }]);
    };
    for (const role of graph.of('AWS::IAM::Role'))
      for (const inline of list(property(role.properties, 'Policies')) ?? [])
        add(role, role, property(inline, 'PolicyDocument'));
    for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy'])
      for (const from of graph.of(type))
        for (const role of [
          ...(list(property(from.properties, 'Roles')) ?? []),
          property(from.properties, 'RoleName'),
        ])
          add(linked(graph, from, role, 'AWS::IAM::Role'), from, property(from.properties, 'PolicyDocument'));
    return found;
  });

interface Policy {
  readonly from: Resource;
  readonly document: Value;
}

/** Whether a statement lets its holder send to just this queue: one for all resources says nothing of it. */
const letsSend = (graph: Graph, from: Resource, statement: Value, queue: Resource): boolean | undefined =>
  every(
    [
      () => property(statement, 'Effect') === 'Allow',
      () => some(property(statement, 'Action'), (said) => matches(said, 'sqs:SendMessage', true)),
      () =>
        some(property(statement, 'Resource'), (said) =>
          said === '*' ? false : graph.link(from, said)?.resource === queue,
        ),
    ],
    (test) => test(),
  );

/** Rules on functions. */
export const functionRules = {
  'function-timeout': {
    severity: 'error',
    condition: 'A function may take longer than Lambda allows.',
    allowed: within(quotas.functionTimeoutLeast.value, quotas.functionTimeoutMost),
    remedy: 'Choose a value in that range, or give longer work to a container.',
    why: 'Lambda refuses the function in the middle of the deployment.',
    source: quotas.functionTimeoutMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const at of functions(graph)) {
        // Managed instances have limits of their own.
        if (property(at.properties, 'CapacityProviderConfig') !== null) continue;
        const found = number(property(at.properties, 'Timeout'));
        if (typeof found !== 'number') continue;
        if (found < quotas.functionTimeoutLeast.value || found > quotas.functionTimeoutMost.value)
          yield { at, found: `Timeout ${found} seconds` };
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
    allowed: 'no sqs:SendMessage on its own queue',
    remedy:
      'Return the message as failed and set its visibility: that is the way to try it later. Take the permission away.',
    why: 'A copy has a new id and a new age, so nothing recognizes the repeat; and after 16 rounds Lambda stops the loop and drops the message: doubled, then lost.',
    source: 'Lambda developer guide, "Use Lambda recursive loop detection"',
    subjects: ['stack'],
    *check(graph) {
      for (const { queue, function: consumer } of eventSources(graph)) {
        if (queue === undefined || consumer === undefined) continue;
        const role = linked(graph, consumer, property(consumer.properties, 'Role'), 'AWS::IAM::Role');
        const policies = role === undefined ? [] : (rolePolicies(graph).get(role) ?? []);
        const may = policies.some(({ from, document }) =>
          statements(document).some((statement) => letsSend(graph, from, statement, queue) === true),
        );
        if (may) yield { at: consumer, found: `sqs:SendMessage on ${queue.logicalId}, which it reads` };
      }
    },
  },
} as const satisfies RuleTable;
