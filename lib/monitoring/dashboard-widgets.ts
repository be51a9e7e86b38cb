import type { GraphView } from './dashboard-graph.ts';
import { type DashboardPage, dashboardLimits, type PlacedGraph, periodChoices } from './dashboard-pages.ts';
import { dimensionsOf, type MetricDefinition, type PhysicalName } from './metrics.ts';

/**
 * One widget as it stands in the body of a dashboard (CloudWatch API reference, "Dashboard Body Structure and Syntax").
 *
 * @example
 * ```ts
 * const widgets: DashboardWidget[] = dashboardWidgets(page, { region: 'eu-central-1', physicalName });
 * ```
 */
export interface DashboardWidget {
  readonly type: 'alarm' | 'metric' | 'text';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * What the widgets of a page show besides its rows, and how AWS names what they show.
 *
 * @example
 * ```ts
 * const view: DashboardView = { region: 'eu-central-1', physicalName: () => 'shop-payments' };
 * ```
 */
export interface DashboardView {
  readonly region: string;
  readonly physicalName: PhysicalName;
  /**
   * The name of the table of records; needed where a row shows it.
   *
   * @default - none
   */
  readonly recordsTable?: string | undefined;
  /**
   * A line of Markdown with links to the other pages, so many rows of the grid high.
   *
   * @default - none
   */
  readonly links?: { readonly markdown: string; readonly height: number } | undefined;
  /**
   * ARNs of alarms whose states stand at the top, under their titles.
   *
   * @default - none
   */
  readonly alarms?: readonly { readonly title: string; readonly arns: readonly string[] }[] | undefined;
}

/**
 * The widgets of one page, from the top to the bottom: links, states of alarms, then each row under its heading.
 *
 * @example
 * ```ts
 * const [page] = dashboardPages(dashboardOf(shop));
 * const body = JSON.stringify({ widgets: dashboardWidgets(page!, { region, physicalName }) });
 * ```
 */
export function dashboardWidgets(page: DashboardPage, view: DashboardView): DashboardWidget[] {
  const { links, alarms = [] } = view;
  const lines: Placeless[][] = [
    ...(links === undefined ? [] : [[text(links.markdown, links.height)]]),
    ...alarms.flatMap(({ title, arns }) =>
      chunks(arns, dashboardLimits.alarmsOfWidget).map((some) => [alarmStates(title, some)]),
    ),
    ...page.rows.flatMap((row, index) => [
      [text(`## ${row.title}`, 1)],
      ...page.lines[index]!.map((line) => line.map((graph) => graphWidget(graph, view))),
    ]),
  ];
  let y = 0;
  return lines.flatMap((line) => {
    let x = 0;
    const placed = line.map((widget) => {
      const result = { ...widget, x, y };
      x += widget.width;
      return result;
    });
    y += Math.max(...line.map(({ height }) => height));
    return placed;
  });
}

type Placeless = Omit<DashboardWidget, 'x' | 'y'>;

const text = (markdown: string, height: number): Placeless => ({
  type: 'text',
  width: dashboardLimits.columns,
  height,
  properties: { markdown, background: 'transparent' },
});

const alarmStates = (title: string, alarms: readonly string[]): Placeless => ({
  type: 'alarm',
  width: dashboardLimits.columns,
  // Six side by side; more than three lines of them scroll, those in alarm on top.
  height: 1 + Math.min(3, Math.ceil(alarms.length / 6)),
  properties: { title, alarms, sortBy: 'stateUpdatedTimestamp' },
});

const views: Readonly<Record<GraphView, object>> = {
  lines: { view: 'timeSeries', stacked: false },
  stacked: { view: 'timeSeries', stacked: true },
  numbers: { view: 'singleValue', sparkline: true },
};

function graphWidget(graph: PlacedGraph, view: DashboardView): Placeless {
  const { title, width, height, unit, annotations, view: kind = 'lines' } = graph;
  return {
    type: 'metric',
    width,
    height,
    properties: {
      ...views[kind],
      title,
      region: view.region,
      metrics: metricsOf(graph, view),
      ...(kind === 'numbers'
        ? {}
        : {
            ...(annotations.length === 0
              ? {}
              : {
                  annotations: {
                    horizontal: annotations.map(({ label, value }) => ({ label, value, yAxis: 'left' })),
                  },
                }),
            yAxis: { left: { label: unit, min: 0, showUnits: false } },
          }),
    },
  };
}

/** The lines of a graph, each expression followed by those of its metrics that did not stand before. */
function metricsOf({ metrics, series }: PlacedGraph, view: DashboardView): unknown[] {
  const lines = series.map(({ expression, label }) => ({
    expression,
    label,
    /** The metric that is drawn as it is. */
    alone: metrics.find(({ id }) => id === expression),
    used: usedBy(expression, metrics),
  }));
  const named = new Set(lines.flatMap(({ alone, used }) => (alone === undefined ? used : [])));
  const labels = new Map(lines.flatMap(({ alone, label }) => (alone === undefined ? [] : [[alone, label]])));
  const told = new Set<MetricDefinition>();
  const tell = (metric: MetricDefinition): unknown[] => {
    if (told.has(metric)) return [];
    told.add(metric);
    const dimensions = dimensionsOf(metric.target, view.physicalName, view.recordsTable);
    const options = {
      ...(labels.has(metric) ? { label: labels.get(metric) } : { visible: false }),
      ...(named.has(metric) ? { id: metric.id } : {}),
      period: metric.period,
      stat: metric.statistic,
    };
    return [[metric.namespace, metric.name, ...Object.entries(dimensions).flat(), options]];
  };
  return lines.flatMap(({ expression, label, alone, used }) => {
    if (alone !== undefined) return tell(alone);
    const period = used[0]?.period ?? periodChoices[0].period;
    return [[{ expression, label, period }], ...used.flatMap(tell)];
  });
}

function usedBy(expression: string, metrics: readonly MetricDefinition[]): MetricDefinition[] {
  const words = new Set(expression.match(/\w+/g));
  return metrics.filter(({ id }) => words.has(id));
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const result: Item[][] = [];
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size));
  return result;
}
