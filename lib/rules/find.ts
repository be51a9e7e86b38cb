import type { Graph } from './graph.ts';
import { type Resource, text, type Value } from './value.ts';

/** Finds the resource that a text names, seen from another one. */
export type Finder = (from: Resource, name: string) => Resource | undefined;

/** The property with the physical name, and the service in the ARN, of what is referred to by name. */
const named: Readonly<Record<string, { readonly property: string; readonly service: string }>> = {
  'AWS::SQS::Queue': { property: 'QueueName', service: 'sqs' },
  'AWS::SNS::Topic': { property: 'TopicName', service: 'sns' },
  'AWS::Lambda::Function': { property: 'FunctionName', service: 'lambda' },
  'AWS::CloudWatch::Alarm': { property: 'AlarmName', service: 'cloudwatch' },
  'AWS::CloudWatch::CompositeAlarm': { property: 'AlarmName', service: 'cloudwatch' },
  'AWS::KMS::Alias': { property: 'AliasName', service: 'kms' },
  'AWS::IAM::Role': { property: 'RoleName', service: 'iam' },
};

/** What an ARN says. The name is its last part: of a function without its version or alias, of an alarm without "alarm:". */
export interface Arn {
  readonly service: string;
  readonly region: string;
  readonly account: string;
  readonly name: string;
}

/** Reads an ARN; undefined when the text is none. */
export function arnOf(value: string): Arn | undefined {
  const [arn, , service, region, account, ...rest] = value.split(':');
  if (arn !== 'arn' || service === undefined || rest.length === 0) return undefined;
  const place = { service, region: region ?? '', account: account ?? '' };
  if (service === 'lambda' || service === 'cloudwatch') return { ...place, name: rest[1] ?? '' };
  const whole = rest.join(':');
  return { ...place, name: service === 'iam' ? whole.slice(whole.lastIndexOf('/') + 1) : whole };
}

export function createFinder(graph: Graph): Finder {
  const byName = new Map<string, Resource[]>();
  for (const [type, { property, service }] of Object.entries(named))
    for (const resource of graph.of(type)) {
      const name = text((resource.properties as Readonly<Record<string, Value>>)[property] ?? null);
      if (typeof name !== 'string') continue;
      const key = `${service} ${name}`;
      byName.set(key, [...(byName.get(key) ?? []), resource]);
    }

  /** Of several of one name the one in the same stack; else only one of which nothing says that it is elsewhere. */
  const choose = (from: Resource, found: readonly Resource[], place?: Arn): Resource | undefined => {
    const possible = found.filter((each) => place === undefined || isAt(graph, each, place));
    return (
      possible.find(({ stack }) => stack === from.stack) ?? (possible.length === 1 ? possible[0] : undefined)
    );
  };

  return (from, value) => {
    const arn = arnOf(value);
    if (arn !== undefined) return choose(from, byName.get(`${arn.service} ${arn.name}`) ?? [], arn);
    const url = /^https:\/\/[^/]+\/[^/]+\/([^/]+)$/.exec(value)?.[1];
    if (url !== undefined) return choose(from, byName.get(`sqs ${url}`) ?? []);
    // A bare name: of a function with an event source, of a role with a policy, of a key. That of a function may have
    // its account before it, and its version or alias behind.
    const services = value.startsWith('alias/') ? ['kms'] : ['iam', 'cloudwatch'];
    const [, ofFunction = value] = /^(?:\d{12}:function:)?([\w-]+)(?::[\w$-]+)?$/.exec(value) ?? [];
    return choose(from, [
      ...(services.includes('kms') ? [] : (byName.get(`lambda ${ofFunction}`) ?? [])),
      ...services.flatMap((service) => byName.get(`${service} ${value}`) ?? []),
    ]);
  };
}

/** Whether an ARN is of the place that a resource's stack goes to: the same in words, or the stack's own by reference. */
function isAt(graph: Graph, resource: Resource, { region, account }: Arn): boolean {
  const stack = graph.stack(resource);
  const is = (said: string, own: string | undefined) => said === '' || said.startsWith('${') || said === own;
  return is(region, stack.region) && is(account, stack.account);
}

/**
 * Whether an ARN may be that of a resource with a name of its own: the same name, and a place where its stack may go to
 * for all that is known.
 */
export function mayBe(graph: Graph, resource: Resource, arn: Arn): boolean {
  const kind = named[resource.type];
  const name =
    kind === undefined ? undefined : (resource.properties as Readonly<Record<string, Value>>)[kind.property];
  if (kind === undefined || typeof name !== 'string') return true;
  if (kind.service !== arn.service || (arn.name !== name && !name.includes('${'))) return false;
  const stack = graph.stack(resource);
  const is = (said: string, own: string | undefined) =>
    said === '' || said.startsWith('${') || own === undefined || said === own;
  return is(arn.region, stack.region) && is(arn.account, stack.account);
}
