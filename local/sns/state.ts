import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { Policy } from '../policy.ts';
import type { Dimensions, Principal } from '../service.ts';
import type { Deduplication } from './deduplication.ts';
import type { Filter, FilterScope } from './filter/index.ts';
import type { MailProtocol } from './mail.ts';

/** The one thing that SNS needs of SQS: to put a message into a queue under the queue's own policy. */
export interface QueueDelivery {
  deliver(
    queueArn: string,
    message: QueueMessage,
    principal: Principal,
  ): { messageId: string; sequenceNumber?: string };
}

/** A message on its way to a queue. */
export interface QueueMessage {
  readonly body: string;
  readonly attributes?: Record<string, MessageAttributeValue>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** A message on its way, as a FIFO queue and as a standard queue take it. */
export interface Outbound {
  readonly toFifo: QueueMessage;
  readonly toStandard: QueueMessage;
  readonly attributeCount: number;
}

/** A topic as it stands. */
export interface Topic {
  readonly arn: string;
  readonly name: string;
  readonly fifo: boolean;
  /** As set by the caller, in SNS's own names and texts. */
  readonly attributes: Map<string, string>;
  readonly tags: Map<string, string>;
  /** The dimensions of the topic's metrics: one object, so that the metric store finds them at once. */
  readonly dimensions: Dimensions;
  /** Whom queues see as the sender. */
  readonly principal: Principal;
  readonly subscriptions: Subscription[];
  readonly deduplication: Deduplication;
  /** What stands in the attribute Policy, read. */
  policy: Policy | undefined;
  /** The largest message in bytes. */
  maximumMessageSize: number;
  contentBasedDeduplication: boolean;
  /** Deduplication inside a message group only. */
  deduplicatesByGroup: boolean;
  deletedSubscriptions: number;
}

/** A subscription of a queue, or of somebody's mailbox, to a topic. */
export interface Subscription {
  readonly arn: string;
  readonly topic: Topic;
  readonly protocol: 'sqs' | MailProtocol;
  /** The queue's ARN, or the address. */
  readonly endpoint: string;
  readonly fifoQueue: boolean;
  /** While it waits to be confirmed: until when. It gets nothing before. */
  pendingUntil: number | undefined;
  /** As set by the caller, in SNS's own names and texts. */
  readonly attributes: Map<string, string>;
  raw: boolean;
  filter: Filter | undefined;
  filterScope: FilterScope;
  deadLetterArn: string | undefined;
  /** False once it is unsubscribed: what waits for another try is given up. */
  active: boolean;
  /** Messages that wait behind one that is being retried, by group: a FIFO topic keeps its order. */
  readonly held: Map<string, Outbound[]>;
  /** Messages that wait for another try, those that wait behind them included. */
  waiting: number;
}

/** Topics by ARN and subscriptions by ARN. */
export interface SnsState {
  readonly topics: Map<string, Topic>;
  readonly subscriptions: Map<string, Subscription>;
}
