/** What comes before the path of a policy that AWS keeps. */
export const byAws = 'arn:aws:iam::aws:policy/';

const document = (...statements: readonly { readonly Action: string | readonly string[] }[]) => ({
  Version: '2012-10-17',
  Statement: statements.map((statement) => ({ Effect: 'Allow', Resource: '*', ...statement })),
});

const logs = ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'];

/**
 * Policies that AWS keeps and that stacks of the CDK attach, by their path (AWS managed policy reference guide, as of
 * 2026-01; of the policy for VPC access its statements for network interfaces are put together).
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
