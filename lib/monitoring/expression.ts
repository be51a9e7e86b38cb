/** What an expression of metric math gives: an alarm takes one series. */
export type Shape = 'number' | 'series' | 'list';

/** An expression, read as far as an alarm cares. */
export interface ReadExpression {
  readonly shape: Shape;
  /** The ids that it names. */
  readonly names: readonly string[];
  /** Why an alarm cannot have it. */
  readonly refusals: readonly string[];
}

/** CloudWatch user guide, "Using metric math": functions that give a series of a series, a number too where they take one. */
const pointwise = ['ABS', 'CEIL', 'DIFF', 'DIFF_TIME', 'FILL', 'FLOOR', 'IF', 'LOG', 'LOG10', 'RATE'];
/** Of a list they give a series; of one series a number, which no alarm takes. */
const reducing = ['AVG', 'MAX', 'MIN', 'STDDEV', 'SUM'];
const refused = ['DATAPOINT_COUNT', 'REMOVE_EMPTY', 'RUNNING_SUM', 'SEARCH'];
/** What FILL takes besides values. */
const fillings = ['REPEAT', 'LINEAR'];

const token = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|\|\||&&|[<>=!]=|[-+*/^<>(),[\]])/y;
const operators = ['+', '-', '*', '/', '^', '<', '>', '<=', '>=', '==', '!=', 'AND', 'OR', '&&', '||'];
const isWord = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z_]/.test(text);

/** Reads an expression of metric math. It is judged, not computed: the order of operators plays no part. */
export function readExpression(text: string): ReadExpression {
  const names = new Set<string>();
  const refusals: string[] = [];
  const tokens = tokensOf(text, refusals);
  let at = 0;
  const expect = (sign: string) => {
    if (tokens[at] === sign) at += 1;
    else stop(`"${sign}"`);
  };
  const stop = (wanted: string): never => {
    throw new Unreadable(
      `${wanted} was expected where it has ${tokens[at] === undefined ? 'its end' : `"${tokens[at]}"`}`,
    );
  };
  const list = (close: string): Shape[] => {
    const shapes: Shape[] = [];
    while (tokens[at] !== close) {
      if (shapes.length > 0) expect(',');
      shapes.push(whole());
    }
    at += 1;
    return shapes;
  };
  const call = (name: string, given: readonly Shape[]): Shape => {
    if (refused.includes(name)) refusals.push(`${name} is not allowed in alarms`);
    else if (reducing.includes(name)) {
      if (given[0] === 'list') return 'series';
      refusals.push(`${name} of one series is not allowed in alarms: give it a list, ${name}([a, b])`);
    } else if (name === 'TIME_SERIES') return 'series';
    else if (name === 'PERIOD') {
      if (given[0] !== 'series') refusals.push('PERIOD takes a metric');
      return 'number';
    } else if (!pointwise.includes(name)) refusals.push(`no function of alarms is named ${name}`);
    return widest(given);
  };
  const operand = (): Shape => {
    const text = tokens[at];
    at += 1;
    if (text === '-') return operand();
    if (text === '(') {
      const inner = whole();
      expect(')');
      return inner;
    }
    if (text === '[') return list(']').length === 0 ? stop('a metric') : 'list';
    if (isWord(text) && !operators.includes(text)) {
      if (tokens[at] === '(') {
        at += 1;
        return call(text, list(')'));
      }
      if (fillings.includes(text)) return 'number';
      names.add(text);
      return 'series';
    }
    if (text !== undefined && /^\d/.test(text)) return 'number';
    at -= 1;
    return stop('a number, an id, a function or a bracket');
  };
  const whole = (): Shape => {
    const shapes = [operand()];
    while (operators.includes(tokens[at] ?? '')) {
      at += 1;
      shapes.push(operand());
    }
    return widest(shapes);
  };

  let shape: Shape = 'number';
  try {
    if (refusals.length === 0) {
      shape = whole();
      if (at < tokens.length) stop('an operator or its end');
      if (shape !== 'series') refusals.push(`it gives ${shape === 'list' ? 'several series' : 'a number'}`);
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    refusals.push(error.message);
  }
  return { shape, names: [...names], refusals };
}

class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

function tokensOf(text: string, refusals: string[]): string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  token.lastIndex = 0;
  let read = 0;
  while (read < end) {
    const found = token.exec(text)?.[1];
    if (found === undefined) {
      refusals.push(`"${text.slice(read).trim()}" is not understood`);
      return tokens;
    }
    tokens.push(found);
    read = token.lastIndex;
  }
  return tokens;
}

const widest = (shapes: readonly Shape[]): Shape =>
  shapes.includes('list') ? 'list' : shapes.includes('series') ? 'series' : 'number';
