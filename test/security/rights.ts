import { CfnElement, type Stack } from 'aws-cdk-lib';

/** One statement of a policy that the stack makes, in words that a reviewer reads. */
export interface Right {
  /** The policy that it stands in, by its construct's path. */
  readonly policy: string;
  /** `role`: what the holder of a role may do; else the resource whose own policy it is. */
  readonly kind: 'role' | 'queue' | 'topic' | 'key' | 'trust';
  readonly effect: 'Allow' | 'Deny';
  readonly who: string;
  readonly actions: readonly string[];
  readonly on: readonly string[];
  readonly when: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: Json }>>;
}

/** Where each policy of a template keeps its document, and on whose behalf it speaks. */
const documents: Readonly<Record<string, { readonly kind: Right['kind']; readonly property: string }>> = {
  'AWS::IAM::Policy': { kind: 'role', property: 'PolicyDocument' },
  'AWS::IAM::ManagedPolicy': { kind: 'role', property: 'PolicyDocument' },
  'AWS::IAM::Role': { kind: 'trust', property: 'AssumeRolePolicyDocument' },
  'AWS::SQS::QueuePolicy': { kind: 'queue', property: 'PolicyDocument' },
  'AWS::SNS::TopicPolicy': { kind: 'topic', property: 'PolicyDocument' },
  'AWS::KMS::Key': { kind: 'key', property: 'KeyPolicy' },
};

/**
 * Every statement of every policy in a synthesized stack: identity policies, trust, and the policies of queues, topics and
 * keys. Statements of inline policies and attached AWS policies count as rights of the role too.
 */
export function rightsOf(stack: Stack, template: Template): Right[] {
  const names = pathsOf(stack);
  const say = speaker(names);
  const holders = holdersOf(template, names);
  return Object.entries(template.Resources).flatMap(([logicalId, { Type, Properties = {} }]) => {
    const policy = names.get(logicalId) ?? logicalId;
    const found = documents[Type];
    if (found === undefined) return [];
    const { kind, property } = found;
    const roles = Array.isArray(Properties.Roles) ? Properties.Roles.map(say) : [];
    const own = statementsOf(Properties[property]).map((statement): Right => {
      const who =
        kind === 'role'
          ? roles.map((role) => holders.get(role) ?? role).join(', ')
          : principalOf(statement.Principal, say);
      return {
        policy,
        kind,
        effect: statement.Effect === 'Deny' ? 'Deny' : 'Allow',
        who,
        actions: list(statement.Action).map(String).sort(),
        on: kind === 'trust' ? [policy] : list(statement.Resource).map(say),
        when: conditionsOf(statement.Condition, say),
      };
    });
    const attached = list(Properties.ManagedPolicyArns).map(
      (arn): Right => ({
        policy,
        kind: 'role',
        effect: 'Allow',
        who: holders.get(policy) ?? policy,
        actions: [`all that ${say(arn)} allows`],
        on: ['as it says'],
        when: [],
      }),
    );
    return [...own, ...attached];
  });
}

const list = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

const statementsOf = (document: unknown): Json[] => list((document as Json | undefined)?.Statement) as Json[];

/** Construct paths by logical id, without the stack and the ids that say nothing. */
function pathsOf(stack: Stack): Map<string, string> {
  const prefix = `${stack.node.path}/`;
  return new Map(
    stack.node.findAll().flatMap((construct) => {
      if (!CfnElement.isCfnElement(construct)) return [];
      const path = construct.node.path
        .slice(prefix.length)
        .split('/')
        .filter((part) => part !== 'Default' && part !== 'Resource')
        .join('/');
      return [[String(stack.resolve(construct.logicalId)), path] as const];
    }),
  );
}

/** Which function holds a role. */
function holdersOf(template: Template, names: ReadonlyMap<string, string>): Map<string, string> {
  const say = speaker(names);
  return new Map(
    Object.entries(template.Resources).flatMap(([logicalId, { Type, Properties = {} }]) =>
      Type === 'AWS::Lambda::Function'
        ? [[say(Properties.Role), `function ${names.get(logicalId) ?? logicalId}`] as const]
        : [],
    ),
  );
}

/** Says an ARN, or what stands for one, in a reader's words. */
function speaker(names: ReadonlyMap<string, string>): (value: unknown) => string {
  const name = (logicalId: unknown) => names.get(String(logicalId)) ?? String(logicalId);
  const say = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return String(value);
    const [intrinsic, argument] = Object.entries(value as Json)[0] ?? ['', undefined];
    if (intrinsic === 'Ref')
      return String(argument).startsWith('AWS::') ? `{${String(argument).slice(5)}}` : name(argument);
    if (intrinsic === 'Fn::GetAtt') {
      const [logicalId, attribute] = list(argument);
      return attribute === 'Arn' ? name(logicalId) : `${name(logicalId)}.${String(attribute)}`;
    }
    if (intrinsic === 'Fn::Join') {
      const [separator, parts] = list(argument);
      return list(parts).map(say).join(String(separator));
    }
    if (intrinsic === 'Fn::Sub' && typeof argument === 'string')
      return argument.replaceAll(/\$\{([^}]+)\}/g, (_, inner: string) => say({ Ref: inner }));
    return JSON.stringify(value);
  };
  return say;
}

function principalOf(principal: unknown, say: (value: unknown) => string): string {
  if (principal === '*') return 'anybody';
  return Object.entries((principal ?? {}) as Json)
    .flatMap(([kind, members]) =>
      list(members).map((member) =>
        kind === 'AWS' && member === '*'
          ? 'anybody'
          : `${kind === 'Service' ? 'service' : 'account'} ${say(member)}`,
      ),
    )
    .join(', ');
}

const conditionsOf = (condition: unknown, say: (value: unknown) => string): string[] =>
  Object.entries((condition ?? {}) as Readonly<Record<string, Json>>).flatMap(([operator, keys]) =>
    Object.entries(keys).map(
      ([key, expected]) => `${key} ${operator} ${list(expected).map(say).join(' or ')}`,
    ),
  );
