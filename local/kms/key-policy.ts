import {
  judgePolicy,
  type Policy,
  PolicyError,
  type PolicyJudgement,
  type PolicyRequest,
  parsePolicy,
} from '../policy.ts';
import { malformedPolicy } from './errors.ts';

/**
 * A key's policy. KMS tells two kinds of permission apart (KMS developer guide, "Key policies" and "Allows access to the
 * AWS account"): a statement for a principal itself is enough, one for the account leaves the decision to the
 * principal's own policies.
 */
export interface KeyPolicy {
  readonly text: string;
  readonly statements: Policy;
  judge(request: PolicyRequest): PolicyJudgement;
}

/**
 * Reads a key's policy.
 *
 * @throws ServiceError MalformedPolicyDocumentException
 */
export function readKeyPolicy(text: string): KeyPolicy {
  const statements = parse(text);
  return { text, statements, judge: (request) => judgePolicy(statements, request) };
}

function parse(text: string): Policy {
  try {
    return parsePolicy(text);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw malformedPolicy(error.message, error);
  }
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
