import type { DashboardValidationMessage } from '@aws-sdk/client-cloudwatch';

// CloudWatch API reference, "Dashboard Body Structure and Syntax": a grid of 24 columns, up to 500 widgets, an alarm
// widget of up to 100 alarms. CloudWatch user guide, "CloudWatch service quotas": 500 metrics in a widget, 2,500 in a
// dashboard, those behind expressions too.
const COLUMNS = 24;
const MOST_HEIGHT = 1_000;
const MOST_WIDGETS = 500;
const MOST_ALARMS = 100;
const MOST_METRICS_OF_WIDGET = 500;
const MOST_METRICS = 2_500;
const WIDGET_TYPES = ['metric', 'text', 'log', 'alarm', 'explorer', 'custom', 'chart'];
const VIEWS = ['timeSeries', 'singleValue', 'gauge', 'bar', 'pie', 'table'];
const INPUT_TYPES = ['input', 'radio', 'select'];
const ID = /^[a-z][A-Za-z0-9_]*$/;

type Fields = Readonly<Record<string, unknown>>;
type Report = (path: string, message: string) => undefined;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** What is wrong with the body of a dashboard, each with where it stands. */
export function bodyFaults(text: string): DashboardValidationMessage[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return [{ DataPath: '/', Message: `The body is not valid JSON: ${(error as Error).message}` }];
  }
  const faults: DashboardValidationMessage[] = [];
  const report: Report = (DataPath, Message) => {
    faults.push({ DataPath, Message });
    return undefined;
  };
  const { widgets, variables, periodOverride, start, end } = isFields(body) ? body : {};
  if (!Array.isArray(widgets)) {
    report('/widgets', 'The body needs a list of widgets');
    return faults;
  }
  if (widgets.length > MOST_WIDGETS)
    report('/widgets', `${MOST_WIDGETS} widgets are allowed; found ${widgets.length}`);
  if (periodOverride !== undefined && periodOverride !== 'auto' && periodOverride !== 'inherit')
    report('/periodOverride', `auto or inherit is allowed; found ${shown(periodOverride)}`);
  if (start !== undefined && typeof start !== 'string')
    report('/start', `A text is required; found ${shown(start)}`);
  if (end !== undefined && start === undefined) report('/end', 'An end needs a start');
  let metrics = 0;
  for (const [index, widget] of widgets.entries())
    metrics += checkWidget(isFields(widget) ? widget : {}, `/widgets/${index}`, report);
  if (metrics > MOST_METRICS)
    report('/widgets', `${MOST_METRICS} metrics in all widgets are allowed; found ${metrics}`);
  if (variables !== undefined) checkVariables(variables, report);
  return faults;
}

/** Checks one widget; gives how many metrics it reads. */
function checkWidget(widget: Fields, path: string, report: Report): number {
  const { type, x, y, width, height, properties } = widget;
  if (typeof type !== 'string' || !WIDGET_TYPES.includes(type))
    report(`${path}/type`, `One of ${WIDGET_TYPES.join(', ')} is allowed; found ${shown(type)}`);
  for (const [name, value, least, most] of [
    ['x', x, 0, COLUMNS - 1],
    ['y', y, 0, Number.POSITIVE_INFINITY],
    ['width', width, 1, COLUMNS],
    ['height', height, 1, MOST_HEIGHT],
  ] as const) {
    const number = value as number;
    if (value !== undefined && !(Number.isInteger(value) && number >= least && number <= most))
      report(
        `${path}/${name}`,
        `A whole number from ${least} ${most === Number.POSITIVE_INFINITY ? 'on' : `to ${most}`} is allowed; found ${shown(value)}`,
      );
  }
  const left = typeof x === 'number' ? x : 0;
  if (typeof width === 'number' && left + width > COLUMNS)
    report(`${path}/width`, `The grid has ${COLUMNS} columns; the widget ends at ${left + width}`);
  if ((x === undefined) !== (y === undefined)) report(path, 'x and y are allowed together only');
  if (!isFields(properties)) {
    report(`${path}/properties`, 'An object is required');
    return 0;
  }
  const inside = `${path}/properties`;
  if (type === 'text' && typeof properties.markdown !== 'string')
    report(`${inside}/markdown`, `A text is required; found ${shown(properties.markdown)}`);
  if (type === 'alarm') checkAlarms(properties.alarms, `${inside}/alarms`, report);
  return type === 'metric' ? checkMetrics(properties, inside, report) : 0;
}

function checkAlarms(alarms: unknown, path: string, report: Report): undefined {
  if (!Array.isArray(alarms)) return report(path, 'A list of the ARNs of alarms is required');
  if (alarms.length > MOST_ALARMS) report(path, `${MOST_ALARMS} alarms are allowed; found ${alarms.length}`);
  for (const [index, arn] of alarms.entries())
    if (typeof arn !== 'string' || !arn.startsWith('arn:'))
      report(`${path}/${index}`, `The ARN of an alarm is required; found ${shown(arn)}`);
}

