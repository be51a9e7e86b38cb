import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { pascalCase } from './naming.ts';
import type { RecordsTable } from './records-table.ts';
import type { MessagingSubscriber } from './subscriber.ts';
import type { MessagingTopic } from './topic.ts';

/** What {@link addOutputs} tells the world. */
export interface OutputsProps {
  /** By their names in the declaration. */
  readonly topics: ReadonlyMap<string, MessagingTopic>;
  readonly subscribers: Iterable<MessagingSubscriber>;
  readonly records: RecordsTable;
  readonly dashboard: Dashboard;
}

/** The stack's outputs: where to publish, what to watch. Their names are a contract with publishers and tools. */
export function addOutputs(stack: Stack, { topics, subscribers, records, dashboard }: OutputsProps): void {
  const output = (id: string, value: string, description: string) =>
    new CfnOutput(stack, id, { value, description });
  for (const [name, { topic }] of topics)
    output(`TopicArn${pascalCase(name)}`, topic.topicArn, `ARN of the topic ${name}`);
  for (const { definition, queue, deadLetterQueue, subscriptionDeadLetterQueue } of subscribers) {
    const name = pascalCase(definition.name);
    output(`QueueUrl${name}`, queue.queueUrl, `URL of the queue of ${definition.name}`);
    output(
      `DeadLetterQueueUrl${name}`,
      deadLetterQueue.queueUrl,
      `URL of the queue with what ${definition.name} gave up`,
    );
    output(
      `SubscriptionDeadLetterQueueUrl${name}`,
      subscriptionDeadLetterQueue.queueUrl,
      `URL of the queue with what could not be delivered to ${definition.name}`,
    );
  }
  output('RecordsTable', records.table.tableName, 'Name of the table of records');
  output(
    'DashboardUrl',
    `https://${stack.region}.console.aws.amazon.com/cloudwatch/home?region=${stack.region}#dashboards/dashboard/${dashboard.dashboardName}`,
    'The dashboard in the console',
  );
}
