import type { Expression } from './syntax.ts';

// CloudWatch user guide, "Using metric math": not allowed in alarms.
const NOT_IN_ALARMS = new Set(['SEARCH', 'RUNNING_SUM', 'REMOVE_EMPTY', 'DATAPOINT_COUNT']);
/** Of one series these give a number, which an alarm cannot watch; of a list they give a series. */
const REDUCING = new Set(['AVG', 'MIN', 'MAX', 'SUM', 'STDDEV']);

/** What an expression gives, as far as its text tells. */
export type Shape = 'number' | 'series' | 'list';

/** The shape of an expression; `shapeOf` tells that of the ids it names. */
export function shape(expression: Expression, shapeOf: (id: string) => Shape): Shape {
  switch (expression.kind) {
    case 'number':
    case 'text':
      return 'number';
    case 'name':
      return shapeOf(expression.name);
    case 'list':
      return 'list';
    case 'negative':
      return shape(expression.operand, shapeOf);
    case 'binary':
      return widest([shape(expression.left, shapeOf), shape(expression.right, shapeOf)]);
    case 'call': {
      const shapes = expression.arguments.map((one) => shape(one, shapeOf));
      if (expression.name === 'METRICS') return 'list';
      if (expression.name === 'TIME_SERIES') return 'series';
      if (expression.name === 'PERIOD' || expression.name === 'DATAPOINT_COUNT') return 'number';
      if (REDUCING.has(expression.name)) return shapes[0] === 'list' ? 'series' : 'number';
      return widest(shapes);
    }
  }
}

/** Why an expression cannot be watched by an alarm; `undefined` when it can. */
export function refusedInAlarm(expression: Expression, shapeOf: (id: string) => Shape): string | undefined {
  switch (expression.kind) {
    case 'list':
      return first(expression.items, shapeOf);
    case 'negative':
      return refusedInAlarm(expression.operand, shapeOf);
    case 'binary':
      return first([expression.left, expression.right], shapeOf);
    case 'call': {
      const { name, arguments: given } = expression;
      if (NOT_IN_ALARMS.has(name)) return `${name} is not allowed in alarms`;
      if (REDUCING.has(name) && given[0] !== undefined && shape(given[0], shapeOf) !== 'list')
        return `${name} of a single time series is not allowed in alarms: give it a list, as in ${name}([m1, m2])`;
      return first(given, shapeOf);
    }
    default:
      return undefined;
  }
}

/** The ids that an expression names. */
export function namesIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'name':
      return expression.name === 'REPEAT' || expression.name === 'LINEAR' ? [] : [expression.name];
    case 'list':
      return expression.items.flatMap(namesIn);
    case 'negative':
      return namesIn(expression.operand);
    case 'binary':
      return [...namesIn(expression.left), ...namesIn(expression.right)];
    case 'call':
      return expression.arguments.flatMap(namesIn);
    default:
      return [];
  }
}

function first(expressions: readonly Expression[], shapeOf: (id: string) => Shape): string | undefined {
  for (const expression of expressions) {
    const reason = refusedInAlarm(expression, shapeOf);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const widest = (shapes: readonly Shape[]): Shape =>
  shapes.includes('list') ? 'list' : shapes.includes('series') ? 'series' : 'number';
