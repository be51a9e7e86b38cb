import { anything, type Input, type Place, type Rows, rowsFor, text } from './row.ts';

/** Of a role's path the name alone does not tell. */
const roleOf = ({ RoleName }: Input, { account }: Place): string =>
  `arn:aws:iam::${account}:role/${text(RoleName)}`;
const policyOf = ({ PolicyArn }: Input): string => text(PolicyArn);

/** Service Authorization Reference, "Actions, resources, and condition keys for AWS Identity and Access Management". */
export const iam: Rows = {
  ...rowsFor(
    'iam',
    [
      ...[
        'AttachRolePolicy',
        'CreateRole',
        'DeleteRole',
        'DeleteRolePermissionsBoundary',
        'DeleteRolePolicy',
      ],
      ...['DetachRolePolicy', 'GetRole', 'GetRolePolicy', 'ListAttachedRolePolicies', 'ListRolePolicies'],
      ...[
        'ListRoleTags',
        'PutRolePermissionsBoundary',
        'PutRolePolicy',
        'TagRole',
        'UntagRole',
        'UpdateRole',
      ],
      'UpdateAssumeRolePolicy',
    ],
    roleOf,
  ),
  ...rowsFor('iam', ['DeletePolicy', 'GetPolicy', 'GetPolicyVersion', 'ListPolicyVersions'], policyOf),
  ...rowsFor(
    'iam',
    ['CreatePolicy'],
    ({ Path, PolicyName }, { account }) =>
      `arn:aws:iam::${account}:policy${text(Path) || '/'}${text(PolicyName)}`,
  ),
  ...rowsFor('iam', ['ListPolicies', 'ListRoles'], anything),
};

/** Who calls may always ask who it is; whom a role lets, its trust policy says, which STS reads. */
export const sts: Rows = {
  AssumeRole: 'own',
  GetCallerIdentity: 'nothing',
  GetSessionToken: 'nothing',
};

/** Each key has a policy of its own, without which nobody is let: KMS reads it. */
export const kms: Rows = Object.fromEntries(
  [
    ...['CancelKeyDeletion', 'CreateAlias', 'CreateKey', 'Decrypt', 'DeleteAlias', 'DescribeKey'],
    ...['DisableKey', 'DisableKeyRotation', 'EnableKey', 'EnableKeyRotation', 'Encrypt', 'GenerateDataKey'],
    ...[
      'GenerateDataKeyWithoutPlaintext',
      'GenerateRandom',
      'RotateKeyOnDemand',
      'GetKeyPolicy',
      'GetKeyRotationStatus',
      'ListAliases',
    ],
    ...['ListKeyPolicies', 'ListKeys', 'ListResourceTags', 'PutKeyPolicy', 'ReEncrypt'],
    ...['ScheduleKeyDeletion', 'TagResource', 'UntagResource', 'UpdateAlias', 'UpdateKeyDescription'],
  ].map((action) => [action, 'own'] as const),
);
