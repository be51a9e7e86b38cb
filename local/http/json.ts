/**
 * An answer as AWS JSON: bytes become base64 and dates seconds since 1970, which JSON.stringify would write
 * otherwise. Most answers hold neither, so a walk finds out before anything is copied.
 */
export function toJson(output: object): string {
  return JSON.stringify(isSpecial(output) ? convert(output) : output);
}

function isSpecial(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isSpecial(value[index])) return true;
    return false;
  }
  if (value instanceof Uint8Array || value instanceof Date) return true;
  for (const name in value) if (isSpecial((value as Record<string, unknown>)[name])) return true;
  return false;
}

function convert(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(convert);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convert(inner)]));
}

/** Bytes as base64, without a copy. */
export const base64 = (value: Uint8Array): string =>
  Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
