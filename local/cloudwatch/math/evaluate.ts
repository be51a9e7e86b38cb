import { ArgumentError, type Filling, FUNCTIONS, fill } from './functions.ts';
import { type Expression, ExpressionError } from './syntax.ts';
import { type Grid, isList, mapSeries, operate, type TimeSeries, type Value } from './values.ts';

/** Where an expression finds what it names. */
export interface Names {
  /** The metric or expression of that id; `undefined` when there is none. */
  value(id: string): Value | undefined;
  /** All metrics (not expressions) whose id holds the text, for METRICS(). */
  metrics(filter: string): readonly TimeSeries[];
}

/**
 * Evaluates an expression over a grid.
 *
 * @throws ExpressionError for an unknown id or function, or a wrong argument
 */
export function evaluate(expression: Expression, names: Names, grid: Grid): Value {
  const run = (node: Expression): Value => {
    switch (node.kind) {
      case 'number':
        return node.value;
      case 'text':
        throw new ExpressionError(`The text '${node.value}' is no value`);
      case 'name': {
        const value = names.value(node.name);
        if (value === undefined)
          throw new ExpressionError(`There is no metric or expression with the id '${node.name}'`);
        return value;
      }
      case 'list':
        return node.items.flatMap((item) => {
          const value = run(item);
          if (typeof value === 'number') throw new ExpressionError('A list holds metrics, not numbers');
          return isList(value) ? [...value] : [value];
        });
      case 'negative': {
        const value = run(node.operand);
        if (typeof value === 'number') return -value;
        return isList(value)
          ? value.map((one) => mapSeries(one, (point) => -point))
          : mapSeries(value, (point) => -point);
      }
      case 'binary': {
        const value = operate(node.operator, run(node.left), run(node.right));
        if (value === undefined)
          throw new ExpressionError(`'${node.operator}' does not combine two lists of metrics`);
        return value;
      }
      case 'call':
        return call(node.name, node.arguments);
    }
  };

  const call = (name: string, given: readonly Expression[]): Value => {
    if (name === 'METRICS') {
      const filter = given[0];
      if (given.length > 1 || (filter !== undefined && filter.kind !== 'text'))
        throw new ExpressionError('METRICS takes a text that the ids hold, or nothing');
      return names.metrics(filter?.value ?? '');
    }
    if (name === 'FILL') return fillCall(given);
    const implementation = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (implementation === undefined)
      throw new ExpressionError(
        `The function '${name}' is not known; the local model has FILL, METRICS, ${Object.keys(FUNCTIONS).join(', ')}`,
      );
    try {
      return implementation(given.map(run), grid);
    } catch (error) {
      if (error instanceof ArgumentError)
        throw new ExpressionError(`${name} ${error.message}`, { cause: error });
      throw error;
    }
  };

  const fillCall = ([target, filling, ...more]: readonly Expression[]): Value => {
    const value = target === undefined ? undefined : run(target);
    if (value === undefined || typeof value === 'number' || filling === undefined || more.length > 0)
      throw new ExpressionError('FILL takes a metric, and a number, a metric, REPEAT or LINEAR');
    const by: Filling | readonly TimeSeries[] =
      filling.kind === 'name' && (filling.name === 'REPEAT' || filling.name === 'LINEAR')
        ? filling.name
        : run(filling);
    if (typeof by === 'object' && !(by instanceof Float64Array))
      throw new ExpressionError('FILL fills from one metric, not from a list');
    return isList(value) ? value.map((one) => fill(one, by)) : fill(value, by);
  };

  return run(expression);
}
