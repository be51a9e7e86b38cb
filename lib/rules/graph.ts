import { createFinder, type Finder } from './find.ts';
import { type Assumption, readResources } from './resolve.ts';
import type { StackTemplate } from './template.ts';
import { isReference, property, type Resource, type Value } from './value.ts';

/** Where a property leads to: a resource that was read, or one elsewhere of which at most the ARN is known. */
export interface Link {
  readonly resource: Resource | undefined;
  readonly arn: string | undefined;
}

/** All resources of an app as the rules look at them. What is not known is `undefined`, what is not there `null`. */
export interface Graph {
  /** The resources of one type, in the order of their templates. */
  of(type: string): readonly Resource[];
  /** Follows a property to what it names, by reference, ARN, URL or name. */
  link(resource: Resource, value: Value): Link | null | undefined;
  /** The stack of a resource. */
  stack(resource: Resource): StackTemplate;
  /** Remembers what a rule worked out for all resources at once. */
  once<Result>(key: object, make: (graph: Graph) => Result): Result;
}

/**
 * Reads the templates of an app's stacks. References are followed from stack to stack; nothing in a template makes it
 * throw, what cannot be told stays unknown.
 *
 * @param assumed - a condition that is taken to hold, or not
 * @example
 * ```ts
 * const graph = readGraph([{ path: 'Shop', template }]);
 * graph.of('AWS::SQS::Queue').length; // 3
 * ```
 */
export function readGraph(stacks: readonly StackTemplate[], assumed?: Assumption): Graph {
  const resources = readResources(stacks, assumed);
  const byType = new Map<string, Resource[]>();
  for (const resource of resources) {
    const same = byType.get(resource.type);
    if (same === undefined) byType.set(resource.type, [resource]);
    else same.push(resource);
  }
  const byPath = new Map(stacks.map((stack) => [stack.path, stack]));
  const remembered = new Map<object, unknown>();
  let finder: Finder | undefined;
  const graph: Graph = {
    of: (type) => byType.get(type) ?? [],
    stack: (resource) => byPath.get(resource.stack)!,
    link(resource, value) {
      if (value === null || value === undefined) return value;
      if (isReference(value)) return { resource: whole(graph, value.resource), arn: undefined };
      if (typeof value !== 'string') return undefined;
      finder ??= createFinder(graph);
      const found = finder(resource, value);
      return {
        resource: found === undefined ? undefined : whole(graph, found),
        arn: value.startsWith('arn:') ? value : undefined,
      };
    },
    once<Result>(key: object, make: (graph: Graph) => Result): Result {
      if (!remembered.has(key)) remembered.set(key, make(graph));
      return remembered.get(key) as Result;
    },
  };
  return graph;
}

/** An alias, a version or a key's alias stands for what it names. */
function whole(graph: Graph, resource: Resource): Resource {
  const name = standIns[resource.type];
  if (name === undefined) return resource;
  return graph.link(resource, property(resource.properties, name))?.resource ?? resource;
}

const standIns: Readonly<Record<string, string>> = {
  'AWS::Lambda::Alias': 'FunctionName',
  'AWS::Lambda::Version': 'FunctionName',
  'AWS::KMS::Alias': 'TargetKeyId',
};
