import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { type Fields, fieldsOf, isFields, listOf, numberOf, textOf } from './body.ts';

/** What of a line is not said by its query. */
export interface LineStyle {
  readonly id: string;
  readonly label: string | undefined;
  readonly color: string | undefined;
  readonly axis: 'left' | 'right';
  /** What `${PROP('...')}` of a label names. */
  readonly properties: Readonly<Record<string, string>>;
}

/** The queries of a metric widget, and how each that is drawn looks. */
export interface WidgetQueries {
  readonly queries: readonly MetricDataQuery[];
  readonly lines: readonly LineStyle[];
}

/** CloudWatch API reference, "Metric Widget": the period and the statistic of metrics that say none. */
const standard = { period: 300, stat: 'Average' } as const;

/**
 * The `metrics` of a widget as queries: with `"."` and `"..."` replaced by what the metric before says, statistic and
 * period by the widget's where the metric has none (CloudWatch API reference, "Metric Widget: Format for Each Metric in the
 * Array").
 *
 * @param period - seconds; sets the period of every metric
 */
export function queriesOf(properties: Fields, period: number | undefined): WidgetQueries {
  const queries: MetricDataQuery[] = [];
  const lines: LineStyle[] = [];
  const metrics = listOf(properties.metrics).map((metric) => listOf(metric));
  const taken = new Set(metrics.flatMap((metric) => textOf(fieldsOf(metric.at(-1)).id) ?? []));
  let before: readonly string[] = [];
  for (const [index, metric] of metrics.entries()) {
    const last = metric.at(-1);
    const options = fieldsOf(last);
    const names = expand((isFields(last) ? metric.slice(0, -1) : metric).map(String), before);
    let id = textOf(options.id) ?? `line${index + 1}`;
    while (textOf(options.id) === undefined && taken.has(id)) id += '_';
    taken.add(id);
    const seconds = period ?? Number(options.period ?? properties.period ?? standard.period);
    const drawn = options.visible !== false;
    const expression = textOf(options.expression);
    const stat = textOf(options.stat) ?? textOf(properties.stat) ?? standard.stat;
    if (expression !== undefined)
      queries.push({ Id: id, Expression: expression, Period: seconds, ReturnData: drawn });
    else {
      before = names;
      const unit = textOf(options.unit);
      queries.push({
        Id: id,
        ReturnData: drawn,
        MetricStat: {
          Metric: {
            Namespace: names[0],
            MetricName: names[1],
            Dimensions: pairs(names.slice(2)).map(([Name, Value]) => ({ Name, Value })),
          },
          Period: seconds,
          Stat: stat,
          ...(unit === undefined
            ? {}
            : { Unit: unit as NonNullable<NonNullable<MetricDataQuery['MetricStat']>['Unit']> }),
        },
      });
    }
    if (!drawn) continue;
    lines.push({
      id,
      label: textOf(options.label) ?? expression ?? names[1],
      color: textOf(options.color),
      axis: options.yAxis === 'right' ? 'right' : 'left',
      properties: {
        ...(expression === undefined ? { Namespace: names[0]!, MetricName: names[1]! } : {}),
        Stat: stat,
        Period: String(seconds),
        ...Object.fromEntries(pairs(names.slice(2)).map(([name, value]) => [`Dim.${name}`, value])),
      },
    });
  }
  return { queries, lines };
}

function expand(names: readonly string[], before: readonly string[]): string[] {
  const rest = names.indexOf('...');
  if (rest >= 0) {
    const own = names.slice(rest + 1);
    return [...names.slice(0, rest), ...before.slice(rest, before.length - own.length), ...own];
  }
  return names.map((name, index) => (name === '.' ? (before[index] ?? name) : name));
}

const pairs = (names: readonly string[]): [string, string][] =>
  Array.from({ length: Math.floor(names.length / 2) }, (_, index) => [
    names[2 * index]!,
    names[2 * index + 1]!,
  ]);

/**
 * A label with what stands for values in it: `${LAST}`, `${MAX}`, `${LABEL}`, `${PROP('Dim.QueueName')}` (CloudWatch user
 * guide, "Use dynamic labels").
 */
export function labelOf({ label = '', properties }: LineStyle, values: readonly (number | null)[]): string {
  if (!label.includes('${')) return label;
  const points = values.filter((value) => value !== null);
  const sum = points.reduce((total, value) => total + value, 0);
  const figures: Readonly<Record<string, number | undefined>> = {
    FIRST: points[0],
    LAST: points.at(-1),
    MIN: points.length === 0 ? undefined : Math.min(...points),
    MAX: points.length === 0 ? undefined : Math.max(...points),
    AVG: points.length === 0 ? undefined : sum / points.length,
    SUM: points.length === 0 ? undefined : sum,
  };
  return label
    .replace(/\$\{PROP\('([^']*)'\)\}/g, (_, name: string) => properties[name] ?? '')
    .replace(/\$\{LABEL\}/g, properties.MetricName ?? '')
    .replace(/\$\{(\w+)\}/g, (whole, name: string) => {
      if (!Object.hasOwn(figures, name)) return whole;
      const figure = numberOf(figures[name]);
      return figure === undefined ? '--' : String(Math.round(figure * 1000) / 1000);
    });
}
