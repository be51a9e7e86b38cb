import { byAws, checkDocument, isUnknownOfAws, unsupportedIn } from '../../iam/index.ts';
import { ServiceError } from '../../service.ts';
import {
  asNumber,
  asText,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import { droppedFrom, listOf, uniqueId } from './changes.ts';

const parsed = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

/** A document as calls will be judged by it. @throws {ServiceError} when it is no policy */
function documentOf(value: unknown, kind: 'identity' | 'trust' = 'identity'): unknown {
  const document = parsed(value);
  checkDocument(document, kind);
  return document;
}

/** What the model does not have of a policy: it never allows by it, and never keeps from denying. */
const notesOn = (document: unknown): readonly string[] =>
  unsupportedIn(parsed(document)).map(
    (part) => `the model does not have ${part}: a statement with it allows nothing, and denies always`,
  );

/** AWS's own policies that are attached, and that the model does not have; their ARNs may still be in parts. */
function notesOnManaged(arns: unknown): readonly string[] {
  const texts = JSON.stringify(arns ?? []).matchAll(/:iam::aws:policy\/([\w/+=,.@-]+)/g);
  return [...texts].flatMap(([, path = '']) =>
    isUnknownOfAws(`${byAws}${path}`)
      ? [
          `the model does not have AWS's policy ${path}: it allows nothing; put what is needed into a policy of the stack`,
        ]
      : [],
  );
}

interface InlinePolicy {
  readonly PolicyName: string;
  readonly PolicyDocument: unknown;
}
const inlineOf = (properties: Properties) => (properties.Policies ?? []) as readonly InlinePolicy[];

const gone = (roleName: string): never => {
  throw new ServiceError('NoSuchEntityException', `The role with name ${roleName} cannot be found.`, {
    statusCode: 404,
  });
};

/** What a role says of itself besides its policies; MaxSessionDuration is in seconds. */
const described = (properties: Properties) => ({
  assumeRolePolicy: documentOf(properties.AssumeRolePolicyDocument, 'trust'),
  permissionsBoundary:
    properties.PermissionsBoundary === undefined ? undefined : asText(properties.PermissionsBoundary),
  description: properties.Description === undefined ? undefined : asText(properties.Description),
  maxSessionDuration: asNumber(properties.MaxSessionDuration),
  tags: new Map(Object.entries(tagsOf(properties.Tags))),
});

/** AWS::IAM::Role. */
export const role: ResourceProvider = {
  properties: [
    ...['AssumeRolePolicyDocument', 'Description', 'ManagedPolicyArns', 'MaxSessionDuration', 'Path'],
    ...['PermissionsBoundary', 'Policies', 'RoleName', 'Tags'],
  ],
  notes: ({ AssumeRolePolicyDocument, ManagedPolicyArns, PermissionsBoundary, Policies }) => [
    ...notesOn(AssumeRolePolicyDocument),
    ...[Policies ?? []].flat().flatMap((each) => notesOn((each as Partial<InlinePolicy>).PolicyDocument)),
    ...notesOnManaged([ManagedPolicyArns, PermissionsBoundary]),
  ],
  attributes: ['Arn', 'RoleId'],
  replacedBy: ['Path', 'RoleName'],
  nameProperty: 'RoleName',
  async create(properties, { iam, context, name }) {
    const roleName = String(properties.RoleName ?? name(64));
    if (iam.role(roleName) !== undefined) throw new Error(`Role with name ${roleName} already exists.`);
    const arn = `arn:aws:iam::${context.account}:role${asText(properties.Path ?? '/')}${roleName}`;
    const id = uniqueId('AROA', context.random);
    iam.addRole({
      name: roleName,
      arn,
      id,
      createdAt: context.clock.now(),
      ...described(properties),
      policies: new Map(
        inlineOf(properties).map((policy) => [policy.PolicyName, documentOf(policy.PolicyDocument)]),
      ),
      managedPolicyArns: new Set(listOf(properties.ManagedPolicyArns)),
    });
    return { physicalId: roleName, attributes: { Arn: arn, RoleId: id } };
  },
  async update(made, before, after, { iam }) {
    const found = iam.role(made.physicalId) ?? gone(made.physicalId);
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
    iam.addRole({ ...found, ...described(after) });
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

/** The roles that a policy names. @throws {ServiceError} when one of them is not there */
const rolesOf = (properties: Properties, { iam }: ProviderContext) =>
  listOf(properties.Roles).map((roleName) => iam.role(roleName) ?? gone(roleName));

/** Puts a document on each role that the policy names; on none when one of them is not there. */
function attach(properties: Properties, provider: ProviderContext): void {
  for (const { policies } of rolesOf(properties, provider)) {
    policies.set(asText(properties.PolicyName), documentOf(properties.PolicyDocument));
  }
}

/** Takes a policy from roles, or leaves them that of another resource which puts one of this name on them. */
const detach = (policyName: unknown, roles: readonly string[], { iam, others }: ProviderContext) => {
  for (const roleName of roles) {
    const other = others().find(
      ({ properties }) => properties.PolicyName === policyName && listOf(properties.Roles).includes(roleName),
    );
    const policies = iam.role(roleName)?.policies;
    if (other === undefined) policies?.delete(asText(policyName));
    else policies?.set(asText(policyName), documentOf(other.properties.PolicyDocument));
  }
};

/** AWS::IAM::Policy: an inline policy of its roles. */
export const policy: ResourceProvider = {
  properties: ['PolicyDocument', 'PolicyName', 'Roles'],
  ignored: principals,
  notes: ({ PolicyDocument }) => notesOn(PolicyDocument),
  attributes: ['Id'],
  async create(properties, provider) {
    attach(properties, provider);
    const physicalId = provider.name(64);
    return { physicalId, attributes: { Id: physicalId } };
  },
  async update(made, before, after, provider) {
    attach(after, provider);
    const renamed = before.PolicyName !== after.PolicyName;
    const left = renamed ? listOf(before.Roles) : droppedFrom('Roles', before, after);
    detach(before.PolicyName, left, provider);
    return made;
  },
  async delete(_made, properties, provider) {
    detach(properties.PolicyName, listOf(properties.Roles), provider);
  },
};

/** AWS::IAM::ManagedPolicy: a policy with an ARN of its own, attached to the roles that it names. */
export const managedPolicy: ResourceProvider = {
  properties: ['Description', 'ManagedPolicyName', 'Path', 'PolicyDocument', 'Roles'],
  ignored: principals,
  notes: ({ PolicyDocument }) => notesOn(PolicyDocument),
  attributes: ['PolicyArn', 'PolicyId'],
  replacedBy: ['Description', 'ManagedPolicyName', 'Path'],
  nameProperty: 'ManagedPolicyName',
  async create(properties, provider) {
    const { context, iam } = provider;
    const name = asText(properties.ManagedPolicyName ?? provider.name(128));
    const arn = `arn:aws:iam::${context.account}:policy${asText(properties.Path ?? '/')}${name}`;
    if (iam.managedPolicy(arn) !== undefined) {
      throw new Error(`A policy called ${name} already exists. Duplicate names are not allowed.`);
    }
    const roles = rolesOf(properties, provider);
    const id = uniqueId('ANPA', context.random);
    iam.addManagedPolicy({
      name,
      arn,
      id,
      document: documentOf(properties.PolicyDocument),
      createdAt: context.clock.now(),
      description: properties.Description === undefined ? undefined : asText(properties.Description),
    });
    for (const { managedPolicyArns } of roles) managedPolicyArns.add(arn);
    return { physicalId: arn, attributes: { PolicyArn: arn, PolicyId: id } };
  },
  async update(made, before, after, provider) {
    const { iam } = provider;
    const arn = made.physicalId;
    const found = iam.managedPolicy(arn);
    if (found === undefined) throw new Error(`Policy ${arn} was not found.`);
    const roles = rolesOf(after, provider);
    iam.addManagedPolicy({ ...found, document: documentOf(after.PolicyDocument) });
    for (const { managedPolicyArns } of roles) managedPolicyArns.add(arn);
    for (const name of droppedFrom('Roles', before, after)) iam.role(name)?.managedPolicyArns.delete(arn);
    return made;
  },
  async delete({ physicalId }, properties, { iam }) {
    for (const name of listOf(properties.Roles)) iam.role(name)?.managedPolicyArns.delete(physicalId);
    if (iam.roles().some(({ managedPolicyArns }) => managedPolicyArns.includes(physicalId))) {
      throw new ServiceError('DeleteConflictException', 'Cannot delete a policy attached to entities.', {
        statusCode: 409,
      });
    }
    iam.removeManagedPolicy(physicalId);
  },
};
