import type {
  AttachRolePolicyCommandInput,
  CreatePolicyCommandInput,
  DeletePolicyCommandInput,
  DeleteRolePermissionsBoundaryCommandInput,
  DeleteRolePolicyCommandInput,
  DetachRolePolicyCommandInput,
  GetPolicyCommandInput,
  GetPolicyVersionCommandInput,
  GetRolePolicyCommandInput,
  ListAttachedRolePoliciesCommandInput,
  ListPoliciesCommandInput,
  ListPolicyVersionsCommandInput,
  ListRolePoliciesCommandInput,
  Policy,
  PutRolePermissionsBoundaryCommandInput,
  PutRolePolicyCommandInput,
} from '@aws-sdk/client-iam';
import type { ModelContext } from '../service.ts';
import { awsManagedDocument, byAws } from './aws-managed.ts';
import { conflict, exists, identifier, missing, noRole, readDocument, writeDocument } from './rules.ts';
import type { IamStore, ManagedPolicy, Role } from './store.ts';

/** The one version that a policy of the model has. */
const onlyVersion = 'v1';

/** The actions on the policies of roles, and on those with an ARN of their own. */
export function policyActions(context: Pick<ModelContext, 'account' | 'clock' | 'random'>, store: IamStore) {
  const role = (name: string | undefined): Role => store.role(name ?? '') ?? noRole(name);
  const nameOf = (arn: string) => arn.slice(arn.lastIndexOf('/') + 1);
  const attachments = (arn: string) =>
    store.roles().filter(({ managedPolicyArns }) => managedPolicyArns.includes(arn)).length;
  const get = (arn: string | undefined): ManagedPolicy => {
    const found = store.managedPolicy(arn ?? '');
    if (found !== undefined) return found;
    if (arn?.startsWith(byAws)) return { name: nameOf(arn), arn, document: awsManagedDocument(arn) };
    throw missing(`Policy ${arn} was not found.`);
  };
  const describe = (policy: ManagedPolicy): Policy => ({
    PolicyName: policy.name,
    PolicyId: policy.id ?? 'ANPA00000000000000000',
    Arn: policy.arn,
    Path: '/',
    DefaultVersionId: onlyVersion,
    AttachmentCount: attachments(policy.arn),
    PermissionsBoundaryUsageCount: store
      .roles()
      .filter(({ permissionsBoundary }) => permissionsBoundary === policy.arn).length,
    IsAttachable: true,
    ...(policy.description === undefined ? {} : { Description: policy.description }),
    CreateDate: new Date(policy.createdAt ?? 0),
    UpdateDate: new Date(policy.createdAt ?? 0),
  });
  const version = (policy: ManagedPolicy) => ({
    VersionId: onlyVersion,
    IsDefaultVersion: true,
    CreateDate: new Date(policy.createdAt ?? 0),
  });

  return {
    PutRolePolicy({ RoleName, PolicyName = '', PolicyDocument }: PutRolePolicyCommandInput) {
      role(RoleName).policies.set(PolicyName, readDocument(PolicyDocument, 'identity'));
      return {};
    },
    GetRolePolicy({ RoleName, PolicyName = '' }: GetRolePolicyCommandInput) {
      const document = role(RoleName).policies.get(PolicyName);
      if (document === undefined) throw missing(`The role policy with name ${PolicyName} cannot be found.`);
      return { RoleName, PolicyName, PolicyDocument: writeDocument(document) };
    },
    DeleteRolePolicy({ RoleName, PolicyName = '' }: DeleteRolePolicyCommandInput) {
      if (!role(RoleName).policies.delete(PolicyName))
        throw missing(`The role policy with name ${PolicyName} cannot be found.`);
      return {};
    },
    PutRolePermissionsBoundary({
      RoleName,
      PermissionsBoundary = '',
    }: PutRolePermissionsBoundaryCommandInput) {
      store.addRole(Object.assign(role(RoleName), { permissionsBoundary: get(PermissionsBoundary).arn }));
      return {};
    },
    DeleteRolePermissionsBoundary({ RoleName }: DeleteRolePermissionsBoundaryCommandInput) {
      store.addRole(Object.assign(role(RoleName), { permissionsBoundary: undefined }));
      return {};
    },
    ListRolePolicies: ({ RoleName }: ListRolePoliciesCommandInput) => ({
      PolicyNames: [...role(RoleName).policies.keys()],
      IsTruncated: false,
    }),
    AttachRolePolicy({ RoleName, PolicyArn = '' }: AttachRolePolicyCommandInput) {
      role(RoleName).managedPolicyArns.add(get(PolicyArn).arn);
      return {};
    },
    DetachRolePolicy({ RoleName, PolicyArn = '' }: DetachRolePolicyCommandInput) {
      if (!role(RoleName).managedPolicyArns.delete(PolicyArn))
        throw missing(`Policy ${PolicyArn} is not attached to role ${RoleName}.`);
      return {};
    },
    ListAttachedRolePolicies: ({ RoleName }: ListAttachedRolePoliciesCommandInput) => ({
      AttachedPolicies: [...role(RoleName).managedPolicyArns].map((PolicyArn) => ({
        PolicyName: nameOf(PolicyArn),
        PolicyArn,
      })),
      IsTruncated: false,
    }),
    CreatePolicy(input: CreatePolicyCommandInput) {
      const name = input.PolicyName ?? '';
      const arn = `arn:aws:iam::${context.account}:policy${input.Path ?? '/'}${name}`;
      if (store.managedPolicy(arn) !== undefined)
        throw exists(`A policy called ${name} already exists. Duplicate names are not allowed.`);
      const policy: ManagedPolicy = {
        name,
        arn,
        document: readDocument(input.PolicyDocument, 'identity'),
        id: identifier('ANPA', context.random),
        createdAt: context.clock.now(),
        description: input.Description,
      };
      store.addManagedPolicy(policy);
      return { Policy: describe(policy) };
    },
    GetPolicy: ({ PolicyArn }: GetPolicyCommandInput) => ({ Policy: describe(get(PolicyArn)) }),
    GetPolicyVersion({ PolicyArn, VersionId }: GetPolicyVersionCommandInput) {
      const policy = get(PolicyArn);
      if (policy.document === undefined)
        throw missing(
          `The model does not have AWS's policy ${PolicyArn}: attached to a role, it allows nothing.`,
        );
      if (VersionId !== onlyVersion) throw missing(`Policy ${PolicyArn} has no version ${VersionId}.`);
      return { PolicyVersion: { ...version(policy), Document: writeDocument(policy.document) } };
    },
    ListPolicyVersions: ({ PolicyArn }: ListPolicyVersionsCommandInput) => ({
      Versions: [version(get(PolicyArn))],
      IsTruncated: false,
    }),
    ListPolicies: ({ OnlyAttached = false }: ListPoliciesCommandInput) => ({
      Policies: store
        .managedPolicies()
        .map(describe)
        .filter((policy) => !OnlyAttached || (policy.AttachmentCount ?? 0) > 0),
      IsTruncated: false,
    }),
    DeletePolicy({ PolicyArn = '' }: DeletePolicyCommandInput) {
      const { arn } = get(PolicyArn);
      if (attachments(arn) > 0) throw conflict('Cannot delete a policy attached to entities.');
      store.removeManagedPolicy(arn);
      return {};
    },
  };
}
