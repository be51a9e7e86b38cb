import { evaluatePolicy, type Policy, PolicyError, type PolicyRequest, parsePolicy } from '../policy.ts';
import { malformedPolicy } from './errors.ts';

/**
 * A key's policy as it is judged. KMS tells two kinds of permission apart (KMS developer guide, "Key policies" and
 * "Allows access to the AWS account"): a statement for a principal itself is enough, one for the account leaves the
 * decision to the principal's own policies.
 */
export interface KeyPolicy {
  readonly text: string;
  /** `direct`: the key's policy alone allows it; `delegated`: it lets the account's own policies decide. */
  judge(request: PolicyRequest): 'direct' | 'delegated' | 'denied' | 'none';
}

/**
 * Reads a key's policy.
 *
 * @throws ServiceError MalformedPolicyDocumentException
 */
export function readKeyPolicy(text: string): KeyPolicy {
  const policy = parse(text);
  const direct = parse(JSON.stringify(withoutAccounts(JSON.parse(text))));
  return {
    text,
    judge(request) {
      const verdict = evaluatePolicy(policy, request);
      if (verdict !== 'allow') return verdict === 'deny' ? 'denied' : 'none';
      return evaluatePolicy(direct, request) === 'allow' ? 'direct' : 'delegated';
    },
  };
}

function parse(text: string): Policy {
  try {
    return parsePolicy(text);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw malformedPolicy(error.message, error);
  }
}

const isAccount = (principal: unknown): boolean =>
  typeof principal === 'string' && /^(\d{12}|arn:[^:]+:iam::\d{12}:root)$/.test(principal);

/** The policy as it is for those who are named themselves: a whole account is named by no statement that allows. */
function withoutAccounts(document: { readonly Statement?: unknown }): object {
  const statements: readonly object[] = [document.Statement ?? []].flat();
  return {
    ...document,
    Statement: statements.map((statement) => {
      const { Effect, Principal } = statement as Readonly<Record<string, unknown>>;
      if (Effect !== 'Allow' || typeof Principal !== 'object' || Principal === null) return statement;
      const { AWS, ...others } = Principal as Record<string, unknown>;
      if (AWS === undefined) return statement;
      return { ...statement, Principal: { ...others, AWS: [AWS].flat().filter((one) => !isAccount(one)) } };
    }),
  };
}

/** The policy of a key that is made without one: the account, and by it its administrators, may do everything. */
export const defaultKeyPolicy = (account: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Id: 'key-default-1',
    Statement: [
      {
        Sid: 'Enable IAM User Permissions',
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${account}:root` },
        Action: 'kms:*',
        Resource: '*',
      },
    ],
  });

/**
 * The policy of a key that AWS manages for a service: everybody in the account may use it through that service, and
 * nobody can change that (KMS developer guide, "AWS managed keys"). Other services are not in the account.
 */
export const managedKeyPolicy = (service: string, account: string, region: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Id: `auto-${service}-1`,
    Statement: [
      {
        Sid: `Allow access through ${service} for all principals in the account that are authorized to use it`,
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: [
          'kms:Encrypt',
          'kms:Decrypt',
          'kms:ReEncrypt*',
          'kms:GenerateDataKey*',
          'kms:CreateGrant',
          'kms:DescribeKey',
        ],
        Resource: '*',
        Condition: {
          StringEquals: {
            'kms:CallerAccount': account,
            'kms:ViaService': `${service}.${region}.amazonaws.com`,
          },
        },
      },
      {
        Sid: 'Allow direct access to key metadata to the account',
        Effect: 'Allow',
        Principal: { AWS: `arn:aws:iam::${account}:root` },
        Action: ['kms:Describe*', 'kms:Get*', 'kms:List*', 'kms:RevokeGrant'],
        Resource: '*',
      },
    ],
  });
