import type { KeyGuard } from '../kms/index.ts';
import type { Policy } from '../policy.ts';
import type { ModelContext, Principal, Service } from '../service.ts';
import { createFanOut } from './delivery.ts';
import { invalidParameter } from './errors.ts';
import { createMail, type Letter } from './mail.ts';
import { publishOperations } from './publish.ts';
import type { QueueDelivery, SnsState } from './state.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { demandPolicy } from './topic-policy.ts';
import { topicOf, topicOperations } from './topics.ts';

/** The model of SNS. */
export interface SnsModel extends Service {
  /**
   * Publishes on behalf of another service of the model, as CloudWatch does for the actions of an alarm.
   *
   * @throws ServiceError `NotFoundException` when the topic is gone, `InvalidParameterException` for a FIFO topic,
   * `AuthorizationErrorException` when the topic's policy does not let the service publish,
   * `KMSAccessDeniedException` and the like when it may not use the topic's key
   */
  publishFromService(
    topicArn: string,
    message: { readonly subject?: string; readonly message: string },
    principal: Principal,
  ): void;
  /** The policy that was given to a topic; the one that it has by itself lets nobody of the account do more than they may. */
  policy(topicArn: string): Policy | undefined;
  /** How many messages are on their way to a queue, and wait for another try because it failed. */
  undelivered(queueArn: string): number;
}

/** What {@link createSns} takes besides its context and the queues. */
export interface SnsOptions {
  /**
   * Asked before a topic's key (KmsMasterKeyId) is used.
   *
   * @default - none: the attribute is kept, and has no effect
   */
  readonly keys?: KeyGuard;
  /**
   * Gets the letters that SNS would send to subscriptions of the protocols `email` and `email-json`.
   *
   * @default - nobody
   */
  readonly mail?: (letter: Letter) => void;
}

/**
 * A model of SNS: standard and FIFO topics that fan out to queues, with filters, raw or enveloped delivery,
 * subscription dead-letter queues and metrics. Messages are delivered in the publishing call, in order; only
 * what a queue fails with a server error waits for another try on the clock.
 *
 * What differs from AWS: subscriptions of other protocols than `sqs`, `email` and `email-json` are refused, no mail is
 * sent, filter policies hold at once
 * (AWS: within 15 minutes), envelopes are not signed, an archive policy is kept but nothing is archived.
 *
 * @param context - clock, chance, account, region, endpoint and metrics
 * @param queues - where messages go; queues check their own policies
 * @example
 * ```ts
 * const sns = createSns(context, sqs);
 * const { TopicArn } = sns.operations.CreateTopic({ Name: 'orders' }, {});
 * ```
 */
export function createSns(context: ModelContext, queues: QueueDelivery, options: SnsOptions = {}): SnsModel {
  const state: SnsState = { topics: new Map(), subscriptions: new Map() };
  const mail = createMail(context, options.mail);
  const fanOut = createFanOut(context, queues, mail);
  const { operations, publish } = publishOperations(context, state, fanOut, options.keys);
  return {
    id: 'sns',
    operations: {
      ...topicOperations(context, state),
      ...subscriptionOperations(context, state, mail),
      ...operations,
    },
    publishFromService(topicArn, { subject, message }, principal) {
      const topic = topicOf(state, topicArn);
      if (topic.fifo) throw invalidParameter('TopicArn Reason: services publish to standard topics only');
      demandPolicy(topic, principal, context.account);
      publish(topic, { Message: message, Subject: subject }, principal);
    },
    policy: (topicArn) => state.topics.get(topicArn)?.policy,
    undelivered: (queueArn) =>
      [...state.subscriptions.values()]
        .filter((subscription) => subscription.endpoint === queueArn)
        .reduce((sum, { waiting }) => sum + waiting, 0),
  };
}
