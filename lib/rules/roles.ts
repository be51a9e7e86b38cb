import type { Graph } from './graph.ts';
import { linked } from './messaging.ts';
import { allows } from './policy.ts';
import { list, property, type Resource, text, type Value } from './value.ts';

/** A policy of a role, as seen from where it is written; unknown where it may be any. */
export interface RolePolicy {
  readonly from: Resource;
  readonly document: Value;
}

/** The policies of every role that is part of the app. */
export const rolePolicies = (graph: Graph): ReadonlyMap<Resource, readonly RolePolicy[]> =>
  graph.once(rolePoliciesKey, () => {
    const found = new Map<Resource, RolePolicy[]>(graph.of('AWS::IAM::Role').map((role) => [role, []]));
    const add = (role: Resource | undefined, policy: RolePolicy) => {
      if (role !== undefined) found.get(role)?.push(policy);
    };
    for (const role of found.keys()) {
      const inline = list(property(role.properties, 'Policies')) ?? [undefined];
      for (const each of inline) add(role, { from: role, document: property(each, 'PolicyDocument') });
      const managed = list(property(role.properties, 'ManagedPolicyArns')) ?? [undefined];
      for (const each of managed) add(role, managedPolicy(graph, role, each));
    }
    for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy'])
      for (const from of graph.of(type)) {
        const policy = { from, document: property(from.properties, 'PolicyDocument') };
        const named = type === 'AWS::IAM::RolePolicy' ? 'RoleName' : 'Roles';
        for (const said of list(property(from.properties, named)) ?? [undefined]) {
          const role = linked(graph, from, said, 'AWS::IAM::Role');
          if (role !== undefined) add(role, policy);
          // It may be of any role; a name that is no role's of the app is of one elsewhere.
          else if (typeof said !== 'string')
            for (const each of found.keys()) add(each, { from, document: undefined });
        }
      }
    return found;
  });

const rolePoliciesKey = {};

function managedPolicy(graph: Graph, role: Resource, said: Value): RolePolicy {
  const own = linked(graph, role, said, 'AWS::IAM::ManagedPolicy');
  if (own !== undefined) return { from: own, document: property(own.properties, 'PolicyDocument') };
  const name = text(said)?.split('/').at(-1);
  const actions = name === undefined || !Object.hasOwn(ofAws, name) ? undefined : ofAws[name];
  if (actions === undefined) return { from: role, document: undefined };
  return {
    from: role,
    document: { Statement: actions.map((Action) => ({ Effect: 'Allow', Action, Resource: '*' })) },
  };
}

/**
 * What AWS's own policies let a function do with queues and keys: AWS managed policy reference, of these names. Others
 * may let it do anything.
 */
const ofAws: Readonly<Record<string, readonly string[]>> = {
  AWSLambdaBasicExecutionRole: [],
  AWSLambdaVPCAccessExecutionRole: [],
  AWSXRayDaemonWriteAccess: [],
  CloudWatchLambdaInsightsExecutionRolePolicy: [],
  AWSLambdaSQSQueueExecutionRole: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
};

/** The role of a function, where it is part of the app. */
export const roleOf = (graph: Graph, consumer: Resource): Resource | undefined =>
  linked(graph, consumer, property(consumer.properties, 'Role'), 'AWS::IAM::Role');

/** Whether a role may do something with a resource: by its own policies, or by those of the resource. */
export function roleMay(
  graph: Graph,
  role: Resource,
  action: string,
  on: Resource,
  policiesOfIt: readonly Value[],
): boolean | undefined {
  const answers = [
    ...(rolePolicies(graph).get(role) ?? []).map(({ from, document }) =>
      allows(graph, from, [document], { actions: [action], on }),
    ),
    allows(graph, on, policiesOfIt, { role, actions: [action] }),
  ];
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
}
