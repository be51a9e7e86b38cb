import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';

/**
 * Lets CloudWatch announce alarms on a topic. Without it, a topic that has a policy of its own, or a customer's key,
 * drops them silently: the alarm turns red and nobody hears (CloudWatch user guide, "Notify users on alarm changes").
 * A topic that was imported keeps the policy that its owner gave it.
 */
export function allowAlarms(topic: ITopic): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AllowCloudWatchAlarms',
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } },
    }),
  );
  topic.masterKey?.grant(
    new ServicePrincipal('cloudwatch.amazonaws.com'),
    'kms:Decrypt',
    'kms:GenerateDataKey*',
  );
}
