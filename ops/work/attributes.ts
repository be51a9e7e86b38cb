/** Where a stack is deployed. */
export interface Region {
  readonly account: string;
  readonly region: string;
  readonly partition: string;
}

type Attributes = Readonly<Record<string, (physicalId: string, where: Region) => string>>;

const arn =
  (service: string, resource: (physicalId: string) => string) => (physicalId: string, where: Region) =>
    physicalId.startsWith('arn:')
      ? physicalId
      : `arn:${where.partition}:${service}:${where.region}:${where.account}:${resource(physicalId)}`;

/** A queue's physical id is its URL, a topic's its ARN; both end in the name. */
const nameOf = (physicalId: string): string => physicalId.split(/[/:]/).at(-1) ?? '';

/**
 * What Fn::GetAtt gives, as far as it follows from the physical id, which is all that a deployed stack tells (CloudFormation
 * template reference, "Return values" of each type).
 */
const known: Readonly<Record<string, Attributes>> = {
  'AWS::SQS::Queue': { Arn: arn('sqs', nameOf), QueueName: nameOf, QueueUrl: (id) => id },
  'AWS::SNS::Topic': { TopicArn: (id) => id, TopicName: nameOf },
  'AWS::DynamoDB::Table': { Arn: arn('dynamodb', (name) => `table/${name}`) },
  'AWS::DynamoDB::GlobalTable': { Arn: arn('dynamodb', (name) => `table/${name}`) },
  'AWS::Lambda::Function': { Arn: arn('lambda', (name) => `function:${name}`) },
  'AWS::IAM::Role': {
    Arn: (name, { partition, account }) => `arn:${partition}:iam::${account}:role/${name}`,
  },
  'AWS::S3::Bucket': { Arn: (name, { partition }) => `arn:${partition}:s3:::${name}` },
  'AWS::Logs::LogGroup': { Arn: arn('logs', (name) => `log-group:${name}:*`) },
  'AWS::KMS::Key': { Arn: arn('kms', (id) => `key/${id}`), KeyId: (id) => id },
  'AWS::Kinesis::Stream': { Arn: arn('kinesis', (name) => `stream/${name}`) },
  'AWS::Events::EventBus': { Arn: arn('events', (name) => `event-bus/${name}`), Name: (name) => name },
  'AWS::StepFunctions::StateMachine': { Arn: (id) => id, Name: nameOf },
};

/** The value of an attribute; `undefined` when it cannot be told from the physical id. */
export function attributeOf(
  type: string,
  physicalId: string,
  name: string,
  where: Region,
): string | undefined {
  const attributes = known[type];
  return attributes !== undefined && Object.hasOwn(attributes, name)
    ? attributes[name]!(physicalId, where)
    : undefined;
}
