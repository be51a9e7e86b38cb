import type {
  CreateRoleCommandInput,
  DeleteRoleCommandInput,
  GetRoleCommandInput,
  ListRolesCommandInput,
  ListRoleTagsCommandInput,
  Role as RoleDescription,
  TagRoleCommandInput,
  UntagRoleCommandInput,
  UpdateAssumeRolePolicyCommandInput,
  UpdateRoleCommandInput,
} from '@aws-sdk/client-iam';
import type { ModelContext } from '../service.ts';
import { conflict, exists, identifier, invalid, noRole, readDocument, writeDocument } from './rules.ts';
import type { IamStore, Role } from './store.ts';

/** The actions on roles. */
export function roleActions(context: Pick<ModelContext, 'account' | 'clock' | 'random'>, store: IamStore) {
  const get = (name: string | undefined): Role => store.role(name ?? '') ?? noRole(name);
  const describe = (role: Role): RoleDescription => ({
    Path: pathOf(role.arn),
    RoleName: role.name,
    RoleId: role.id ?? 'AROA00000000000000000',
    Arn: role.arn,
    CreateDate: new Date(role.createdAt ?? 0),
    AssumeRolePolicyDocument: writeDocument(role.assumeRolePolicy),
    ...(role.description === undefined ? {} : { Description: role.description }),
    MaxSessionDuration: role.maxSessionDuration ?? 3600,
    ...(role.permissionsBoundary === undefined
      ? {}
      : {
          PermissionsBoundary: {
            PermissionsBoundaryType: 'PermissionsBoundaryPolicy' as const,
            PermissionsBoundaryArn: role.permissionsBoundary,
          },
        }),
    ...(role.tags === undefined || role.tags.size === 0 ? {} : { Tags: tagsOf(role) }),
  });
  return {
    CreateRole(input: CreateRoleCommandInput) {
      const name = input.RoleName ?? '';
      if (!/^[\w+=,.@-]{1,64}$/.test(name))
        throw invalid(`The role's name is "${name}": allowed are 1 to 64 letters, digits and _+=,.@-.`);
      if (store.role(name) !== undefined) throw exists(`Role with name ${name} already exists.`);
      const role: Role = {
        name,
        arn: `arn:aws:iam::${context.account}:role${input.Path ?? '/'}${name}`,
        assumeRolePolicy: readDocument(input.AssumeRolePolicyDocument, 'trust'),
        policies: new Map(),
        managedPolicyArns: new Set(),
        id: identifier('AROA', context.random),
        createdAt: context.clock.now(),
        description: input.Description,
        maxSessionDuration: input.MaxSessionDuration,
        permissionsBoundary: input.PermissionsBoundary,
        tags: new Map((input.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
      };
      store.addRole(role);
      return { Role: describe(role) };
    },
    GetRole: ({ RoleName }: GetRoleCommandInput) => ({ Role: describe(get(RoleName)) }),
    ListRoles: ({ PathPrefix = '/' }: ListRolesCommandInput) => ({
      Roles: store
        .roles()
        .filter(({ arn }) => pathOf(arn).startsWith(PathPrefix))
        .map(({ name }) => describe(get(name))),
      IsTruncated: false,
    }),
    UpdateRole(input: UpdateRoleCommandInput) {
      const role = get(input.RoleName);
      if (input.Description !== undefined) role.description = input.Description;
      if (input.MaxSessionDuration !== undefined) role.maxSessionDuration = input.MaxSessionDuration;
      return {};
    },
    UpdateAssumeRolePolicy(input: UpdateAssumeRolePolicyCommandInput) {
      get(input.RoleName).assumeRolePolicy = readDocument(input.PolicyDocument, 'trust');
      return {};
    },
    DeleteRole({ RoleName }: DeleteRoleCommandInput) {
      const role = get(RoleName);
      if (role.policies.size > 0) throw conflict('Cannot delete entity, must delete policies first.');
      if (role.managedPolicyArns.size > 0)
        throw conflict('Cannot delete entity, must detach all policies first.');
      store.removeRole(role.name);
      return {};
    },
    TagRole({ RoleName, Tags = [] }: TagRoleCommandInput) {
      const role = withTags(store, get(RoleName));
      for (const { Key = '', Value = '' } of Tags) role.tags?.set(Key, Value);
      return {};
    },
    UntagRole({ RoleName, TagKeys = [] }: UntagRoleCommandInput) {
      const role = get(RoleName);
      for (const key of TagKeys) role.tags?.delete(key);
      return {};
    },
    ListRoleTags: ({ RoleName }: ListRoleTagsCommandInput) => ({
      Tags: tagsOf(get(RoleName)),
      IsTruncated: false,
    }),
  };
}

/** A role that a stack made may have come without a place for tags. */
function withTags(store: IamStore, role: Role): Role {
  if (role.tags !== undefined) return role;
  const tagged = { ...role, tags: new Map<string, string>() };
  store.addRole(tagged);
  return tagged;
}

const tagsOf = (role: Role) => [...(role.tags ?? [])].map(([Key, Value]) => ({ Key, Value }));

/** `/service-role/` of `arn:aws:iam::123456789012:role/service-role/Name`. */
const pathOf = (arn: string): string => /:role(\/(?:.*\/)?)[^/]+$/.exec(arn)?.[1] ?? '/';
