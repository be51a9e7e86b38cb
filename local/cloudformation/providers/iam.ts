import { asText, type Properties, type ProviderContext, type ResourceProvider } from '../provider.ts';

/** Documents of policies are kept with their roles; no call is judged by them, which a deployment says. */
const documentOf = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

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
  async create(properties, { iam, context, name }) {
    const roleName = String(properties.RoleName ?? name(64));
    if (iam.role(roleName) !== undefined) throw new Error(`Role with name ${roleName} already exists.`);
    const arn = `arn:aws:iam::${context.account}:role${asText(properties.Path ?? '/')}${roleName}`;
    const policies = (properties.Policies ?? []) as { PolicyName: string; PolicyDocument: unknown }[];
    iam.addRole({
      name: roleName,
      arn,
      assumeRolePolicy: documentOf(properties.AssumeRolePolicyDocument),
      policies: new Map(policies.map((policy) => [policy.PolicyName, documentOf(policy.PolicyDocument)])),
      managedPolicyArns: new Set((properties.ManagedPolicyArns ?? []) as string[]),
    });
    return { physicalId: roleName, attributes: { Arn: arn, RoleId: name(21).toUpperCase() } };
  },
  async delete({ physicalId }, _properties, { iam }) {
    iam.removeRole(physicalId);
  },
};

const principals = {
  Groups: 'the model has no groups',
  Users: 'the model has no users',
} as const;

/** Adds a document to each role that the policy names. */
function attach(policyName: string, properties: Properties, { iam }: ProviderContext): void {
  for (const roleName of (properties.Roles ?? []) as string[]) {
    const found = iam.role(roleName);
    if (found === undefined) throw new Error(`The role with name ${roleName} cannot be found.`);
    found.policies.set(policyName, documentOf(properties.PolicyDocument));
  }
}

const detach = (policyName: string, properties: Properties, { iam }: ProviderContext) => {
  for (const roleName of (properties.Roles ?? []) as string[])
    iam.role(roleName)?.policies.delete(policyName);
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
  async delete(_made, properties, provider) {
    detach(String(properties.PolicyName), properties, provider);
  },
};

/** AWS::IAM::ManagedPolicy: kept with the roles that it names. */
export const managedPolicy: ResourceProvider = {
  properties: ['ManagedPolicyName', 'Path', 'PolicyDocument', 'Roles'],
  ignored: { ...principals, Description: 'the model keeps what a policy allows only' },
  unenforced: ['PolicyDocument'],
  attributes: ['PolicyArn', 'PolicyId'],
  async create(properties, provider) {
    const name = String(properties.ManagedPolicyName ?? provider.name(128));
    attach(name, properties, provider);
    const arn = `arn:aws:iam::${provider.context.account}:policy${asText(properties.Path ?? '/')}${name}`;
    return { physicalId: arn, attributes: { PolicyArn: arn, PolicyId: name } };
  },
  async delete({ attributes }, properties, provider) {
    detach(String(attributes.PolicyId), properties, provider);
  },
};
