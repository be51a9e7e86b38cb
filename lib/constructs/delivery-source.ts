import { ArnFormat, CfnResource, Stack, Token } from 'aws-cdk-lib';
import { type CfnTopic, type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/**
 * The condition by which a queue's policy lets one topic deliver. By its ARN; but where the queue is in another stack of
 * the app than topic and subscription, that ARN would make each stack wait for the other. Then by its name: the one that
 * it has, or what CloudFormation makes names of, the stack's name and the logical id (CloudFormation user guide, "Name
 * type"), with the part that only the deployment knows left open.
 *
 * @param scope - where the subscription is
 */
export function sourceCondition(
  scope: Construct,
  topic: ITopic,
  queue: IQueue,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const here = Stack.of(scope);
  const exact = { ArnEquals: { 'aws:SourceArn': topic.topicArn } };
  const resource = topic.node.defaultChild;
  const waits =
    topic instanceof Topic &&
    CfnResource.isCfnResource(resource) &&
    Stack.of(topic) === here &&
    Stack.of(queue) !== here;
  if (!waits) return exact;
  const given: unknown = here.resolve((resource as CfnTopic).topicName);
  const name =
    typeof given === 'string' && !Token.isUnresolved(given)
      ? given
      : `${here.stackName}-${String(here.resolve(resource.logicalId))}-*`;
  const arn = here.formatArn({ service: 'sns', resource: name, arnFormat: ArnFormat.NO_RESOURCE_NAME });
  return { ArnLike: { 'aws:SourceArn': arn } };
}
