import { environment as names } from '../../lib/topology/index.ts';
import { ConfigurationError } from './errors.ts';

/**
 * Environment variables.
 *
 * @example
 * ```ts
 * const environment: Environment = { SLUICE_TOPIC_ARN_ORDERS: 'arn:aws:sns:eu-west-1:123456789012:orders.fifo' };
 * publisher(shop, { environment });
 * ```
 */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a consumer's things are. */
export interface ConsumerSettings {
  readonly table: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/**
 * Reads a consumer's variables.
 *
 * @throws {ConfigurationError} naming every variable that is missing
 */
export function consumerSettings(environment: Environment): ConsumerSettings {
  const missing = [names.recordsTable, names.queueUrl, names.deadLetterQueueUrl].filter(
    (name) => !environment[name],
  );
  if (missing.length > 0)
    throw new ConfigurationError(
      `The environment lacks ${missing.join(', ')}: a function of a MessagingStack has them. ` +
        'Set them, or hand them in as `environment`. The batch stays in the queue.',
    );
  return {
    table: environment[names.recordsTable] as string,
    queueUrl: environment[names.queueUrl] as string,
    deadLetterQueueUrl: environment[names.deadLetterQueueUrl] as string,
  };
}

/**
 * The ARN of a topic.
 *
 * @throws {ConfigurationError} naming the variable that is missing
 */
export function topicArn(environment: Environment, topic: string): string {
  const name = names.topicArn(topic);
  const arn = environment[name];
  if (!arn)
    throw new ConfigurationError(
      `The environment lacks ${name}, the ARN of topic "${topic}". ` +
        'Let the stack grant publishing to this function (grantPublish), or hand it in as `environment`.',
    );
  return arn;
}
