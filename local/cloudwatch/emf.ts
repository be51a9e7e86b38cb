import { addSample, type MetricStore, MINUTE } from './store.ts';

// CloudWatch user guide, "Specification: Embedded metric format": 100 metrics a directive, 100 values a metric.
const MOST_METRICS = 100;
const MOST_VALUES = 100;
const OLDEST = 14 * 24 * 60 * MINUTE;
const NEWEST = 2 * 60 * MINUTE;

/** One metric that a line carries, for one set of dimensions. */
interface Found {
  readonly namespace: string;
  readonly name: string;
  readonly unit: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

/**
 * Takes the metrics out of a log line in CloudWatch's embedded metric format: every directive, every set of its
 * dimensions, single values and arrays of values. They count for the minute of the line's own timestamp; as on
 * AWS, metrics older than two weeks or more than two hours ahead are dropped.
 *
 * @param now - milliseconds since the Unix epoch
 * @returns whether the line was one of that format
 */
export function ingestEmbeddedMetrics(store: MetricStore, line: string, now: number): boolean {
  // Most lines of a log are none: they are not parsed.
  if (!line.includes('"_aws"')) return false;
  const root = parseObject(line);
  const header = root?._aws;
  if (root === undefined || !isObject(header)) return false;
  const { CloudWatchMetrics: directives, Timestamp: at } = header;
  if (!Array.isArray(directives) || typeof at !== 'number') return false;
  const found = directives.flatMap((directive) => metricsOf(root, directive));
  if (at < now - OLDEST || at > now + NEWEST) return true;
  const minute = Math.floor(at / MINUTE);
  for (const { namespace, name, unit, dimensions, values } of found) {
    const series = store.series(namespace, name, dimensions);
    series.unit = unit;
    for (const value of values) addSample(series, minute, value);
  }
  return true;
}

function metricsOf(root: Readonly<Record<string, unknown>>, directive: unknown): Found[] {
  if (!isObject(directive) || typeof directive.Namespace !== 'string' || !Array.isArray(directive.Metrics))
    return [];
  const namespace = directive.Namespace;
  const sets =
    Array.isArray(directive.Dimensions) && directive.Dimensions.length > 0 ? directive.Dimensions : [[]];
  const found: Found[] = [];
  for (const set of sets) {
    const dimensions = dimensionsOf(root, set);
    if (dimensions === undefined) continue;
    for (const metric of directive.Metrics.slice(0, MOST_METRICS)) {
      if (!isObject(metric) || typeof metric.Name !== 'string') continue;
      const values = valuesOf(root[metric.Name]);
      const unit = typeof metric.Unit === 'string' ? metric.Unit : 'None';
      if (values.length > 0) found.push({ namespace, name: metric.Name, unit, dimensions, values });
    }
  }
  return found;
}

/** The values of a set of dimensions; `undefined` when the line lacks one, as then the set does not count. */
function dimensionsOf(
  root: Readonly<Record<string, unknown>>,
  set: unknown,
): Record<string, string> | undefined {
  if (!Array.isArray(set)) return undefined;
  const dimensions: Record<string, string> = {};
  for (const name of set) {
    const value = typeof name === 'string' ? root[name] : undefined;
    if (typeof value !== 'string') return undefined;
    dimensions[name] = value;
  }
  return dimensions;
}

function valuesOf(value: unknown): number[] {
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, MOST_VALUES) : [value];
  return list.filter((one): one is number => typeof one === 'number' && Number.isFinite(one));
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    // An ordinary log line that happens to hold the word.
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
