export { namesIn, refusedInAlarm, type Shape, shape } from './check.ts';
export { evaluate, type Names } from './evaluate.ts';
export { type Expression, ExpressionError, parseExpression } from './syntax.ts';
export { emptySeries, type Grid, isList, type TimeSeries, type Value } from './values.ts';
