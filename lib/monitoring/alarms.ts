import type { Messaging, Subscriber, Topic } from '../topology/index.ts';
import type { AlarmDefinition } from './alarm.ts';
import { rules } from './rules.ts';

/**
 * The alarms of one subscriber, in the order of their ids.
 *
 * @example
 * ```ts
 * subscriberAlarms(shop.subscribers.payments).map((alarm) => alarm.key);
 * ```
 */
export function subscriberAlarms(subscriber: Subscriber): AlarmDefinition[] {
  return rules.flatMap((rule) =>
    rule.of === 'subscriber' && (rule.applies?.(subscriber) ?? true)
      ? [
          {
            ...rule.make(subscriber),
            id: rule.id,
            key: `${subscriber.name}-${rule.id}-${rule.name}`,
            subject: { kind: 'subscriber' as const, name: subscriber.name },
          },
        ]
      : [],
  );
}

/**
 * The alarms of one topic, in the order of their ids. A topic that nobody subscribes to has none.
 *
 * @example
 * ```ts
 * topicAlarms(shop.topics.orders!).map((alarm) => alarm.id); // ['G1', 'G2']
 * ```
 */
export function topicAlarms(topic: Topic): AlarmDefinition[] {
  if (topic.subscribers.length === 0) return [];
  return rules.flatMap((rule) =>
    rule.of === 'topic'
      ? [
          {
            ...rule.make(topic),
            id: rule.id,
            key: `${topic.name}-${rule.id}-${rule.name}`,
            subject: { kind: 'topic' as const, name: topic.name },
          },
        ]
      : [],
  );
}

/**
 * Every alarm of a stack: its topics' first, then its subscribers'.
 *
 * @example
 * ```ts
 * const paging = alarmsOf(shop).filter((alarm) => alarm.severity === 'page');
 * ```
 */
export function alarmsOf(messaging: Messaging): AlarmDefinition[] {
  return [
    ...Object.values(messaging.topics).flatMap(topicAlarms),
    ...Object.values<Subscriber>(messaging.subscribers).flatMap(subscriberAlarms),
  ];
}

/**
 * The physical name of an alarm: the stack's name keeps two deployments in one account apart.
 *
 * @example
 * ```ts
 * alarmName('Orders', alarm); // 'Orders-payments-A-lag'
 * ```
 */
export const alarmName = (stackName: string, alarm: Pick<AlarmDefinition, 'key'>): string =>
  `${stackName}-${alarm.key}`;
