import {
  dashboardAlarmsMost,
  dashboardMetricsMost,
  dashboardMetricsOfAllMost,
  dashboardNameMost,
  dashboardWidgetsMost,
} from '../rules/index.ts';
import { seconds } from '../topology/index.ts';
import type { DashboardRow } from './dashboard.ts';
import type { GraphDefinition } from './dashboard-graph.ts';

/**
 * What one dashboard of CloudWatch holds.
 *
 * @example
 * ```ts
 * dashboardLimits.widgets; // 500
 * ```
 */
export const dashboardLimits = {
  /** CloudWatch API reference, "Dashboard Body Structure and Syntax". */
  columns: 24,
  /** The same page. */
  widgets: dashboardWidgetsMost.value,
  /** CloudWatch user guide, "CloudWatch service quotas": metrics behind expressions count too. */
  metricsOfWidget: dashboardMetricsMost.value,
  /** The same page. */
  metrics: dashboardMetricsOfAllMost.value,
  /** CloudWatch API reference, "Properties of an Alarm Status Widget Object". */
  alarmsOfWidget: dashboardAlarmsMost.value,
  /** CloudWatch API reference, "PutDashboard". */
  nameLength: dashboardNameMost.value,
} as const;

/**
 * The periods that a dashboard offers, the one it starts with first: the metrics have a point a minute.
 *
 * @example
 * ```ts
 * periodChoices.map(({ label }) => label);
 * ```
 */
export const periodChoices = [
  { label: '1 minute', period: seconds(60) },
  { label: '5 minutes', period: seconds(300) },
  { label: '15 minutes', period: seconds(900) },
  { label: '1 hour', period: seconds(3600) },
] as const;

/**
 * One of the dashboards over which a stack's rows are spread.
 *
 * @example
 * ```ts
 * const [first]: DashboardPage[] = dashboardPages(dashboardOf(shop), { alarms: 20 });
 * ```
 */
export interface DashboardPage {
  readonly rows: readonly DashboardRow[];
  /** The graphs of each row in lines that fill the columns. */
  readonly lines: readonly (readonly (readonly PlacedGraph[])[])[];
}

/** What decides where a dashboard ends. */
type PageLimits = Readonly<Record<'widgets' | 'metrics' | 'metricsOfWidget', number>>;

/** A graph with the room that it has. */
export type PlacedGraph = GraphDefinition & { readonly width: number; readonly height: number };

/**
 * Spreads rows over as few dashboards as CloudWatch's limits allow; a row stays whole.
 *
 * @param rows - in the order in which they are shown
 * @param options - how many alarms the first dashboard shows; limits other than CloudWatch's, for tests
 * @throws RangeError when a graph or a row alone is more than a dashboard can hold
 * @example
 * ```ts
 * dashboardPages(dashboardOf(shop), { alarms: 20 }).length; // 1
 * ```
 */
export function dashboardPages(
  rows: readonly DashboardRow[],
  options: {
    readonly alarms?: number | undefined;
    readonly limits?: PageLimits | undefined;
  } = {},
): DashboardPage[] {
  const { alarms = 0, limits = dashboardLimits } = options;
  // Each has a line of links when there are several.
  const links = 1;
  const pages: DashboardRow[][] = [];
  let widgets = links + Math.ceil(alarms / dashboardLimits.alarmsOfWidget);
  // Composite alarms stand in a widget of their own.
  if (alarms > 0) widgets += 1;
  let metrics = 0;
  let page: DashboardRow[] = [];
  pages.push(page);
  for (const row of rows) {
    const size = sizeOf(row, limits);
    if (
      page.length > 0 &&
      (widgets + size.widgets > limits.widgets || metrics + size.metrics > limits.metrics)
    ) {
      page = [];
      pages.push(page);
      widgets = links;
      metrics = 0;
    }
    page.push(row);
    widgets += size.widgets;
    metrics += size.metrics;
  }
  return pages.map((some) => ({ rows: some, lines: some.map(({ graphs }) => linesOf(graphs)) }));
}

function sizeOf(
  { title, graphs }: DashboardRow,
  limits: PageLimits,
): { readonly widgets: number; readonly metrics: number } {
  for (const graph of graphs)
    if (graph.metrics.length > limits.metricsOfWidget)
      throw new RangeError(
        `The graph "${graph.title}" of "${title}" has ${graph.metrics.length} metrics; a graph of CloudWatch has at most ${limits.metricsOfWidget}. Make several graphs of it.`,
      );
  const size = {
    widgets: graphs.length + 1,
    metrics: graphs.reduce((sum, { metrics }) => sum + metrics.length, 0),
  };
  // The links and the heading take a place each.
  if (size.widgets + 1 > limits.widgets || size.metrics > limits.metrics)
    throw new RangeError(
      `The row "${title}" has ${size.widgets} widgets and ${size.metrics} metrics; a dashboard of CloudWatch has at most ${limits.widgets} and ${limits.metrics}. Make several rows of it.`,
    );
  return size;
}

/** Graphs side by side as far as the columns reach; the last of a line takes what is left. */
function linesOf(graphs: readonly GraphDefinition[]): PlacedGraph[][] {
  const { columns } = dashboardLimits;
  const lines: PlacedGraph[][] = [];
  let free = 0;
  for (const { width: wanted = 6, height = 6, ...graph } of graphs) {
    const width = Math.min(wanted, columns);
    if (width > free) {
      lines.push([]);
      free = columns;
    }
    lines.at(-1)!.push({ ...graph, width, height });
    free -= width;
  }
  return lines.map((line) => {
    const rest = columns - line.reduce((sum, { width }) => sum + width, 0);
    return line.map((graph, index) =>
      index === line.length - 1 ? { ...graph, width: graph.width + rest } : graph,
    );
  });
}