function checkMetrics(properties: Fields, path: string, report: Report): number {
  const { metrics, annotations, view, period } = properties;
  if (view !== undefined && !VIEWS.includes(view as string))
    report(`${path}/view`, `One of ${VIEWS.join(', ')} is allowed; found ${shown(view)}`);
  checkPeriod(period, `${path}/period`, report);
  const horizontal = isFields(annotations) ? annotations.horizontal : undefined;
  if (Array.isArray(horizontal))
    for (const [index, line] of horizontal.flat().entries())
      if (!isFields(line) || typeof line.value !== 'number')
        report(`${path}/annotations/horizontal/${index}`, 'A line needs a number as its value');
  if (metrics === undefined) {
    if (!isFields(annotations) || !Array.isArray(annotations.alarms))
      report(path, 'A metric widget needs metrics, or an alarm in its annotations');
    return 0;
  }
  if (!Array.isArray(metrics)) {
    report(`${path}/metrics`, 'A list is required');
    return 0;
  }
  const ids = new Set<string>();
  let count = 0;
  for (const [index, metric] of metrics.entries()) {
    const at = `${path}/metrics/${index}`;
    if (!Array.isArray(metric) || metric.length === 0) {
      report(at, `A list is required; found ${shown(metric)}`);
      continue;
    }
    const last: unknown = metric.at(-1);
    const options = isFields(last) ? last : {};
    const names = isFields(last) ? metric.slice(0, -1) : metric;
    if (typeof options.expression !== 'string') {
      count += 1;
      if (names.some((name) => typeof name !== 'string') || (names.length < 2 && names[0] !== '...'))
        report(
          at,
          `A namespace, a metric's name and pairs of dimensions are required; found ${shown(names)}`,
        );
      // "..." stands for what the metric before has.
      else if (!names.includes('...') && names.length % 2 !== 0)
        report(at, `A dimension needs a name and a value; found ${shown(names.slice(2))}`);
    } else if (names.length > 0) report(at, 'An expression has neither namespace nor name');
    checkPeriod(options.period, `${at}/period`, report);
    if (options.id === undefined) continue;
    if (typeof options.id !== 'string' || !ID.test(options.id))
      report(`${at}/id`, `An id starts with a lower-case letter; found ${shown(options.id)}`);
    else if (ids.has(options.id)) report(`${at}/id`, `The id ${shown(options.id)} is used twice`);
    else ids.add(options.id);
  }
  if (count > MOST_METRICS_OF_WIDGET)
    report(`${path}/metrics`, `${MOST_METRICS_OF_WIDGET} metrics are allowed; found ${count}`);
  return count;
}

/** CloudWatch API reference, "MetricStat": 1, 5, 10, 20, 30 s or a multiple of 60 s. */
function checkPeriod(period: unknown, path: string, report: Report): void {
  if (period === undefined) return;
  const seconds = Number(period);
  if ([1, 5, 10, 20, 30].includes(seconds) || (seconds >= 60 && seconds % 60 === 0)) return;
  report(path, `1, 5, 10, 20, 30 or a multiple of 60 seconds is allowed; found ${shown(period)}`);
}

function checkVariables(variables: unknown, report: Report): undefined {
  if (!Array.isArray(variables)) return report('/variables', 'A list is required');
  const ids = new Set<unknown>();
  for (const [index, variable] of variables.entries()) {
    const path = `/variables/${index}`;
    if (!isFields(variable)) {
      report(path, `An object is required; found ${shown(variable)}`);
      continue;
    }
    const { id, type, inputType, values, search, populateFrom } = variable;
    if (typeof id !== 'string' || id === '') report(`${path}/id`, `A text is required; found ${shown(id)}`);
    else if (ids.has(id)) report(`${path}/id`, `The id ${shown(id)} is used twice`);
    ids.add(id);
    if (type !== 'property' && type !== 'pattern')
      report(`${path}/type`, `property or pattern is allowed; found ${shown(type)}`);
    else if (typeof variable[type] !== 'string' || variable[type] === '')
      report(`${path}/${type}`, `A text is required; found ${shown(variable[type])}`);
    else if (type === 'pattern' && !isPattern(String(variable.pattern)))
      report(`${path}/pattern`, `A regular expression is required; found ${shown(variable.pattern)}`);
    if (!INPUT_TYPES.includes(inputType as string))
      report(`${path}/inputType`, `One of ${INPUT_TYPES.join(', ')} is allowed; found ${shown(inputType)}`);
    else if (inputType !== 'input' && !Array.isArray(values) && typeof search !== 'string')
      report(path, `A variable with ${inputType} needs values or a search`);
    if (search !== undefined && typeof populateFrom !== 'string')
      report(`${path}/populateFrom`, 'A search needs the dimension that its values are of');
  }
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
