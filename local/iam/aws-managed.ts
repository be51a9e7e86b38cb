/** What comes before the path of a policy that AWS keeps. */
export const byAws = 'arn:aws:iam::aws:policy/';

type Actions = string | readonly string[];

const document = (
  ...statements: readonly ({ readonly Action: Actions } | { readonly NotAction: Actions })[]
) => ({
  Version: '2012-10-17',
  Statement: statements.map((statement) => ({ Effect: 'Allow', Resource: '*', ...statement })),
});

const logs = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

/**
 * Policies that AWS keeps and that stacks of the CDK attach, by their path (AWS managed policy reference guide, as of
 * 2026-01). Of those for people and of the one for VPC access only what is about services of the model, or near it.
 */
const documents: Readonly<Record<string, unknown>> = {
  AdministratorAccess: document({ Action: '*' }),
  AmazonSNSFullAccess: document({ Action: 'sns:*' }),
  AmazonSQSFullAccess: document({ Action: 'sqs:*' }),
  AmazonSQSReadOnlyAccess: document({
    Action: [
      ...['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:ListDeadLetterSourceQueues', 'sqs:ListQueues'],
      ...['sqs:ListMessageMoveTasks', 'sqs:ListQueueTags'],
    ],
  }),
  AWSXRayDaemonWriteAccess: document({
    Action: [
      ...['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSamplingRules'],
      ...['xray:GetSamplingTargets', 'xray:GetSamplingStatisticSummaries'],
    ],
  }),
  PowerUserAccess: document(
    { NotAction: ['iam:*', 'organizations:*', 'account:*'] },
    { Action: ['iam:CreateServiceLinkedRole', 'iam:DeleteServiceLinkedRole', 'iam:ListRoles'] },
  ),
  ReadOnlyAccess: document({
    Action: [
      ...['cloudformation:Describe*', 'cloudformation:Get*', 'cloudformation:List*'],
      ...['cloudformation:ValidateTemplate', 'cloudwatch:Describe*', 'cloudwatch:Get*', 'cloudwatch:List*'],
      ...['dynamodb:BatchGet*', 'dynamodb:Describe*', 'dynamodb:Get*', 'dynamodb:List*'],
      ...['dynamodb:PartiQLSelect', 'dynamodb:Query', 'dynamodb:Scan'],
      ...['ecr:BatchGet*', 'ecr:Describe*', 'ecr:Get*', 'ecr:List*', 'iam:Get*', 'iam:List*'],
      ...['kms:Describe*', 'kms:Get*', 'kms:List*', 'lambda:Get*', 'lambda:List*', 's3:Get*', 's3:List*'],
      ...['sns:Get*', 'sns:List*', 'sqs:Get*', 'sqs:List*', 'sqs:Receive*'],
      ...['ssm:Describe*', 'ssm:Get*', 'ssm:List*'],
    ],
  }),
  'service-role/AWSLambdaBasicExecutionRole': document({ Action: logs }),
  'service-role/AWSLambdaSQSQueueExecutionRole': document({
    Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', ...logs],
  }),
  'service-role/AWSLambdaDynamoDBExecutionRole': document({
    Action: [
      ...[
        'dynamodb:DescribeStream',
        'dynamodb:GetRecords',
        'dynamodb:GetShardIterator',
        'dynamodb:ListStreams',
      ],
      ...logs,
    ],
  }),
  'service-role/AWSLambdaVPCAccessExecutionRole': document({
    Action: [
      ...logs,
      ...['ec2:CreateNetworkInterface', 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'],
      ...['ec2:DeleteNetworkInterface', 'ec2:AssignPrivateIpAddresses', 'ec2:UnassignPrivateIpAddresses'],
    ],
  }),
};

/** The document of a policy that AWS keeps; nothing for one that the model does not have: it allows nothing. */
export const awsManagedDocument = (arn: string): unknown =>
  arn.startsWith(byAws) && Object.hasOwn(documents, arn.slice(byAws.length))
    ? documents[arn.slice(byAws.length)]
    : undefined;

/** Whether a policy of AWS is named that the model does not have. */
export const isUnknownOfAws = (arn: string): boolean =>
  arn.startsWith(byAws) && awsManagedDocument(arn) === undefined;
