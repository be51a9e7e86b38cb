import type { Graph } from './graph.ts';
import * as quotas from './quotas.ts';
import type { RuleTable } from './rule.ts';
import { document, isList, property, type Resource, type Value } from './value.ts';

interface Board {
  readonly at: Resource;
  readonly widgets: readonly Value[];
}

/** Every dashboard whose body can be read. */
const boardsOf = (graph: Graph): readonly Board[] =>
  graph.of('AWS::CloudWatch::Dashboard').flatMap((at) => {
    const widgets = property(document(property(at.properties, 'DashboardBody')), 'widgets');
    return isList(widgets) ? [{ at, widgets }] : [];
  });

/** Rules on dashboards. */
export const dashboardRules = {
  'dashboard-widgets': {
    severity: 'error',
    condition: 'A dashboard has more widgets than CloudWatch allows.',
    allowed: `up to ${quotas.dashboardWidgetsMost.value} widgets`,
    remedy: 'Split the dashboard.',
    why: 'CloudWatch refuses the dashboard in the middle of the deployment.',
    source: quotas.dashboardWidgetsMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const { at, widgets } of graph.once(boardsOf, boardsOf))
        if (widgets.length > quotas.dashboardWidgetsMost.value)
          yield { at, found: `${widgets.length} widgets` };
    },
  },
  'dashboard-metrics': {
    severity: 'error',
    condition: 'A graph has more metrics than CloudWatch allows.',
    allowed: `up to ${quotas.dashboardMetricsMost.value} metrics on a graph`,
    remedy: 'Split the graph.',
    why: 'CloudWatch refuses the dashboard in the middle of the deployment.',
    source: quotas.dashboardMetricsMost.source,
    subjects: ['stack'],
    *check(graph) {
      for (const { at, widgets } of graph.once(boardsOf, boardsOf))
        for (const widget of widgets) {
          const metrics = property(property(widget, 'properties'), 'metrics');
          if (isList(metrics) && metrics.length > quotas.dashboardMetricsMost.value)
            yield { at, found: `${metrics.length} metrics on one graph` };
        }
    },
  },
} as const satisfies RuleTable;
