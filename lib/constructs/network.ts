import { Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledged.ts';

/**
 * What Lambda does in the name of a function that runs in a network of the account (Lambda developer guide, "Giving
 * Lambda functions access to resources in an Amazon VPC"). For all resources: EC2 knows none for what describes, and the
 * interfaces, which Lambda makes and shares between functions of one network, have no names before they are there.
 */
const onInterfaces = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Sends traces (X-Ray developer guide, "How AWS X-Ray works with IAM"): of X-Ray's own, without a resource to name. */
const onTraces = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'];

/**
 * What a function's role may on all resources, when it needs such rights at all: in a policy of its own, so that the
 * answer to checkers of wildcards covers these statements and no other.
 */
export function allowEverywhere(
  scope: Construct,
  role: Role,
  needs: { readonly network: boolean; readonly traces: boolean },
): Policy | undefined {
  const actions = [...(needs.network ? onInterfaces : []), ...(needs.traces ? onTraces : [])];
  if (actions.length === 0) return undefined;
  const policy = new Policy(scope, 'NamelessResources', {
    roles: [role],
    statements: [new PolicyStatement({ actions, resources: ['*'] })],
  });
  acknowledge(policy, 'namelessResources');
  return policy;
}
