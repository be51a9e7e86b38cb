import type { Graph } from './graph.ts';
import { queues, topics } from './messaging.ts';
import { list, property, type Resource, type Value } from './value.ts';

/** Policies by the resource that they belong to; an unknown one among them where a policy may belong to any. */
function policiesOf(
  graph: Graph,
  resources: readonly Resource[],
  kinds: Readonly<Record<string, string>>,
): ReadonlyMap<Resource, readonly Value[]> {
  const found = new Map<Resource, Value[]>(resources.map((resource) => [resource, []]));
  for (const [type, name] of Object.entries(kinds))
    for (const from of graph.of(type)) {
      const links = list(property(from.properties, name))?.map((each) => graph.link(from, each)?.resource);
      for (const [resource, policies] of found)
        if (links?.includes(resource)) policies.push(property(from.properties, 'PolicyDocument'));
        else if (links === undefined || links.includes(undefined)) policies.push(undefined);
    }
  return found;
}

const ofQueues = {};
export const queuePolicies = (graph: Graph): ReadonlyMap<Resource, readonly Value[]> =>
  graph.once(ofQueues, () =>
    policiesOf(graph, queues(graph), {
      'AWS::SQS::QueuePolicy': 'Queues',
      'AWS::SQS::QueueInlinePolicy': 'Queue',
    }),
  );

const ofTopics = {};
export const topicPolicies = (graph: Graph): ReadonlyMap<Resource, readonly Value[]> =>
  graph.once(ofTopics, () =>
    policiesOf(graph, topics(graph), {
      'AWS::SNS::TopicPolicy': 'Topics',
      'AWS::SNS::TopicInlinePolicy': 'TopicArn',
    }),
  );
