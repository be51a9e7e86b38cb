/**
 * Cleans texts of what an event carries. Errors quote what they choke on: a schema's issue the value, a parser the
 * text, a client its request. Such a text is kept in the record, on the dead letter and in the log, where payloads do
 * not belong.
 */
export type Redact = (text: string) => string;

/** What stands where payload was. */
export const marker = '[data]';

/** Of a text: what is longer is quoting something, and nobody reads on. */
const mostText = 65_536;
/** Shorter strings and numbers are words and counts that occur everywhere, and name nobody. */
const shortestString = 4;
const fewestDigits = 5;
/** Of a longer value its beginning alone is recognized too: errors cut what they quote. */
const enoughOfIt = 16;
/** Comparisons and characters: some 50 ms. What would need more is withheld as a whole. */
const mostSteps = 8_000_000;

/**
 * Makes the cleaner of one message. The body is read and its values are gathered at the first text, since most
 * messages never fail.
 *
 * @param body - the message's body as it came
 * @param data - the event's data as the handler got them: a schema may have changed them
 */
export function createRedactor(body: string, data?: unknown): Redact {
  let values: ReadonlySet<string> | undefined;
  return (text) => {
    if (text === '') return text;
    values ??= valuesOf(body, data);
    return withoutQuotes(text.length > mostText ? cutClean(text, values) : clean(text, values));
  };
}

/** A text that is cut may end in the beginning of a value, too short to be recognized: its end goes too. */
const cutClean = (text: string, values: ReadonlySet<string>): string =>
  `${clean(text.slice(0, mostText), values).slice(0, -enoughOfIt)}…`;

/** What V8's `JSON.parse` says quotes up to ten characters on either side of where it stopped. */
const withoutQuotes = (text: string): string =>
  text
    .replace(/(\.\.\.)?"[\s\S]{0,60}"(\.\.\.)? is not valid JSON/g, `${marker} is not valid JSON`)
    .replace(/Unexpected token [\s\S]{1,4}, \[data\]/g, `Unexpected token in ${marker}`);

/**
 * Every character that belongs to an occurrence of a value is marked, then each run of marks is replaced: so it does
 * not matter which value comes first, and values may overlap. Occurrences are found by their first four characters.
 */
function clean(text: string, values: ReadonlySet<string>): string {
  const places = new Map<string, number[]>();
  for (let place = 0; place + shortestString <= text.length; place++) {
    const start = text.slice(place, place + shortestString);
    const known = places.get(start);
    if (known === undefined) places.set(start, [place]);
    else known.push(place);
  }
  const marked = new Uint8Array(text.length);
  let steps = 0;
  for (const value of values) {
    for (const place of places.get(value.slice(0, shortestString)) ?? []) {
      const length = sharedLength(text, place, value);
      steps += 1 + length;
      if (steps > mostSteps) return marker;
      if (length === value.length || length >= enoughOfIt) marked.fill(1, place, place + length);
    }
  }
  if (steps === 0) return text;
  let result = '';
  for (let place = 0; place < text.length; place++)
    if (marked[place] === 0) result += text[place];
    else if (place === 0 || marked[place - 1] === 0) result += marker;
  return result;
}

function sharedLength(text: string, place: number, value: string): number {
  if (text.startsWith(value, place)) return value.length;
  const most = Math.min(value.length, text.length - place);
  let length = shortestString;
  while (length < most && text.charCodeAt(place + length) === value.charCodeAt(length)) length++;
  return length;
}

/**
 * The body itself, and every value in it and in the data. Without recursion, since a body may be nested deeply; each
 * object once, since a schema may have made circles.
 */
function valuesOf(body: string, data: unknown): ReadonlySet<string> {
  const values = new Set<string>();
  const add = (text: string) => {
    if (text.length < shortestString) return;
    values.add(text);
    const escaped = JSON.stringify(text).slice(1, -1);
    if (escaped !== text) values.add(escaped);
  };
  add(body);
  const open: unknown[] = [data, ...carried(body)];
  const seen = new Set<object>();
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'object' && value !== null) {
      if (seen.has(value)) continue;
      seen.add(value);
    }
    if (typeof value === 'string') add(value);
    else if (typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value);
      if (text.replace(/\D/g, '').length >= fewestDigits) values.add(text);
    } else if (value instanceof Date) {
      if (!Number.isNaN(value.getTime())) add(value.toISOString());
    } else if (value instanceof Map || value instanceof Set) {
      for (const member of value.values()) open.push(member);
      if (value instanceof Map) for (const key of value.keys()) open.push(key);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        open.push(member);
        // A name that no program would give to a member is data: a list of people by their addresses.
        if (!Array.isArray(value) && !memberName.test(name)) add(name);
      }
    }
  }
  return values;
}

const memberName = /^[A-Za-z_$][\w$-]*$/;

/** What a body carries: an envelope's data, or all of what is no envelope. */
function carried(body: string): unknown[] {
  const parsed = parse(body);
  const { Type, Message } = (parsed ?? {}) as { Type?: unknown; Message?: unknown };
  const inner = Type === 'Notification' && typeof Message === 'string' ? [Message, parse(Message)] : [parsed];
  return inner.map((value) =>
    (value as { specversion?: unknown } | null | undefined)?.specversion === '1.0'
      ? (value as { data?: unknown }).data
      : value,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON: then the text itself is all there is to look for.
    return undefined;
  }
}
