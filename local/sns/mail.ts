import { createHash } from 'node:crypto';
import { days, toMilliseconds } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { envelope } from './envelope.ts';
import type { OutgoingMessage } from './message.ts';
import type { Subscription } from './state.ts';

/**
 * A letter that SNS would send. The model sends no mail: it tells whoever asked for it what would go where.
 *
 * @example
 * ```ts
 * const letters: Letter[] = [];
 * const aws = createAws({ mail: (letter) => letters.push(letter) });
 * ```
 */
export interface Letter {
  /** An address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly topicArn: string;
  readonly subscriptionArn: string;
  /** In a letter that asks for the confirmation of a subscription: what ConfirmSubscription takes. */
  readonly token?: string;
}

/** Protocols by which letters go out. */
export type MailProtocol = 'email' | 'email-json';

/** How long a subscription waits for its confirmation (SNS developer guide, "Confirm the subscription"). */
export const confirmationTime = toMilliseconds(days(2));

/** Writes letters. */
export interface Mail {
  /** Asks for the confirmation of a subscription. */
  askFor(subscription: Subscription, token: string): void;
  /** Tells a confirmed subscription what was published. */
  tell(subscription: Subscription, message: OutgoingMessage): void;
}

/** The letters of the topics' subscriptions, handed to `send`. */
export function createMail(
  context: Pick<ModelContext, 'endpoint'>,
  send: ((letter: Letter) => void) | undefined,
): Mail {
  const letter = (
    { endpoint: to, arn: subscriptionArn, topic }: Subscription,
    subject: string,
    text: string,
  ): Letter => ({ to, subject, text, topicArn: topic.arn, subscriptionArn });
  return {
    askFor(subscription, token) {
      const { topic } = subscription;
      const text = `You have chosen to subscribe to the topic: ${topic.arn}\n\nTo confirm this subscription, call ConfirmSubscription with the topic and this token:\n${token}`;
      send?.({ ...letter(subscription, 'AWS Notification - Subscription Confirmation', text), token });
    },
    tell(subscription, message) {
      if (send === undefined) return;
      const { topic, protocol } = subscription;
      const subject = message.subject ?? 'AWS Notification Message';
      const own = message.texts?.[protocol];
      const text = typeof own === 'string' ? own : defaultOf(message);
      send(
        letter(
          subscription,
          subject,
          protocol === 'email-json'
            ? envelope({ ...message, text }, topic.arn, subscription.arn, context.endpoint)
            : text,
        ),
      );
    },
  };
}

const defaultOf = ({ texts, text }: OutgoingMessage): string =>
  typeof texts?.default === 'string' ? texts.default : text;

/** The token of a subscription: the same each time that a confirmation is asked for again. */
export const tokenOf = (subscriptionArn: string): string =>
  createHash('sha512').update(subscriptionArn).digest('hex');
