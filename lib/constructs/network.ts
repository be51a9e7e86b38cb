import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

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

/** Lets Lambda connect a function to its network. */
export const allowInterfaces = (): PolicyStatement =>
  new PolicyStatement({ actions: onInterfaces, resources: ['*'] });
