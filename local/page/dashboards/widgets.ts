import type { MetricAlarm, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { type Milliseconds, milliseconds } from '../../../lib/base/index.ts';
import { ServiceError } from '../../service.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './body.ts';
import { labelOf, queriesOf, type WidgetQueries } from './queries.ts';
import { alarmsNamed, type Points, pointsOf, type Source } from './read.ts';
import type {
  AlarmOfView,
  AlarmsView,
  AxisView,
  GraphView,
  LineView,
  TextView,
  UnknownView,
} from './view.ts';

/** What a widget is drawn for. */
export interface Window {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  /** Seconds; sets the period of all graphs. */
  readonly period: number | undefined;
}

type Content = TextView | GraphView | AlarmsView | UnknownView;

/** What a widget shows, by its type. */
export async function contentOf(widget: Fields, source: Source, window: Window): Promise<Content> {
  const properties = fieldsOf(widget.properties);
  switch (widget.type) {
    case 'text':
      return {
        kind: 'text',
        markdown: textOf(properties.markdown) ?? '',
        background: properties.background === 'transparent' ? 'transparent' : 'solid',
      };
    case 'alarm':
      return alarmsView(properties, source);
    case 'metric':
      return graphView(properties, source, window);
    default:
      return {
        kind: 'unknown',
        type: String(widget.type),
        message: `Widgets of the type ${String(widget.type)} are not drawn here; CloudWatch draws them.`,
      };
  }
}

const nameOfAlarm = (arn: unknown): string => /:alarm:(.*)$/.exec(String(arn))?.[1] ?? String(arn);

async function alarmsView(properties: Fields, source: Source): Promise<AlarmsView> {
  const names = listOf(properties.alarms).map(nameOfAlarm);
  const { metric, composite } = await alarmsNamed(source, names);
  const known = new Map(
    [...metric, ...composite].map((alarm): [string, AlarmOfView] => [
      alarm.AlarmName ?? '',
      {
        name: alarm.AlarmName ?? '',
        composite: 'AlarmRule' in alarm,
        ...(alarm.StateValue === undefined
          ? {}
          : { state: alarm.StateValue as NonNullable<AlarmOfView['state']> }),
        reason: alarm.StateReason ?? '',
        ...(alarm.StateUpdatedTimestamp === undefined
          ? {}
          : { since: milliseconds(alarm.StateUpdatedTimestamp.getTime()) }),
      },
    ]),
  );
  const states = listOf(properties.states);
  const alarms = names
    .map(
      (name) => known.get(name) ?? { name, composite: false, reason: 'There is no alarm of this name here.' },
    )
    .filter(({ state }) => states.length === 0 || (state !== undefined && states.includes(state)));
  return {
    kind: 'alarms',
    title: textOf(properties.title) ?? 'Alarms',
    alarms: sorted(alarms, properties.sortBy),
  };
}

const urgency = { ALARM: 0, INSUFFICIENT_DATA: 1, OK: 2 } as const;
const urgencyOf = ({ state }: AlarmOfView): number => (state === undefined ? 3 : urgency[state]);

/** CloudWatch API reference, "Properties of an Alarm Status Widget Object". */
function sorted(alarms: AlarmOfView[], by: unknown): AlarmOfView[] {
  const byTime = (a: AlarmOfView, b: AlarmOfView) => (b.since ?? 0) - (a.since ?? 0);
  if (by === 'timestamp') return alarms.sort(byTime);
  if (by === 'stateUpdatedTimestamp')
    return alarms.sort((a, b) => urgencyOf(a) - urgencyOf(b) || byTime(a, b) || a.name.localeCompare(b.name));
  return alarms.sort((a, b) => a.name.localeCompare(b.name));
}

const views: Readonly<Record<string, GraphView['view']>> = {
  singleValue: 'numbers',
  gauge: 'numbers',
  bar: 'table',
  pie: 'table',
  table: 'table',
};

async function graphView(properties: Fields, source: Source, window: Window): Promise<GraphView> {
  const annotations = fieldsOf(properties.annotations);
  const names = listOf(annotations.alarms).map(nameOfAlarm);
  const alarms = names.length === 0 ? [] : (await alarmsNamed(source, names)).metric;
  const axes = fieldsOf(properties.yAxis);
  const made: Omit<GraphView, 'series' | 'trouble'> = {
    kind: 'graph',
    title: textOf(properties.title) ?? names[0] ?? '',
    view: views[String(properties.view)] ?? (properties.stacked === true ? 'stacked' : 'lines'),
    axes: { left: axisOf(axes.left), right: axisOf(axes.right) },
    lines: [
      ...listOf(annotations.horizontal).flatMap(linesOf),
      ...alarms.flatMap(({ AlarmName = '', Threshold }) =>
        Threshold === undefined ? [] : [{ label: AlarmName, value: Threshold, axis: 'left' as const }],
      ),
    ],
    moments: listOf(annotations.vertical).flat().flatMap(momentOf),
    sparkline: properties.sparkline === true,
  };
  const region = textOf(properties.region);
  const here = source.context.region;
  if (region !== undefined && region !== here)
    return {
      ...made,
      series: [],
      trouble: `These metrics are of ${region}; only those of ${here} are shown here.`,
    };
  try {
    const asked =
      properties.metrics === undefined ? queriesOfAlarms(alarms) : queriesOf(properties, window.period);
    const points =
      asked.lines.length === 0 ? [] : await pointsOf(source, asked.queries, window.start, window.end);
    return { ...made, series: points.map((each) => seriesOf(each, asked)) };
  } catch (error) {
    // What the model does not evaluate is told in the widget; the others are drawn.
    if (!(error instanceof ServiceError)) throw error;
    return { ...made, series: [], trouble: error.message };
  }
}

function seriesOf({ id, label, ...points }: Points, { lines }: WidgetQueries): GraphView['series'][number] {
  const line = lines.find((each) => each.id === id);
  return {
    label: (line === undefined ? '' : labelOf(line, points.values)) || label,
    axis: line?.axis ?? 'left',
    ...(line?.color === undefined ? {} : { color: line.color }),
    ...points,
  };
}

/** What an alarm watches, where a widget names the alarm alone. */
function queriesOfAlarms(alarms: readonly MetricAlarm[]): WidgetQueries {
  const queries: MetricDataQuery[] = alarms.flatMap((alarm, index) =>
    alarm.MetricName === undefined
      ? (alarm.Metrics ?? [])
      : [
          {
            Id: `alarm${index}`,
            MetricStat: {
              Metric: {
                Namespace: alarm.Namespace,
                MetricName: alarm.MetricName,
                Dimensions: alarm.Dimensions,
              },
              Period: alarm.Period,
              Stat: alarm.Statistic ?? alarm.ExtendedStatistic,
            },
          },
        ],
  );
  return {
    queries,
    lines: queries
      .filter(({ ReturnData }) => ReturnData !== false)
      .map(({ Id = '', Label, MetricStat, Expression }) => ({
        id: Id,
        label: Label ?? MetricStat?.Metric?.MetricName ?? Expression,
        color: undefined,
        axis: 'left',
        properties: {},
      })),
  };
}

function axisOf(axis: unknown): AxisView {
  const { label, min, max } = fieldsOf(axis);
  const least = numberOf(min);
  const most = numberOf(max);
  return {
    label: textOf(label) ?? '',
    ...(least === undefined ? {} : { min: least }),
    ...(most === undefined ? {} : { max: most }),
  };
}

/** A line, or a band of two. */
function linesOf(annotation: unknown): LineView[] {
  if (Array.isArray(annotation)) return annotation.flatMap(linesOf);
  const { value, label, color, fill, yAxis, visible } = fieldsOf(annotation);
  const number = numberOf(value);
  if (number === undefined || visible === false) return [];
  const tint = textOf(color);
  return [
    {
      value: number,
      label: textOf(label) ?? '',
      axis: yAxis === 'right' ? 'right' : 'left',
      ...(tint === undefined ? {} : { color: tint }),
      ...(fill === 'above' || fill === 'below' ? { fill } : {}),
    },
  ];
}

function momentOf(annotation: unknown): GraphView['moments'][number][] {
  const { value, label, color, visible } = fieldsOf(annotation);
  const at = Date.parse(String(value));
  if (Number.isNaN(at) || visible === false) return [];
  const tint = textOf(color);
  return [
    { at: milliseconds(at), label: textOf(label) ?? '', ...(tint === undefined ? {} : { color: tint }) },
  ];
}
