import type { MetricDefinition } from './metrics.ts';

/**
 * One line of a graph.
 *
 * @example
 * ```ts
 * const series: SeriesDefinition = { label: 'completed', expression: 'FILL(del, 0)' };
 * ```
 */
export interface SeriesDefinition {
  readonly label: string;
  /** Metric math over the ids of the graph's metrics; the id alone where a metric is drawn as it is. */
  readonly expression: string;
}

/**
 * A horizontal line with a meaning.
 *
 * @example
 * ```ts
 * const slo: AnnotationDefinition = { label: 'SLO 60 s', value: 60 };
 * ```
 */
export interface AnnotationDefinition {
  readonly label: string;
  readonly value: number;
}

/**
 * How a graph is drawn: lines, areas on top of each other, or the newest value of each as a number.
 *
 * @example
 * ```ts
 * const view: GraphView = 'stacked';
 * ```
 */
export type GraphView = 'lines' | 'stacked' | 'numbers';

/**
 * One graph.
 *
 * @example
 * ```ts
 * const lag: GraphDefinition = {
 *   title: 'Lag',
 *   unit: 'seconds',
 *   metrics: [queueMetrics.age('payments')],
 *   series: [{ label: 'age of the oldest message', expression: 'age' }],
 *   annotations: [{ label: 'SLO 60 s', value: 60 }],
 * };
 * ```
 */
export interface GraphDefinition {
  readonly title: string;
  /** What the axis counts, for example `seconds`. */
  readonly unit: string;
  /** @default 'lines' */
  readonly view?: GraphView | undefined;
  /**
   * Columns of the dashboard's 24.
   *
   * @default 6
   */
  readonly width?: number | undefined;
  /**
   * Rows of the dashboard's grid.
   *
   * @default 6
   */
  readonly height?: number | undefined;
  readonly metrics: readonly MetricDefinition[];
  readonly series: readonly SeriesDefinition[];
  readonly annotations: readonly AnnotationDefinition[];
}

/** A line of a graph, with the metrics that its expression names. */
export type Line = SeriesDefinition & { readonly metrics: readonly MetricDefinition[] };

/** A metric as it is: a gap stays a gap. */
export const gauge = (label: string, metric: MetricDefinition): Line => ({
  label,
  expression: metric.id,
  metrics: [metric],
});

/** A counter may be published only when something happened (SQS and SNS developer guides disagree): a gap is a zero. */
export const filled = ({ id }: Pick<MetricDefinition, 'id'>): string => `FILL(${id}, 0)`;

/** A metric that counts. */
export const counter = (label: string, metric: MetricDefinition): Line => ({
  label,
  expression: filled(metric),
  metrics: [metric],
});

/** A metric under an id that no other subject's has: a graph over many subjects names the same metric of each. */
export const numbered = (metric: MetricDefinition, index: number): MetricDefinition => ({
  ...metric,
  id: `${metric.id}${index}`,
});

/** Makes a graph of its lines; a metric that several lines name is asked for once. */
export const graph = (
  title: string,
  unit: string,
  lines: readonly Line[],
  options: Partial<Pick<GraphDefinition, 'view' | 'width' | 'height' | 'annotations'>> = {},
): GraphDefinition => ({
  title,
  unit,
  annotations: [],
  ...options,
  metrics: [...new Map(lines.flatMap(({ metrics }) => metrics.map((each) => [each.id, each]))).values()],
  series: lines.map(({ label, expression }) => ({ label, expression })),
});
