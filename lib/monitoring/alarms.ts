import type { Messaging, Subscriber } from '../topology/index.ts';
import type { AlarmDefinition, AlarmFacts } from './alarm.ts';
import { membersOf } from './composite.ts';
import type { MetricTarget } from './metrics.ts';
import { subscriberRules, topicRules, type Watch } from './rules/index.ts';
import { factsOf, type Watched, type WatchedFacts, type WatchedTopic, watchedTopic } from './watched.ts';

/**
 * The alarms of one subscriber, or of any queue with a consumer, in the order of their ids.
 *
 * @param watched - a subscriber of a declaration, or the few facts that its alarms need
 * @example
 * ```ts
 * subscriberAlarms(shop.subscribers.payments).map((alarm) => alarm.key);
 * subscriberAlarms({ name: 'jobs', lag: minutes(10), parts: ['queue', 'deadLetterQueue'] });
 * ```
 */
export function subscriberAlarms(watched: Watched): AlarmDefinition[] {
  const facts = factsOf(watched);
  return withExisting(
    subscriberRules.flatMap(({ id, name, set, applies, make }) =>
      (set === 'lean' || facts.alarms === 'full') && (applies?.(facts) ?? true)
        ? [named(make(facts), id, name, { kind: 'subscriber', name: facts.name })]
        : [],
    ),
    facts,
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
export function topicAlarms(topic: WatchedTopic): AlarmDefinition[] {
  if (topic.subscribers.length === 0) return [];
  return topicRules.flatMap(({ id, name, applies, make }) =>
    (applies?.(topic) ?? true) ? [named(make(topic), id, name, { kind: 'topic', name: topic.name })] : [],
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
    ...Object.values(messaging.topics).flatMap((topic) => topicAlarms(watchedTopic(messaging, topic))),
    ...Object.values<Subscriber>(messaging.subscribers).flatMap(subscriberAlarms),
  ];
}

/**
 * The alarms that notify: all but those that a composite of the same list speaks for, or waits for.
 *
 * @example
 * ```ts
 * announcing(subscriberAlarms({ ...shop.subscribers.payments, alarms: 'full' })).has('payments-A-lag'); // false: its page is
 * ```
 */
export function announcing(definitions: readonly AlarmDefinition[]): ReadonlySet<string> {
  const silent = new Set(definitions.flatMap(referencesOf));
  return new Set(definitions.map(({ key }) => key).filter((key) => !silent.has(key)));
}

/**
 * What is left of alarms when some of them are not made: a composite goes when one of its members is gone, and what it
 * spoke for speaks for itself again.
 *
 * @example
 * ```ts
 * const simple = keepAlarms(alarmsOf(shop), (alarm) => alarm.kind === 'metric');
 * ```
 */
export function keepAlarms(
  definitions: readonly AlarmDefinition[],
  wanted: (definition: AlarmDefinition) => boolean,
): AlarmDefinition[] {
  const kept: AlarmDefinition[] = [];
  const keys = new Set<string>();
  for (const definition of definitions) {
    if (!wanted(definition) || !referencesOf(definition).every((key) => keys.has(key))) continue;
    kept.push(definition);
    keys.add(definition.key);
  }
  // What only waited for a page that is not made has nothing to hold back.
  const held = new Set(definitions.flatMap(suppressorOf));
  const holding = new Set(kept.flatMap(suppressorOf));
  return kept.filter(({ key }) => !held.has(key) || holding.has(key));
}

/** The keys of the alarms that an alarm needs. */
export const referencesOf = (definition: AlarmDefinition): string[] =>
  definition.kind === 'metric' ? [] : [...membersOf(definition.rule), ...suppressorOf(definition)];

const suppressorOf = (definition: AlarmDefinition): string[] =>
  definition.kind === 'composite' && definition.suppressor !== undefined ? [definition.suppressor.key] : [];

const withExisting = (definitions: readonly AlarmDefinition[], { parts }: WatchedFacts): AlarmDefinition[] =>
  keepAlarms(
    definitions,
    (definition) =>
      definition.kind === 'composite' || definition.metrics.every(({ target }) => isThere(target, parts)),
  );

/** Whether AWS publishes it: what the runtime or an operator publishes needs no part of AWS. */
const isThere = (target: MetricTarget, parts: WatchedFacts['parts']): boolean =>
  !('subscriber' in target) || target.kind === 'runtime' || parts.includes(target.kind);

const named = (
  watch: Watch,
  id: AlarmFacts['id'],
  name: string,
  subject: AlarmFacts['subject'],
): AlarmDefinition => ({ ...watch, id, key: `${subject.name}-${id}-${name}`, subject });

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

/**
 * Where the runbook is that comes with this package, as a project that has installed it sees it. Who is on call at night reads
 * a page that a browser opens: give its address.
 *
 * @example
 * ```ts
 * alarmDescription(alarm, defaultRunbook); // [page] payments: ... Runbook: node_modules/sluice/docs/watch.md#lag
 * ```
 */
export const defaultRunbook = 'node_modules/sluice/docs/watch.md';

/**
 * An alarm's description: what is wrong, how much it matters, and where the runbook says what to do.
 *
 * @param runbook - the address of the runbook, without an anchor
 * @example
 * ```ts
 * alarmDescription(alarm, 'https://wiki.example.com/sluice/watch');
 * // [page] payments: the oldest message ... Runbook: https://wiki.example.com/sluice/watch#lag
 * ```
 */
export const alarmDescription = (
  { severity, title, runbook: anchor }: Pick<AlarmDefinition, 'severity' | 'title' | 'runbook'>,
  runbook: string,
): string => `[${severity}] ${title}. Runbook: ${runbook}#${anchor}`;
