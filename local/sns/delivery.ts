import { milliseconds } from '../../lib/base/index.ts';
import { type ModelContext, ServiceError } from '../service.ts';
import { envelope } from './envelope.ts';
import { filterInput, type Verdict } from './filter/index.ts';
import type { Mail } from './mail.ts';
import type { OutgoingMessage } from './message.ts';
import type { Outbound, QueueDelivery, Subscription, Topic } from './state.ts';

const NAMESPACE = 'AWS/SNS';
// SNS developer guide, raw delivery to SQS: a message with more attributes is discarded as a client error.
const MOST_RAW_ATTRIBUTES = 10;
// SNS developer guide, "Message delivery retries", endpoints managed by AWS: 3 tries without delay,
// 2 after 1 s, 10 with a backoff from 1 s to 20 s, 100,000 after 20 s each; 100,015 in all.
const TRIES = 100_015;

/** Metrics of a message that a filter kept back, beside the one for all of them. */
const FILTERED_OUT: Readonly<Record<Exclude<Verdict, 'accepted' | 'rejected'>, string>> = {
  'no-attributes': 'NumberOfNotificationsFilteredOut-NoMessageAttributes',
  'invalid-attributes': 'NumberOfNotificationsFilteredOut-InvalidAttributes',
  'invalid-body': 'NumberOfNotificationsFilteredOut-InvalidMessageBody',
};

/** Hands an accepted message to every subscription of its topic. */
export type FanOut = (topic: Topic, message: OutgoingMessage) => void;

/**
 * Delivery to queues and mailboxes, in the publishing call itself, in order. A failure of the queue's side (5xx) is tried
 * again on the clock by AWS's schedule, and what follows in the same group waits behind it. A client error
 * (queue gone, policy, size) is not: the message goes to the subscription's dead-letter queue, or is lost and
 * counted.
 */
export function createFanOut(context: ModelContext, queues: QueueDelivery, mail: Mail): FanOut {
  const count = (topic: Topic, name: string) =>
    context.metrics.count(NAMESPACE, name, topic.dimensions, 1, 'Count');

  /** True when the message is done with, delivered or given up; false when it is to be tried again. */
  const attempt = (subscription: Subscription, message: Outbound, tries: number): boolean => {
    const { topic } = subscription;
    try {
      checkRawAttributes(message);
      queues.deliver(
        subscription.endpoint,
        subscription.fifoQueue ? message.toFifo : message.toStandard,
        topic.principal,
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.statusCode >= 500 && tries < TRIES) return false;
      giveUp(subscription, message);
      return true;
    }
    count(topic, 'NumberOfNotificationsDelivered');
    return true;
  };

  const giveUp = (subscription: Subscription, message: Outbound) => {
    const { topic, deadLetterArn } = subscription;
    count(topic, 'NumberOfNotificationsFailed');
    if (deadLetterArn === undefined) return;
    try {
      queues.deliver(
        deadLetterArn,
        deadLetterArn.endsWith('.fifo') ? message.toFifo : message.toStandard,
        topic.principal,
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return count(topic, 'NumberOfNotificationsFailedToRedriveToDlq');
    }
    count(topic, 'NumberOfNotificationsRedrivenToDlq');
  };

  const retry = (subscription: Subscription, message: Outbound, tries: number, next: () => void) => {
    context.clock.after(milliseconds(retryDelay(tries)), () => {
      if (!subscription.active) return;
      if (attempt(subscription, message, tries + 1)) next();
      else retry(subscription, message, tries + 1, next);
    });
  };

  const send = (subscription: Subscription, message: Outbound) => {
    const group = subscription.topic.fifo ? message.toFifo.groupId : undefined;
    const behind = group === undefined ? undefined : subscription.held.get(group);
    if (behind !== undefined) {
      behind.push(message);
      subscription.waiting++;
      return;
    }
    if (attempt(subscription, message, 1)) return;
    subscription.waiting++;
    const done = () => {
      subscription.waiting--;
    };
    if (group === undefined) return retry(subscription, message, 1, done);
    const held: Outbound[] = [];
    subscription.held.set(group, held);
    const release = () => {
      done();
      for (let next = held.shift(); next !== undefined; next = held.shift()) {
        if (!attempt(subscription, next, 1)) return retry(subscription, next, 1, release);
        done();
      }
      subscription.held.delete(group);
    };
    retry(subscription, message, 1, release);
  };

  return (topic, message) => {
    const looked = filterInput(message.attributes, message.text);
    // Raw subscriptions all get one and the same message: it is made once.
    let raw: Outbound | undefined;
    for (const subscription of topic.subscriptions) {
      if (subscription.pendingUntil !== undefined) continue;
      if (subscription.filter !== undefined) {
        const verdict = subscription.filter(looked);
        if (verdict !== 'accepted') {
          count(topic, 'NumberOfNotificationsFilteredOut');
          count(
            topic,
            verdict === 'rejected'
              ? `NumberOfNotificationsFilteredOut-${subscription.filterScope}`
              : FILTERED_OUT[verdict],
          );
          continue;
        }
      }
      if (subscription.protocol !== 'sqs') {
        mail.tell(subscription, message);
        count(topic, 'NumberOfNotificationsDelivered');
      } else if (subscription.raw) {
        raw ??= outbound(message, message.text, message.attributes);
        send(subscription, raw);
      } else
        send(
          subscription,
          outbound(message, envelope(message, topic.arn, subscription.arn, context.endpoint)),
        );
    }
  };
}

function outbound(
  message: OutgoingMessage,
  body: string,
  attributes?: OutgoingMessage['attributes'],
): Outbound {
  const { groupId, deduplicationId } = message;
  const content = attributes === undefined ? { body } : { body, attributes };
  // A standard queue takes the group id as its tenant (fair queues), and knows no deduplication.
  const toStandard = groupId === undefined ? content : { ...content, groupId };
  const toFifo = deduplicationId === undefined ? toStandard : { ...toStandard, deduplicationId };
  return {
    toStandard,
    toFifo,
    attributeCount: attributes === undefined ? 0 : Object.keys(attributes).length,
  };
}

function checkRawAttributes({ attributeCount }: Outbound): void {
  if (attributeCount > MOST_RAW_ATTRIBUTES)
    throw new ServiceError(
      'InvalidParameterValue',
      `Raw delivery carries at most ${MOST_RAW_ATTRIBUTES} message attributes to a queue; found ${attributeCount}`,
    );
}

function retryDelay(tries: number): number {
  if (tries <= 3) return 0;
  if (tries <= 5) return 1_000;
  return Math.min(20_000, 1_000 * 1.4 ** (tries - 5));
}
