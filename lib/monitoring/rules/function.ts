import { functionMetrics } from '../metrics.ts';
import { common, type SubscriberRule } from './rule.ts';

/** Percent of invocations; what the runtime returns as failed messages is no error of the function. */
const mostErrors = 5;

/** What Lambda says of the consumer's function. */
export const functionRules: readonly SubscriberRule[] = [
  {
    id: 'K',
    name: 'throttled',
    set: 'full',
    make: ({ name }) => ({
      ...common,
      title: `${name}: Lambda refuses invocations, so messages are received without being tried`,
      severity: 'ticket',
      metrics: [functionMetrics.throttles(name)],
      expression: 'FILL(thr, 0)',
      // One minute of it is an event source that scales up, and what was received comes again by itself.
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      runbook: 'throttled',
    }),
  },
  {
    id: 'K',
    name: 'recursion',
    set: 'full',
    make: ({ name }) => ({
      ...common,
      title: `${name}: Lambda ended a loop: what the function sends comes back to it`,
      severity: 'page',
      metrics: [functionMetrics.recursionDropped(name)],
      expression: 'rec',
      notifyOnOk: false,
      runbook: 'recursion',
    }),
  },
  {
    id: 'K',
    name: 'errors',
    set: 'full',
    make: ({ name }) => ({
      ...common,
      title: `${name}: more than ${mostErrors} % of the function's invocations end in an error`,
      severity: 'ticket',
      metrics: [functionMetrics.errors(name), functionMetrics.invocations(name)],
      expression: 'IF(FILL(inv, 0) > 0, 100 * FILL(err, 0) / FILL(inv, 0), 0)',
      threshold: mostErrors,
      datapointsToAlarm: 3,
      evaluationPeriods: 5,
      runbook: 'function-errors',
    }),
  },
];
