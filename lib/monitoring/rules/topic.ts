import { topicMetrics } from '../metrics.ts';
import { common, fiveMinutes, type TopicRule } from './rule.ts';

/** What the topic could not deliver. Each tells of a moment: that no more followed is no news. */
export const topicRules: readonly TopicRule[] = [
  {
    id: 'G1',
    name: 'delivery-failed',
    make: ({ name }) => ({
      ...common,
      title: `${name}: the topic gave up a delivery to a subscriber's queue`,
      severity: 'page',
      metrics: [topicMetrics.failed(name)],
      expression: 'failed',
      notifyOnOk: false,
      runbook: 'delivery-failed',
    }),
  },
  {
    id: 'G2',
    name: 'delivery-lost',
    make: ({ name }) => ({
      ...common,
      title: `${name}: an undelivered message could not be put into the subscription's dead-letter queue and is lost`,
      severity: 'page',
      metrics: [topicMetrics.failedToRedrive(name)],
      expression: 'lost',
      notifyOnOk: false,
      runbook: 'delivery-lost',
    }),
  },
  {
    id: 'G3',
    name: 'filter-input',
    applies: ({ filtered }) => filtered === true,
    make: ({ name }) => ({
      ...common,
      title: `${name}: messages were published that the filters of subscribers cannot read, so those never got them`,
      severity: 'ticket',
      metrics: [topicMetrics.filteredInvalid(name), topicMetrics.filteredWithout(name)].map((metric) => ({
        ...metric,
        period: fiveMinutes,
      })),
      expression: 'SUM([FILL(inv, 0), FILL(noattr, 0)])',
      period: fiveMinutes,
      notifyOnOk: false,
      runbook: 'filter-input',
    }),
  },
];
