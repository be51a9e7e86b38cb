import { isFifo, subscriptions, topics } from './messaging.ts';
import * as quotas from './quotas.ts';
import type { RuleTable } from './rule.ts';
import { isList, isObject, openEnded, property, type Value } from './value.ts';

/** What the CDK drops on the way to the template, told by the one who reads the constructs. */
export const bodyFilterDropped = 'body-filter-dropped';

interface Size {
  readonly keys: number;
  readonly combinations: number;
}

/**
 * Leaf keys, and the product of their values, as far as they are known: there may be more. In a body's filter each value
 * counts once for each level it lies under.
 */
function sizeOf(filter: Value, depth = 1): Size {
  const none = { keys: 0, combinations: 1 };
  if (!isObject(filter)) return none;
  return Object.entries(filter).reduce((size: Size, [key, value]) => {
    // Alternatives among properties: how they count depends on the service. What is unknown may be left out.
    if (key === openEnded || key === '$or' || value === undefined) return size;
    const own = isList(value)
      ? { keys: 1, combinations: Math.max(1, value.filter((each) => each !== undefined).length) * depth }
      : isObject(value)
        ? sizeOf(value, depth + 1)
        : { keys: 1, combinations: depth };
    return { keys: size.keys + own.keys, combinations: size.combinations * own.combinations };
  }, none);
}

const isSaid = (filter: Value): boolean => isObject(filter) && Object.keys(filter).length > 0;

/** Rules on filter policies of subscriptions. */
export const filterRules = {
  'filter-attribute-and-body': {
    severity: 'error',
    condition: 'A subscription filters by attributes and by the body.',
    allowed: 'one filter policy, with the scope MessageAttributes or MessageBody',
    remedy: 'Filter by one of them, and let the consumer look at the other.',
    why: 'A subscription has one filter policy: the CDK drops the body’s without a word, and a nested key in a filter on attributes never matches. Messages are delivered that were not wanted, or lost.',
    source: 'SNS developer guide, "Subscription filter policy scope"',
    subjects: ['stack'],
    *check(graph) {
      for (const { at, filter, scope } of subscriptions(graph)) {
        if (at.notes.includes(bodyFilterDropped))
          yield { at, found: 'filterPolicy and filterPolicyWithMessageBody' };
        else if (isObject(filter) && (scope === null || scope === 'MessageAttributes')) {
          const nested = Object.keys(filter).find((key) => key !== '$or' && isObject(filter[key]));
          if (nested !== undefined && nested !== openEnded)
            yield { at, found: `the nested key "${nested}" in a filter on attributes` };
        }
      }
    },
  },
  'filter-size': {
    severity: 'error',
    condition: 'A filter policy has more keys or combinations of values than SNS allows.',
    allowed: `up to ${quotas.filterKeysMost.value} keys and ${quotas.filterCombinationsMost.value} combinations`,
    remedy: 'Filter by less, and let the consumer acknowledge what it did not ask for.',
    why: 'SNS refuses the subscription in the middle of the deployment.',
    source: quotas.filterKeysMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, filter } of subscriptions(graph)) {
        const size = sizeOf(filter);
        if (
          size.keys > quotas.filterKeysMost.value ||
          size.combinations > quotas.filterCombinationsMost.value
        )
          yield { at, found: `${size.keys} keys and ${size.combinations} combinations` };
      }
    },
  },
  'filter-policies': {
    severity: 'error',
    condition: 'A topic has more filter policies than SNS allows.',
    allowed: `up to ${quotas.filterPoliciesMost.value} filter policies on a topic`,
    remedy: 'Spread the events over several topics, or leave some filters to the consumers.',
    why: 'SNS refuses the last ones in the middle of the deployment.',
    source: quotas.filterPoliciesMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const at of topics(graph)) {
        const filters = subscriptions(graph).filter(
          ({ topic, filter }) => topic.resource === at && isSaid(filter),
        ).length;
        if (filters > quotas.filterPoliciesMost.value) yield { at, found: `${filters} filter policies` };
      }
    },
  },
  'filter-on-fifo': {
    severity: 'warning',
    condition: 'A subscription of a FIFO topic has a filter policy.',
    allowed: 'no filter policy on FIFO topics, unless a delivery may be missed',
    remedy:
      'Leave the filter out and let the consumer acknowledge what it did not ask for, or silence the rule with the reason why a loss is no matter.',
    why: 'With a filter policy SNS delivers from a FIFO topic at most once: a delivery that fails is lost. Who asks for the filter may want just that, so it is said and not refused.',
    source: 'SNS developer guide, "Message filtering for FIFO topics"',
    subjects: ['stack'],
    *check(graph) {
      for (const { at, topic, filter } of subscriptions(graph))
        if (isFifo(topic) === true && isSaid(filter)) yield { at, found: 'a filter policy' };
    },
  },
  'filter-scope': {
    severity: 'warning',
    condition: 'A filter policy does not say its scope.',
    allowed: 'FilterPolicyScope MessageAttributes or MessageBody, said',
    remedy: 'Set FilterPolicyScope on the CfnSubscription, also where it is the default.',
    why: 'CloudFormation does not take the scope back when it is left out later: a filter that goes from the body to attributes fails then.',
    source: 'CloudFormation reference, "AWS::SNS::Subscription"',
    subjects: ['stack'],
    *check(graph) {
      for (const { at, filter, scope } of subscriptions(graph))
        if (isSaid(filter) && scope === null && property(at.properties, 'FilterPolicyScope') === null)
          yield { at, found: 'a filter policy without a scope' };
    },
  },
} as const satisfies RuleTable;
