import type { StackTemplate } from './template.ts';
import { isList, isObject, isReference, openEnded, type Resource, reference, type Value } from './value.ts';

/** All resources of all stacks, their references followed across stacks. */
export function readResources(stacks: readonly StackTemplate[]): Resource[] {
  const reader = createReader(stacks);
  return stacks.flatMap((stack) =>
    Object.keys(stack.template.Resources ?? {}).flatMap((id) => reader.resource(stack, id) ?? []),
  );
}

function createReader(stacks: readonly StackTemplate[]) {
  const byPath = new Map(stacks.map((stack) => [stack.path, stack]));
  const resources = new Map<string, Resource>();
  const exports = new Map<string, { readonly stack: StackTemplate; readonly value: unknown }>();
  // A value that leads back to itself is a cycle that CloudFormation refuses; here it is unknown.
  const open = new Set<unknown>();

  /** The resource of a logical id; its properties are read when somebody asks for them. */
  function resource(stack: StackTemplate, logicalId: string): Resource | undefined {
    const declared = stack.template.Resources;
    if (declared === undefined || !Object.hasOwn(declared, logicalId)) return undefined;
    const key = `${stack.path} ${logicalId}`;
    const known = resources.get(key);
    if (known !== undefined) return known;
    const { Type, Properties } = declared[logicalId]!;
    let properties: { readonly [name: string]: Value } | undefined;
    const made: Resource = {
      stack: stack.path,
      logicalId,
      type: Type,
      notes: stack.notes?.[logicalId] ?? [],
      get properties() {
        if (properties === undefined) {
          const value = Properties === undefined ? {} : evaluate(stack, Properties);
          properties = isObject(value) ? value : { [openEnded]: undefined };
          // So that a composite's parts are found: its rule is one text with references in it.
          if (Type === 'AWS::CloudWatch::CompositeAlarm')
            properties = {
              ...properties,
              AlarmRule: parts(stack, (Properties as Composite | undefined)?.AlarmRule),
            };
          // A dashboard is one text with names in it that only the deployment knows: its shape is known all the same.
          if (Type === 'AWS::CloudWatch::Dashboard')
            properties = {
              ...properties,
              DashboardBody: rough((Properties as Dashboard | undefined)?.DashboardBody),
            };
        }
        return properties;
      },
    };
    resources.set(key, made);
    return made;
  }

  function evaluate(stack: StackTemplate, value: unknown): Value {
    if (value === null || value === undefined) return null;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    if (typeof value !== 'object' || open.has(value)) return undefined;
    open.add(value);
    try {
      if (Array.isArray(value))
        return value.map((each) => evaluate(stack, each)).filter((each) => each !== null);
      const keys = Object.keys(value);
      const [only] = keys;
      if (keys.length === 1 && only !== undefined && (only === 'Ref' || only.startsWith('Fn::')))
        return intrinsic(stack, only, (value as Record<string, unknown>)[only]);
      const entries = Object.entries(value)
        .filter(([key]) => !key.startsWith('Fn::'))
        .map(([key, each]) => [key, evaluate(stack, each)] as const)
        // What is AWS::NoValue is left out.
        .filter(([, each]) => each !== null);
      if (keys.some((key) => key.startsWith('Fn::'))) entries.push([openEnded, undefined]);
      return Object.fromEntries(entries);
    } finally {
      open.delete(value);
    }
  }

  function intrinsic(stack: StackTemplate, name: string, argument: unknown): Value {
    switch (name) {
      case 'Ref':
        return typeof argument === 'string' ? ref(stack, argument) : undefined;
      case 'Fn::GetAtt': {
        const [id, ...rest] = Array.isArray(argument) ? argument : String(argument).split('.');
        if (typeof id !== 'string' || rest.some((each) => typeof each !== 'string')) return undefined;
        return attribute(stack, id, rest.join('.'));
      }
      case 'Fn::ImportValue': {
        const exported = evaluate(stack, argument);
        return typeof exported === 'string' ? imported(exported) : undefined;
      }
      case 'Fn::GetStackOutput': {
        const { StackName, OutputName } = (argument ?? {}) as Record<string, unknown>;
        const source = stacks.find((each) => each.name !== undefined && each.name === StackName);
        return source === undefined ? undefined : output(source, String(OutputName));
      }
      case 'Fn::Join':
        return Array.isArray(argument) && typeof argument[0] === 'string'
          ? join(evaluate(stack, argument[1]), argument[0])
          : undefined;
      case 'Fn::Sub':
        return substitute(stack, argument);
      case 'Fn::If': {
        if (!Array.isArray(argument)) return undefined;
        const [yes, no] = [evaluate(stack, argument[1]), evaluate(stack, argument[2])];
        return same(yes, no) ? yes : undefined;
      }
      default:
        return undefined;
    }
  }

  /** What a text is joined from. */
  function parts(stack: StackTemplate, value: unknown): Value {
    const joined = (value as { readonly 'Fn::Join'?: unknown } | undefined)?.['Fn::Join'];
    return Array.isArray(joined) ? evaluate(stack, joined[1]) : [evaluate(stack, value)];
  }

  function ref(stack: StackTemplate, id: string): Value {
    if (id === 'AWS::NoValue') return null;
    if (id === 'AWS::Region') return stack.region ?? pseudo(id);
    if (id === 'AWS::AccountId') return stack.account ?? pseudo(id);
    if (id === 'AWS::StackName') return stack.name ?? pseudo(id);
    if (id.startsWith('AWS::')) return pseudo(id);
    const found = resource(stack, id);
    return found === undefined ? parameter(stack, id) : reference(found, 'Ref');
  }

  /** What the stack above gives to a parameter of a nested stack; other parameters are known to the deployment alone. */
  function parameter(stack: StackTemplate, id: string): Value {
    const parent = stack.parent === undefined ? undefined : byPath.get(stack.parent.path);
    if (parent === undefined || stack.parent === undefined) return undefined;
    const given = (
      parent.template.Resources?.[stack.parent.logicalId]?.Properties as
        | { readonly Parameters?: Readonly<Record<string, unknown>> }
        | undefined
    )?.Parameters;
    return given !== undefined && Object.hasOwn(given, id) ? evaluate(parent, given[id]) : undefined;
  }

  function attribute(stack: StackTemplate, id: string, name: string): Value {
    const nested = stacks.find(({ parent }) => parent?.path === stack.path && parent.logicalId === id);
    if (nested !== undefined && name.startsWith('Outputs.'))
      return output(nested, name.slice('Outputs.'.length));
    const found = resource(stack, id);
    return found === undefined ? undefined : reference(found, name);
  }

  function output(stack: StackTemplate, id: string): Value {
    const outputs = stack.template.Outputs;
    return outputs !== undefined && Object.hasOwn(outputs, id)
      ? evaluate(stack, outputs[id]?.Value)
      : undefined;
  }

  function imported(name: string): Value {
    if (exports.size === 0)
      for (const stack of stacks)
        for (const { Value: value, Export } of Object.values(stack.template.Outputs ?? {})) {
          const exported = evaluate(stack, Export?.Name);
          if (typeof exported === 'string') exports.set(exported, { stack, value });
        }
    const found = exports.get(name);
    return found === undefined ? undefined : evaluate(found.stack, found.value);
  }

  function substitute(stack: StackTemplate, argument: unknown): Value {
    const [pattern, variables] = Array.isArray(argument) ? argument : [argument, {}];
    if (typeof pattern !== 'string') return undefined;
    const parts = pattern.split(/\$\{([^}]*)\}/).map((part, index): Value => {
      if (index % 2 === 0) return part;
      if (part.startsWith('!')) return `\${${part.slice(1)}}`;
      if (Object.hasOwn(variables ?? {}, part)) return evaluate(stack, variables[part]);
      const [id = '', ...rest] = part.split('.');
      return rest.length === 0 ? ref(stack, id) : attribute(stack, id, rest.join('.'));
    });
    return join(parts, '');
  }

  return { resource };
}

