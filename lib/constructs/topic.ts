import { FifoThroughputScope, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { PhysicalName } from '../monitoring/index.ts';
import type { Topic as TopicDefinition } from '../topology/index.ts';

/**
 * Props of {@link MessagingTopic}.
 *
 * @example
 * ```ts
 * const props: MessagingTopicProps = { definition: shop.topics['orders']! };
 * ```
 */
export interface MessagingTopicProps {
  /** The topic as declared. */
  readonly definition: TopicDefinition;
}

/**
 * One topic of a stack: encrypted in transit, on FIFO with deduplication and throughput by message group.
 *
 * @example
 * ```ts
 * new MessagingTopic(this, 'OrdersTopic', { definition: shop.topics.orders! }).topic.topicArn;
 * ```
 */
export class MessagingTopic extends Construct {
  readonly definition: TopicDefinition;
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { definition }: MessagingTopicProps) {
    super(scope, id);
    this.definition = definition;
    this.topic = new Topic(this, 'Topic', {
      enforceSSL: true,
      ...(definition.topicName === undefined ? {} : { topicName: definition.topicName }),
      // The publisher names the event itself: two events with equal content are two events.
      ...(definition.fifo
        ? {
            fifo: true,
            contentBasedDeduplication: false,
            fifoThroughputScope: FifoThroughputScope.MESSAGE_GROUP,
          }
        : {}),
    });
  }

  /** Names the topic to its alarms and graphs. */
  readonly physicalName: PhysicalName = () => this.topic.topicName;
}
