import { allAlarms, notified } from './alarms.ts';
import type { Graph } from './graph.ts';
import { subscriptions } from './messaging.ts';
import { allows } from './policy.ts';
import type { RuleTable } from './rule.ts';
import { property, type Resource } from './value.ts';

/** Why a service cannot use the key of a queue or topic; undefined when it can, or when nobody knows. */
function shutOut(graph: Graph, at: Resource, service: string, source?: Resource): string | undefined {
  const said = property(at.properties, 'KmsMasterKeyId');
  // Keys that AWS manages have a policy that nobody can change: only the account's own principals pass.
  if (typeof said === 'string' && /(^|:)alias\/aws\//.test(said))
    return `the key ${said.slice(said.indexOf('alias/'))}, which no service may use`;
  const key = graph.link(at, said)?.resource;
  if (key?.type !== 'AWS::KMS::Key') return undefined;
  const may = allows(graph, key, [property(key.properties, 'KeyPolicy')], {
    service,
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    ...(source === undefined ? {} : { source }),
  });
  const onBehalf = source === undefined ? '' : ` on behalf of ${source.logicalId}`;
  return may === false ? `the key ${key.logicalId} without a statement for ${service}${onBehalf}` : undefined;
}

const remedyOf = (service: string): string =>
  `Encrypt it with a customer key whose policy allows ${service} kms:GenerateDataKey* and kms:Decrypt, or with the service’s own encryption.`;

/** Rules on the keys of queues and topics that an AWS service writes to. */
export const keyRules = {
  'delivery-key': {
    severity: 'error',
    condition: 'A subscribed queue is encrypted with a key that SNS may not use.',
    allowed: 'a customer key with a statement for sns.amazonaws.com, or SSE-SQS',
    remedy: remedyOf('sns.amazonaws.com'),
    why: 'Every delivery fails as a client’s fault and is not tried again: all messages are lost.',
    source: 'SNS developer guide, "Encrypting messages to Amazon SQS queues"',
    subjects: ['stack'],
    *check(graph) {
      for (const { endpoint, topic } of subscriptions(graph)) {
        const at = endpoint?.resource;
        if (at?.type !== 'AWS::SQS::Queue') continue;
        const found = shutOut(graph, at, 'sns.amazonaws.com', topic.resource);
        if (found !== undefined) yield { at, found };
      }
    },
  },
  'subscription-dead-letter-key': {
    severity: 'error',
    condition: 'A subscription’s dead-letter queue is encrypted with a key that SNS may not use.',
    allowed: 'a customer key with a statement for sns.amazonaws.com, or SSE-SQS',
    remedy: remedyOf('sns.amazonaws.com'),
    why: 'SNS cannot put there what it could not deliver: both are lost, and only a metric tells.',
    source: 'SNS developer guide, "Amazon SNS dead-letter queues"',
    subjects: ['stack'],
    *check(graph) {
      for (const { redrive, topic } of subscriptions(graph)) {
        const at = redrive?.target?.resource;
        if (at?.type !== 'AWS::SQS::Queue') continue;
        const found = shutOut(graph, at, 'sns.amazonaws.com', topic.resource);
        if (found !== undefined) yield { at, found };
      }
    },
  },
  'alarm-topic-key': {
    severity: 'error',
    condition: 'An alarm’s topic is encrypted with a key that CloudWatch may not use.',
    allowed: 'a customer key with a statement for cloudwatch.amazonaws.com, or no key',
    remedy: remedyOf('cloudwatch.amazonaws.com').replace('the service’s own encryption', 'none'),
    why: 'The alarm turns red, and the notification is dropped without a word.',
    source:
      'SNS developer guide, "Enable compatibility between event sources from AWS services and encrypted topics"',
    subjects: ['stack'],
    *check(graph) {
      for (const at of new Set(allAlarms(graph).flatMap((alarm) => [...notified(graph, alarm)]))) {
        const found = shutOut(graph, at, 'cloudwatch.amazonaws.com');
        if (found !== undefined) yield { at, found };
      }
    },
  },
} as const satisfies RuleTable;
