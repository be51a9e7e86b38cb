import type { ResourceProvider } from '../provider.ts';
import { alarm, compositeAlarm, dashboard } from './cloudwatch.ts';
import { globalTable, table } from './dynamodb.ts';
import { repository } from './ecr.ts';
import { managedPolicy, policy, role } from './iam.ts';
import { logGroup, metadata } from './kept.ts';
import { alias, key } from './kms.ts';
import { eventSourceMapping, lambdaFunction, permission } from './lambda.ts';
import { eventInvokeConfig, alias as functionAlias, version } from './lambda-versions.ts';
import { securityGroup, securityGroupEgress, securityGroupIngress } from './networks.ts';
import { bucket, bucketPolicy } from './s3.ts';
import { subscription, topic, topicPolicy } from './sns.ts';
import { queue, queuePolicy } from './sqs.ts';
import { parameter } from './ssm.ts';

/** How each type of resource is made; a type that is not here is refused. */
export const providers: Readonly<Record<string, ResourceProvider>> = {
  'AWS::CDK::Metadata': metadata,
  'AWS::CloudWatch::Alarm': alarm,
  'AWS::CloudWatch::CompositeAlarm': compositeAlarm,
  'AWS::CloudWatch::Dashboard': dashboard,
  'AWS::DynamoDB::GlobalTable': globalTable,
  'AWS::DynamoDB::Table': table,
  'AWS::EC2::SecurityGroup': securityGroup,
  'AWS::EC2::SecurityGroupEgress': securityGroupEgress,
  'AWS::EC2::SecurityGroupIngress': securityGroupIngress,
  'AWS::ECR::Repository': repository,
  'AWS::IAM::ManagedPolicy': managedPolicy,
  'AWS::IAM::Policy': policy,
  'AWS::IAM::Role': role,
  'AWS::KMS::Alias': alias,
  'AWS::KMS::Key': key,
  'AWS::Lambda::Alias': functionAlias,
  'AWS::Lambda::EventInvokeConfig': eventInvokeConfig,
  'AWS::Lambda::EventSourceMapping': eventSourceMapping,
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::Permission': permission,
  'AWS::Lambda::Version': version,
  'AWS::Logs::LogGroup': logGroup,
  'AWS::S3::Bucket': bucket,
  'AWS::S3::BucketPolicy': bucketPolicy,
  'AWS::SNS::Subscription': subscription,
  'AWS::SNS::Topic': topic,
  'AWS::SNS::TopicPolicy': topicPolicy,
  'AWS::SQS::Queue': queue,
  'AWS::SQS::QueuePolicy': queuePolicy,
  'AWS::SSM::Parameter': parameter,
};
