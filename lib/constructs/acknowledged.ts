import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Findings of cdk-nag that do not fit what a construct is for, each with its reason: whoever runs it over an app finds
 * them answered. (By id; the CDK keeps the answers as metadata, and nothing is loaded for it.)
 */
const reasons = {
  /** A dead-letter queue that no queue names: SNS fills it. */
  subscriptionDeadLetterQueue: {
    'AwsSolutions::AwsSolutions-SQS3':
      'It is a dead-letter queue itself: that of a subscription, which the check does not know.',
    'Serverless::Serverless-SQSRedrivePolicy':
      'It is a dead-letter queue itself: what lies here waits for an operator, and is not moved on.',
  },
  deadLetterQueue: {
    'Serverless::Serverless-SQSRedrivePolicy':
      'It is a dead-letter queue itself: what lies here waits for an operator, and is not moved on.',
  },
  consumerFunction: {
    'Serverless::Serverless-LambdaDLQ':
      'It is driven by a queue, never invoked asynchronously: its failures go back to the queue, and by way of its dead-letter queue.',
    'Serverless::Serverless-LambdaTracing':
      'Tracing is paid by the trace and chosen by whoever deploys (`tracing`); traceparent travels in the envelope either way.',
  },
  /** Rights that a function's role has on all resources: see network.ts. */
  namelessResources: {
    'AwsSolutions::AwsSolutions-IAM5[Resource::*]':
      'Interfaces of a network have no names before they are there, and traces have none: these actions know no narrower resource.',
  },
  unrestorableTable: {
    'AwsSolutions::AwsSolutions-DDB3':
      'Whoever deploys chose it (`stage: dev`, or `pointInTimeRecovery: false`): the table is not to be restored.',
  },
  mailbox: {
    'Serverless::Serverless-SNSRedrivePolicy':
      'A mailbox is told of alarms, whose state stays in CloudWatch: a mail that is refused loses no message.',
  },
  eventSource: {
    'Serverless::Serverless-LambdaEventSourceMappingDestination':
      'Destinations are for streams (Lambda developer guide): of a queue, the dead-letter queue takes what fails.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Answers the findings that a construct would have by mistake. As `Validations.acknowledge` keeps them, but for the
 * traces of where that was: they lead into this package, and take longer than the construct.
 */
export function acknowledge(construct: IConstruct, as: keyof typeof reasons): void {
  for (const [id, reason] of Object.entries(reasons[as]))
    construct.node.addMetadata(Validations.ACKNOWLEDGED_RULES_METADATA_KEY, { [id]: reason });
}
