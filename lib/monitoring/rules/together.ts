import { seconds } from '../../topology/index.ts';
import { operatorMetrics } from '../metrics.ts';
import { common, minute, type SubscriberRule } from './rule.ts';

/** How long one point of `replaying` keeps pages back; who forgets to end a replay is paged after this. */
const replayMinutes = 15;

/** One page and one ticket for all that say the same. Their members change their state and notify nobody. */
export const togetherRules: readonly SubscriberRule[] = [
  {
    id: 'L',
    name: 'replay',
    set: 'full',
    make: ({ name }) => ({
      ...common,
      title: `${name}: somebody replays old messages, so the page on lag and standstill is held back`,
      severity: 'ticket',
      metrics: [operatorMetrics.replaying(name)],
      expression: 'replaying',
      evaluationPeriods: replayMinutes,
      notifyOnOk: false,
      runbook: 'replays',
    }),
  },
  {
    id: 'L',
    name: 'page',
    set: 'full',
    make: ({ name }) => ({
      kind: 'composite',
      title: `${name}: the SLO is broken, or the consumer stands still`,
      severity: 'page',
      rule: { any: [`${name}-A-lag`, `${name}-A2-burn`, `${name}-H-stalled`] },
      // No wait: it would make every page late by it, replay or not. The members turn after three minutes of lag or five of
      // standstill, and until then the point of a replay has come. The extension lets them end that look back at the replay.
      suppressor: { key: `${name}-L-replay`, wait: seconds(0), extension: minute },
      notifyOnOk: true,
      runbook: 'page',
    }),
  },
  {
    id: 'L',
    name: 'ticket',
    set: 'full',
    make: ({ name }) => ({
      kind: 'composite',
      title: `${name}: a trend leads away from the SLO: the backlog or the lag grows, or messages come again`,
      severity: 'ticket',
      rule: { any: [`${name}-B-growth`, `${name}-C3-breach-ahead`, `${name}-J-redelivery`] },
      notifyOnOk: true,
      runbook: 'ticket',
    }),
  },
];
