import { validation } from './errors.ts';

/**
 * Numbers of DynamoDB: decimals of up to 38 significant digits, from 1E-130 to
 * 9.9999999999999999999999999999999999999E+125 in magnitude (DynamoDB developer guide, naming rules and data
 * types). They are kept as plain decimal text, the form in which the service gives them back.
 */
const maximumDigits = 38;
const largestExponent = 125;
const smallestExponent = -130;

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
// Most numbers are counters and moments: an integer without leading zeros is canonical already.
const plainInteger = /^(?:0|-?[1-9]\d{0,36})$/;

interface Decimal {
  readonly digits: bigint;
  /** The value is digits x 10^-scale. */
  readonly scale: number;
}

/**
 * The canonical text of a number: no leading or trailing zeros, no exponent, `-0` as `0`.
 *
 * @throws ValidationException when the text is no number, too long, too large or too small
 */
export function canonicalNumber(text: string): string {
  if (typeof text !== 'string') throw validation('The parameter cannot be converted to a numeric value');
  if (plainInteger.test(text)) return text;
  const match = shape.exec(text);
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match ?? [];
  if (match === null || whole.length + fraction.length === 0)
    throw validation(
      text === ''
        ? 'The parameter cannot be converted to a numeric value'
        : `The parameter cannot be converted to a numeric value: ${text}`,
    );
  const all = whole + fraction;
  const start = all.search(/[1-9]/);
  if (start === -1) return '0';
  let end = all.length;
  while (all.charCodeAt(end - 1) === 48) end--;
  const significant = all.slice(start, end);
  if (significant.length > maximumDigits)
    throw validation('Attempting to store more than 38 significant digits in a Number');
  // The exponent of the first significant digit, as in scientific notation.
  const magnitude = whole.length - 1 - start + Number(exponentText);
  if (magnitude > largestExponent)
    throw validation(
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    );
  if (magnitude < smallestExponent)
    throw validation(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  return (sign === '-' ? '-' : '') + plainText(significant, magnitude);
}

function plainText(significant: string, magnitude: number): string {
  if (magnitude < 0) return `0.${'0'.repeat(-magnitude - 1)}${significant}`;
  const wholeDigits = magnitude + 1;
  if (significant.length <= wholeDigits) return significant.padEnd(wholeDigits, '0');
  return `${significant.slice(0, wholeDigits)}.${significant.slice(wholeDigits)}`;
}

/**
 * Compares two canonical numbers exactly. Rounding to a double never swaps two decimals, so that only those
 * with the same double need their digits compared.
 */
export function compareNumbers(a: string, b: string): number {
  if (a === b) return 0;
  const difference = Number(a) - Number(b);
  if (difference !== 0) return difference;
  const left = decimal(a);
  const right = decimal(b);
  const scale = Math.max(left.scale, right.scale);
  const first = rescale(left, scale);
  const second = rescale(right, scale);
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The exact sum of two canonical numbers, as canonical text. */
export function addNumbers(a: string, b: string): string {
  return total(a, b, 1);
}

/** The exact difference of two canonical numbers, as canonical text. */
export function subtractNumbers(a: string, b: string): string {
  return total(a, b, -1);
}

function total(a: string, b: string, sign: 1 | -1): string {
  // Up to 15 digits, doubles hold integers and their sums exactly.
  if (a.length <= 15 && b.length <= 15 && !a.includes('.') && !b.includes('.')) {
    return String(Number(a) + sign * Number(b) + 0);
  }
  const left = decimal(a);
  const right = decimal(b);
  const scale = Math.max(left.scale, right.scale);
  const sum = rescale(left, scale) + BigInt(sign) * rescale(right, scale);
  return canonicalNumber(`${sum}e${-scale}`);
}

function decimal(text: string): Decimal {
  const point = text.indexOf('.');
  if (point === -1) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

const rescale = (value: Decimal, scale: number): bigint =>
  scale === value.scale ? value.digits : value.digits * 10n ** BigInt(scale - value.scale);

/** How many bytes a number takes: a byte for two digits and one more, one for a sign (developer guide, item sizes). */
export function numberSize(text: string): number {
  let digits = 0;
  let first = -1;
  let last = -1;
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code < 48 || code > 57) continue;
    digits++;
    if (code === 48) continue;
    if (first === -1) first = digits;
    last = digits;
  }
  const significant = first === -1 ? 1 : last - first + 1;
  return Math.ceil(significant / 2) + 1 + (text.charCodeAt(0) === 45 ? 1 : 0);
}
