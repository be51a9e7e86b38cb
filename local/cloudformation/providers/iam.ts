import {
  asText,
  type Made,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
} from '../provider.ts';
import { droppedFrom, listOf, uniqueId } from './changes.ts';

/** Documents of policies are kept with their roles; no call is judged by them, which a deployment says. */
const documentOf = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

interface InlinePolicy {
  readonly PolicyName: string;
  readonly PolicyDocument: unknown;
}
const inlineOf = (properties: Properties) => (properties.Policies ?? []) as readonly InlinePolicy[];

/** AWS::IAM::Role. */
export const role: ResourceProvider = {
  properties: ['AssumeRolePolicyDocument', 'ManagedPolicyArns', 'Path', 'Policies', 'RoleName'],
  ignored: {
    Description: 'the model keeps what a role may do only',
    MaxSessionDuration: 'the model has no sessions',
    PermissionsBoundary: 'the model keeps no boundaries',
    Tags: 'the model keeps no tags of roles',
  },
  unenforced: ['ManagedPolicyArns', 'Policies'],
  attributes: ['Arn', 'RoleId'],
  replacedBy: ['Path', 'RoleName'],
  nameProperty: 'RoleName',
  async create(properties, { iam, context, name }) {
    const roleName = String(properties.RoleName ?? name(64));
    if (iam.role(roleName) !== undefined) throw new Error(`Role with name ${roleName} already exists.`);
    const arn = `arn:aws:iam::${context.account}:role${asText(properties.Path ?? '/')}${roleName}`;
    iam.addRole({
      name: roleName,
      arn,
      assumeRolePolicy: documentOf(properties.AssumeRolePolicyDocument),
      policies: new Map(
        inlineOf(properties).map((policy) => [policy.PolicyName, documentOf(policy.PolicyDocument)]),
      ),
      managedPolicyArns: new Set(listOf(properties.ManagedPolicyArns)),
    });
    return { physicalId: roleName, attributes: { Arn: arn, RoleId: uniqueId('AROA', context.random) } };
  },
  async update(made, before, after, { iam }) {
    const found = iam.role(made.physicalId);
    if (found === undefined) throw new Error(`The role with name ${made.physicalId} cannot be found.`);
    const policies = inlineOf(after);
    const kept = new Set(policies.map(({ PolicyName }) => PolicyName));
    // What AWS::IAM::Policy resources have put on the role is theirs.
    for (const { PolicyName } of inlineOf(before)) {
      if (!kept.has(PolicyName)) found.policies.delete(PolicyName);
    }
    for (const { PolicyName, PolicyDocument } of policies) {
      found.policies.set(PolicyName, documentOf(PolicyDocument));
    }
    for (const arn of droppedFrom('ManagedPolicyArns', before, after)) found.managedPolicyArns.delete(arn);
    for (const arn of listOf(after.ManagedPolicyArns)) found.managedPolicyArns.add(arn);
    iam.addRole({ ...found, assumeRolePolicy: documentOf(after.AssumeRolePolicyDocument) });
    return made;
  },
  async delete({ physicalId }, _properties, { iam }) {
    iam.removeRole(physicalId);
  },
};

const principals = {
  Groups: 'the model has no groups',
  Users: 'the model has no users',
} as const;

/** Puts a document on each role that the policy names; on none when one of them is not there. */
function attach(policyName: string, properties: Properties, { iam }: ProviderContext): void {
  const roles = listOf(properties.Roles).map((roleName) => {
    const found = iam.role(roleName);
    if (found === undefined) throw new Error(`The role with name ${roleName} cannot be found.`);
    return found;
  });
  for (const { policies } of roles) policies.set(policyName, documentOf(properties.PolicyDocument));
}

const detach = (policyName: string, roles: readonly string[], { iam }: ProviderContext) => {
  for (const roleName of roles) iam.role(roleName)?.policies.delete(policyName);
};

/** AWS::IAM::Policy: an inline policy of its roles. */
export const policy: ResourceProvider = {
  properties: ['PolicyDocument', 'PolicyName', 'Roles'],
  ignored: principals,
  unenforced: ['PolicyDocument'],
  attributes: ['Id'],
  async create(properties, provider) {
    attach(String(properties.PolicyName), properties, provider);
    const physicalId = provider.name(64);
    return { physicalId, attributes: { Id: physicalId } };
  },
  async update(made, before, after, provider) {
    const old = String(before.PolicyName);
    attach(String(after.PolicyName), after, provider);
    const renamed = old !== String(after.PolicyName);
    detach(old, renamed ? listOf(before.Roles) : droppedFrom('Roles', before, after), provider);
    return made;
  },
  async delete(_made, properties, provider) {
    detach(String(properties.PolicyName), listOf(properties.Roles), provider);
  },
};

/** The name at the end of a policy's ARN. */
const nameOf = ({ physicalId }: Made): string => physicalId.slice(physicalId.lastIndexOf('/') + 1);

/** AWS::IAM::ManagedPolicy: kept with the roles that it names. */
export const managedPolicy: ResourceProvider = {
  properties: ['ManagedPolicyName', 'Path', 'PolicyDocument', 'Roles'],
  ignored: { ...principals, Description: 'the model keeps what a policy allows only' },
  unenforced: ['PolicyDocument'],
  attributes: ['PolicyArn', 'PolicyId'],
  replacedBy: ['Description', 'ManagedPolicyName', 'Path'],
  nameProperty: 'ManagedPolicyName',
  async create(properties, provider) {
    const { context } = provider;
    const name = String(properties.ManagedPolicyName ?? provider.name(128));
    attach(name, properties, provider);
    const arn = `arn:aws:iam::${context.account}:policy${asText(properties.Path ?? '/')}${name}`;
    return { physicalId: arn, attributes: { PolicyArn: arn, PolicyId: uniqueId('ANPA', context.random) } };
  },
  async update(made, before, after, provider) {
    attach(nameOf(made), after, provider);
    detach(nameOf(made), droppedFrom('Roles', before, after), provider);
    return made;
  },
  async delete(made, properties, provider) {
    detach(nameOf(made), listOf(properties.Roles), provider);
  },
};
