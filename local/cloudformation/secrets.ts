import type { ParameterValues } from './parameters.ts';
import { isObject } from './template.ts';

/** In place of a value that nobody is to see. */
export const masked = '****';

/**
 * A value without the values of NoEcho parameters, wherever they stand in its texts. It is taken before anything is
 * written as JSON, where a secret with a quotation mark would look otherwise.
 */
export function withoutSecrets<Value>(value: Value, ...parameters: readonly ParameterValues[]): Value {
  const secrets = parameters
    .flatMap((values) => [...values.values()])
    .flatMap((each) => (each.secret ? [each.given, ...[each.value].flat()] : []))
    .filter((secret) => secret !== '')
    // One may be a part of another.
    .sort((left, right) => right.length - left.length);
  return secrets.length === 0 ? value : (mask(value, secrets) as Value);
}

function mask(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string')
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, masked), value);
  if (typeof value === 'number') return secrets.includes(String(value)) ? masked : value;
  if (Array.isArray(value)) return value.map((entry) => mask(entry, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, mask(entry, secrets)]));
}
