import { evaluatePolicy, type Policy } from '../policy.ts';
import { type ModelContext, type Principal, type Service, ServiceError } from '../service.ts';
import { createFanOut } from './delivery.ts';
import { invalidParameter } from './errors.ts';
import { publishOperations } from './publish.ts';
import type { QueueDelivery, SnsState, Topic } from './state.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { topicOf, topicOperations } from './topics.ts';

/** The model of SNS. */
export interface SnsModel extends Service {
  /**
   * Publishes on behalf of another service of the model, as CloudWatch does for the actions of an alarm.
   *
   * @throws ServiceError `AuthorizationErrorException` when the policy that the topic was given does not let the
   * service, `NotFoundException` when the topic is gone, `InvalidParameterException` for a FIFO topic
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

/**
 * A model of SNS: standard and FIFO topics that fan out to queues, with filters, raw or enveloped delivery,
 * subscription dead-letter queues and metrics. Messages are delivered in the publishing call, in order; only
 * what a queue fails with a server error waits for another try on the clock.
 *
 * What differs from AWS: subscriptions of other protocols than `sqs` are refused, filter policies hold at once
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
export function createSns(context: ModelContext, queues: QueueDelivery): SnsModel {
  const state: SnsState = { topics: new Map(), subscriptions: new Map() };
  const { operations, publish } = publishOperations(context, state, createFanOut(context, queues));
  return {
    id: 'sns',
    operations: {
      ...topicOperations(context, state),
      ...subscriptionOperations(context, state),
      ...operations,
    },
    publishFromService(topicArn, { subject, message }, principal) {
      const topic = topicOf(state, topicArn);
      demandAllowed(topic, principal);
      if (topic.fifo) throw invalidParameter('TopicArn Reason: services publish to standard topics only');
      publish(topic, { Message: message, Subject: subject });
    },
    policy: (topicArn) => state.topics.get(topicArn)?.policy,
    undelivered: (queueArn) =>
      [...state.subscriptions.values()]
        .filter((subscription) => subscription.queueArn === queueArn)
        .reduce((sum, { waiting }) => sum + waiting, 0),
  };
}

/** The policy that a topic has by itself lets what acts for its owner; one that it was given has to say so. */
function demandAllowed({ arn, policy }: Topic, principal: Principal): void {
  if (policy === undefined) return;
  const conditions = { 'aws:SourceOwner': principal.sourceAccount };
  if (evaluatePolicy(policy, { principal, action: 'sns:Publish', resource: arn, conditions }) === 'allow')
    return;
  throw new ServiceError(
    'AuthorizationErrorException',
    `Resource: ${principal.sourceArn ?? principal.service} is not authorized to perform: SNS:Publish on resource: ${arn}`,
    { statusCode: 403, queryCode: 'AuthorizationError' },
  );
}