/** Stands for what only the deployment knows, and is the same wherever it is meant: a part of an ARN, so without colons. */
const pseudo = (name: string): string => `\${${name.slice('AWS::'.length)}}`;

interface Composite {
  readonly AlarmRule?: unknown;
}

interface Dashboard {
  readonly DashboardBody?: unknown;
}

/** A text in which what is not known stands as 0, which is something to JSON inside of a string and outside. */
function rough(value: unknown): Value {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': joined, 'Fn::Sub': pattern } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const [text] = Array.isArray(pattern) ? pattern : [pattern];
  if (typeof text === 'string')
    return text.replace(/\$\{(!?)([^}]*)\}/g, (_, literal, name) => (literal === '' ? '0' : `\${${name}}`));
  if (!Array.isArray(joined) || !Array.isArray(joined[1])) return value === undefined ? null : undefined;
  return joined[1].map((part) => rough(part) ?? '0').join(String(joined[0]));
}

/** The parts as one text; a single reference stays one, anything unknown makes the whole unknown. */
function join(parts: Value, separator: string): Value {
  if (!isList(parts)) return undefined;
  const said = separator === '' ? parts.filter((part) => part !== '') : parts;
  if (said.length === 1 && isReference(said[0])) return said[0];
  if (said.some((part) => typeof part !== 'string' && typeof part !== 'number')) return undefined;
  return said.join(separator);
}

function same(one: Value, other: Value): boolean {
  if (isReference(one) || isReference(other))
    return (
      isReference(one) &&
      isReference(other) &&
      one.resource === other.resource &&
      one.attribute === other.attribute
    );
  return one !== undefined && one === other;
}
