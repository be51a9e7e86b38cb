import type { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { TemplateResource } from './ids.ts';

/** A synthesized resource, with its logical id. */
export interface Found extends TemplateResource {
  readonly id: string;
  readonly UpdateReplacePolicy?: string;
}

/** The resources of a stack. */
export function resourcesOf(stack: Stack): readonly Found[] {
  const { Resources } = Template.fromStack(stack).toJSON() as {
    Resources: Readonly<Record<string, TemplateResource>>;
  };
  return Object.entries(Resources).map(([id, resource]) => ({ id, ...resource }));
}

/** Logical ids without their hashes, of one type or of all. */
export const idsOf = (resources: readonly Found[], type?: string): string[] =>
  resources
    .filter(({ Type }) => type === undefined || Type === type)
    .map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))
    .sort();

/** The one resource whose logical id, without its hash, is `name`. */
export function the(resources: readonly Found[], name: string): Found {
  const found = resources.filter(({ id }) => id.replace(/[0-9A-F]{8}$/, '') === name);
  if (found.length !== 1) throw new Error(`${found.length} resources are named ${name}.`);
  return found[0] as Found;
}

/** One statement of a policy, as JSON of IAM. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

/** The statements of a policy, or of a key. */
export const statementsOf = ({ Properties }: Found): readonly Statement[] =>
  (
    (Properties?.PolicyDocument ?? Properties?.KeyPolicy ?? { Statement: [] }) as {
      readonly Statement: readonly Statement[];
    }
  ).Statement;

/** What somebody's own policy allows: actions with their resources. */
export const rightsOf = (resources: readonly Found[], name: string): [string[], unknown][] =>
  statementsOf(the(resources, `${name}DefaultPolicy`)).map(({ Action, Resource }) => [
    [Action].flat().sort(),
    Resource,
  ]);

/** What refers to what, by logical ids. */
export function referencesOf(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const entry of value) referencesOf(entry, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'Ref') found.add(String(entry));
      else if (key === 'Fn::GetAtt') found.add(String((entry as string[])[0]));
      else if (key === 'DependsOn') for (const id of [entry].flat()) found.add(String(id));
      else referencesOf(entry, found);
    }
  return found;
}

/** A chain of resources that refer to each other, back to where it begins; undefined when there is none. */
export function cycleOf(resources: readonly Found[]): string[] | undefined {
  const edges = new Map(resources.map((resource) => [resource.id, [...referencesOf(resource)]]));
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id)) return undefined;
    for (const next of edges.get(id) ?? []) {
      const cycle = visit(next, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    done.add(id);
    return undefined;
  };
  for (const id of edges.keys()) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
