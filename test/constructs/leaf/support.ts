import { App, Stack, type StackProps } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { expect } from 'vitest';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Principal?: unknown;
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** What a stack came to. */
export interface Made {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, { readonly Value: unknown; readonly Description?: string }>>;
  readonly warnings: readonly string[];
  /** The one resource whose logical id, without its hash, is this. */
  resource(name: string): Resource & { readonly id: string };
  /** The statements of the policy of that resource. */
  statements(name: string): readonly Statement[];
}

export const account = '111111111111';
export const region = 'eu-central-1';

/** A stack of no account, or of the one that is asked for. */
export const newStack = (id = 'Leaf', props: StackProps = {}, app = new App()) => new Stack(app, id, props);

export const newRole = (stack: Stack, id = 'Worker') =>
  new Role(stack, id, { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });

export function make(stack: Stack): Made {
  const template = Template.fromStack(stack).toJSON();
  const resources: Made['resources'] = template.Resources ?? {};
  const resource = (name: string) => {
    const found = Object.entries(resources).filter(([id]) => id.replace(/[0-9A-F]{8}$/, '') === name);
    expect(found, `${name} among ${Object.keys(resources).join(', ')}`).toHaveLength(1);
    return { ...found[0]![1], id: found[0]![0] };
  };
  return {
    resources,
    outputs: template.Outputs ?? {},
    warnings: Annotations.fromStack(stack)
      .findWarning('*', Match.anyValue())
      .map(({ entry }) => String(entry.data)),
    resource,
    statements(name) {
      const { Properties } = resource(name);
      const document = (Properties.PolicyDocument ?? Properties.KeyPolicy) as { Statement: Statement[] };
      return document.Statement;
    },
  };
}

/** The statements by their names, each of which is there once. */
export function bySid(statements: readonly Statement[]): Readonly<Record<string, Statement>> {
  const named = statements.filter(({ Sid }) => Sid !== undefined);
  const all = Object.fromEntries(named.map((statement) => [statement.Sid as string, statement]));
  expect(Object.keys(all)).toHaveLength(named.length);
  return all;
}

/** What a role may do: each action with the resource, and the service through which alone it may. */
export function mayDo(statements: readonly Statement[]): string[] {
  return statements
    .flatMap(({ Action, Resource, Condition }) =>
      [Action].flat().map((action) => {
        const [via] = Object.values((Condition as Record<string, object> | undefined)?.StringEquals ?? {});
        return `${action} on ${text(Resource)}${via === undefined ? '' : ` through ${text(via)}`}`;
      }),
    )
    .sort();
}

/** A value of a template, short: logical ids without hash. */
export function text(value: unknown): string {
  if (Array.isArray(value)) return value.map(text).join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  const entry = value as Record<string, unknown>;
  if (typeof entry.Ref === 'string') return entry.Ref.replace(/[0-9A-F]{8}$/, '');
  if (Array.isArray(entry['Fn::GetAtt']))
    return `${text({ Ref: entry['Fn::GetAtt'][0] })}.${entry['Fn::GetAtt'][1]}`;
  if (Array.isArray(entry['Fn::Join'])) return (entry['Fn::Join'][1] as unknown[]).map(text).join('');
  return JSON.stringify(value);
}

/** The logical ids that a value refers to, in any way that a template has. */
function referredTo(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const entry of value) referredTo(entry, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'Ref') found.add(String(entry));
      else if (key === 'Fn::GetAtt') found.add(String((entry as string[])[0]));
      else if (key === 'DependsOn') for (const id of [entry].flat()) found.add(String(id));
      else if (key === 'Fn::Sub')
        for (const [, id] of JSON.stringify(entry).matchAll(/\$\{([^}.]+)/g)) found.add(id!);
      else referredTo(entry, found);
    }
  return found;
}

/** The first cycle of dependencies in a template, or nothing. */
export function cycleIn({ resources }: Pick<Made, 'resources'>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id) || resources[id] === undefined) return undefined;
    for (const next of referredTo(resources[id])) {
      const cycle = visit(next, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    done.add(id);
    return undefined;
  };
  for (const id of Object.keys(resources)) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
