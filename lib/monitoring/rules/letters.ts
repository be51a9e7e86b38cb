import { queueMetrics } from '../metrics.ts';
import { common, fiveMinutes, type SubscriberRule } from './rule.ts';

/** Messages that will not be tried again by themselves. */
export const letterRules: readonly SubscriberRule[] = [
  {
    id: 'E',
    name: 'dead-letters',
    set: 'lean',
    make: ({ name }) => ({
      ...common,
      title: `${name}: messages were given up and wait in the dead-letter queue`,
      severity: 'ticket',
      metrics: [queueMetrics.dead(name)],
      expression: 'dlq',
      runbook: 'dead-letters',
    }),
  },
  {
    id: 'E',
    name: 'undelivered',
    set: 'lean',
    make: ({ name }) => ({
      ...common,
      title: `${name}: messages that never reached the queue wait in the subscription's dead-letter queue`,
      severity: 'page',
      metrics: [queueMetrics.undelivered(name)],
      expression: 'undel',
      runbook: 'undelivered',
    }),
  },
  {
    id: 'E2',
    name: 'fresh-dead-letters',
    set: 'full',
    make: ({ name }) => ({
      ...common,
      title: `${name}: more messages were given up, while others wait in the dead-letter queue already`,
      severity: 'ticket',
      metrics: [{ ...queueMetrics.dead(name), period: fiveMinutes }],
      expression: 'IF(DIFF(dlq) > 0, 1, 0)',
      period: fiveMinutes,
      // It tells of a moment; that no more came is no news.
      notifyOnOk: false,
      runbook: 'fresh-dead-letters',
    }),
  },
];
