import type { Dimensions } from '../service.ts';

/** One minute, in milliseconds: the length of a point. */
export const MINUTE = 60_000;

/** What is known of one minute of a metric. */
export interface Point {
  sum: number;
  minimum: number;
  maximum: number;
  count: number;
  /** How often each value occurred, to three significant digits: for percentiles. */
  values?: Map<number, number>;
}

/** Points from a minute on that readers do not see before a moment. */
export interface Hold {
  fromMinute: number;
  until: number;
}

/** A metric: its points by minute since the Unix epoch. */
export interface Series {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
  readonly points: Map<number, Point>;
  unit: string;
  /** The newest minute with a point. */
  newest: number;
  readonly hold: Hold | undefined;
}

/** All metrics of the account. */
export interface MetricStore {
  /** The metric of that name, made when it is not there. */
  series(namespace: string, name: string, dimensions: Dimensions): Series;
  /** The metric of that name, if there is one. */
  find(namespace: string, name: string, dimensions: Dimensions): Series | undefined;
  all(): Iterable<Series>;
}

// CloudWatch user guide: points of one minute are kept for 15 days.
const KEPT_MINUTES = 15 * 24 * 60;

/**
 * An empty store.
 *
 * @param holdFor - the hold that the points of a metric are under, shared by all metrics of one resource
 */
export function createMetricStore(
  holdFor: (namespace: string, dimensions: Dimensions) => Hold | undefined = () => undefined,
): MetricStore {
  const byKey = new Map<string, Series>();
  // Services hand in the same dimensions object again and again: no key is built for those.
  const known = new WeakMap<Dimensions, Map<string, Map<string, Series>>>();

  const find = (namespace: string, name: string, dimensions: Dimensions) =>
    known.get(dimensions)?.get(namespace)?.get(name) ?? byKey.get(keyOf(namespace, name, dimensions));

  return {
    find,
    series(namespace, name, dimensions) {
      let namespaces = known.get(dimensions);
      if (namespaces === undefined) {
        namespaces = new Map();
        known.set(dimensions, namespaces);
      }
      let names = namespaces.get(namespace);
      if (names === undefined) {
        names = new Map();
        namespaces.set(namespace, names);
      }
      let series = names.get(name);
      if (series !== undefined) return series;
      const key = keyOf(namespace, name, dimensions);
      series = byKey.get(key);
      if (series === undefined) {
        series = {
          namespace,
          name,
          dimensions: { ...dimensions },
          points: new Map(),
          unit: 'None',
          newest: Number.NEGATIVE_INFINITY,
          hold: holdFor(namespace, dimensions),
        };
        byKey.set(key, series);
      }
      names.set(name, series);
      return series;
    },
    all: () => byKey.values(),
  };
}

function keyOf(namespace: string, name: string, dimensions: Dimensions): string {
  const names = Object.keys(dimensions).sort();
  return JSON.stringify([namespace, name, names.map((one) => [one, dimensions[one]])]);
}

function pointOf(series: Series, minute: number): Point {
  let point = series.points.get(minute);
  if (point === undefined) {
    point = { sum: 0, minimum: Number.POSITIVE_INFINITY, maximum: Number.NEGATIVE_INFINITY, count: 0 };
    series.points.set(minute, point);
    if (minute > series.newest) {
      series.newest = minute;
      // A map keeps the order of insertion: the oldest points come first.
      for (const oldest of series.points.keys()) {
        if (oldest > minute - KEPT_MINUTES) break;
        series.points.delete(oldest);
      }
    }
  }
  return point;
}

/** Adds `value` to a minute's point, `times` times. */
export function addValue(series: Series, minute: number, value: number, times = 1): void {
  const point = pointOf(series, minute);
  point.sum += value * times;
  point.count += times;
  if (value < point.minimum) point.minimum = value;
  if (value > point.maximum) point.maximum = value;
}

/** As {@link addValue}, and remembers the value for percentiles. */
export function addSample(series: Series, minute: number, value: number, times = 1): void {
  addValue(series, minute, value, times);
  const point = pointOf(series, minute);
  point.values ??= new Map();
  const rounded = Number(value.toPrecision(3));
  point.values.set(rounded, (point.values.get(rounded) ?? 0) + times);
}

/** Adds a set of statistics to a minute's point. */
export function addStatistics(series: Series, minute: number, added: Omit<Point, 'values'>): void {
  const point = pointOf(series, minute);
  point.sum += added.sum;
  point.count += added.count;
  point.minimum = Math.min(point.minimum, added.minimum);
  point.maximum = Math.max(point.maximum, added.maximum);
}

/** The points of `length` minutes from `start` on as one, as far as they can be seen at `now`. */
export function combine(series: Series, start: number, length: number, now: number): Point | undefined {
  const hidden =
    series.hold !== undefined && now < series.hold.until ? series.hold.fromMinute : Number.POSITIVE_INFINITY;
  let whole: Point | undefined;
  for (let minute = start; minute < start + length && minute < hidden; minute++) {
    const point = series.points.get(minute);
    if (point === undefined) continue;
    if (length === 1) return point;
    if (whole === undefined) {
      whole = { ...point };
      if (point.values !== undefined) whole.values = new Map(point.values);
      continue;
    }
    whole.sum += point.sum;
    whole.count += point.count;
    whole.minimum = Math.min(whole.minimum, point.minimum);
    whole.maximum = Math.max(whole.maximum, point.maximum);
    if (point.values !== undefined) {
      whole.values ??= new Map();
      for (const [value, times] of point.values)
        whole.values.set(value, (whole.values.get(value) ?? 0) + times);
    }
  }
  return whole;
}
