import { type Milliseconds, milliseconds } from '../../../lib/base/index.ts';
import {
  type Fields,
  fieldsOf,
  lengthOf,
  listOf,
  placesOf,
  replacePattern,
  setProperty,
  textOf,
} from './body.ts';
import { dashboardBody, dimensionValues, type Source } from './read.ts';
import type { DashboardView, VariableView } from './view.ts';
import { contentOf } from './widgets.ts';

/** What whoever looks at a dashboard has chosen. */
export interface Choices {
  /** How far back, such as `PT3H`; as the dashboard says when it is missing. */
  readonly range?: string | undefined;
  /** Seconds; as the dashboard says when it is missing. */
  readonly period?: number | undefined;
  /** Values of variables by their ids. */
  readonly variables: Readonly<Record<string, string>>;
}

const minute = 60_000;
const standardRange = 'PT3H';
/** Seconds that CloudWatch chooses from where a dashboard leaves the period to it. */
const periods = [60, 300, 900, 3_600, 21_600, 86_400] as const;
/** More points of a line nobody tells apart. */
const mostPoints = 300;

/**
 * A deployed dashboard with the data of now.
 *
 * @throws {ServiceError} `DashboardNotFoundError` when there is none of that name
 */
export async function dashboardView(source: Source, name: string, choices: Choices): Promise<DashboardView> {
  const raw = fieldsOf(await dashboardBody(source, name));
  const variables: VariableView[] = [];
  let body: unknown = raw;
  for (const variable of listOf(raw.variables).map(fieldsOf)) {
    if (variable.visible === false && choices.variables[String(variable.id)] === undefined) continue;
    const view = await variableView(source, variable, choices.variables[String(variable.id)]);
    variables.push(view);
    if (view.value !== undefined) body = applied(body, variable, view.value);
  }
  const chosen = fieldsOf(body);
  const { start, end } = timesOf(raw, choices.range, source.context.clock.now());
  // A dashboard that says nothing leaves the period to CloudWatch, which adapts it to the time shown.
  const automatic = raw.periodOverride === 'inherit' ? undefined : adapted(end - start);
  const window = { start, end, period: choices.period ?? automatic };
  const widgets = listOf(chosen.widgets).map(fieldsOf);
  const places = placesOf(widgets);
  return {
    name,
    start,
    end,
    variables,
    widgets: await Promise.all(
      widgets.map(async (widget, index) => ({
        ...places[index]!,
        ...(await contentOf(widget, source, window)),
      })),
    ),
  };
}

function timesOf(
  raw: Fields,
  range: string | undefined,
  now: Milliseconds,
): { readonly start: Milliseconds; readonly end: Milliseconds } {
  const start = Date.parse(textOf(raw.start) ?? '');
  const end = Date.parse(textOf(raw.end) ?? '');
  // An absolute time range of the dashboard's own.
  if (range === undefined && !Number.isNaN(start))
    return { start: milliseconds(start), end: milliseconds(Number.isNaN(end) ? now : end) };
  const length = lengthOf(range ?? textOf(raw.start) ?? standardRange) ?? lengthOf(standardRange)!;
  // Up to the last whole minute: counts of a minute that is not over would look like a fall.
  const whole = Math.floor(now / minute) * minute;
  return { start: milliseconds(whole - length), end: milliseconds(whole) };
}

const adapted = (length: number): number =>
  periods.find((period) => length / (period * 1000) <= mostPoints) ?? periods.at(-1)!;

async function variableView(
  source: Source,
  variable: Fields,
  chosen: string | undefined,
): Promise<VariableView> {
  const search = textOf(variable.search);
  const dimension = textOf(variable.populateFrom);
  const found =
    search === undefined || dimension === undefined ? [] : await valuesOfSearch(source, search, dimension);
  const listed = listOf(variable.values)
    .map(fieldsOf)
    .flatMap(({ value, label }) => {
      const text = textOf(value);
      return text === undefined ? [] : [{ value: text, label: textOf(label) ?? text }];
    });
  const values = [...listed, ...found.map((value) => ({ value, label: value }))];
  const standard = textOf(variable.defaultValue);
  // CloudWatch's own word for the first that the search finds.
  const value = chosen ?? (standard === '__FIRST' ? values[0]?.value : standard);
  return {
    id: String(variable.id),
    label: textOf(variable.label) ?? String(variable.id),
    values: variable.inputType === 'input' ? [] : values,
    setsPeriod: variable.type === 'property' && variable.property === 'period',
    ...(value === undefined ? {} : { value }),
  };
}

/** A search such as `{AWS/Lambda,FunctionName} MetricName="Duration"`. */
function valuesOfSearch(source: Source, search: string, dimension: string): Promise<string[]> {
  const namespace = /\{\s*"?([^,"}]+)"?/.exec(search)?.[1]?.trim() ?? '';
  const metric = /MetricName\s*=\s*\\?"([^"\\]+)/.exec(search)?.[1];
  return dimensionValues(source, namespace, metric, dimension);
}

function applied(body: unknown, variable: Fields, value: string): unknown {
  const fields = fieldsOf(body);
  const property = textOf(variable.property);
  const pattern = textOf(variable.pattern);
  const widgets =
    variable.type === 'property' && property !== undefined
      ? setProperty(fields.widgets, property, value)
      : pattern === undefined
        ? fields.widgets
        : replacePattern(fields.widgets, new RegExp(pattern, 'g'), value);
  return { ...fields, widgets };
}
