/** The body of a dashboard as CloudWatch keeps it: nothing is sure but that it is an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value has fields. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/**
 * Puts the value of a property variable into a body: into every property of that name, and into every dimension of that
 * name in the lists of metrics. A number stays a number.
 */
export function setProperty(value: unknown, property: string, chosen: string): unknown {
  if (Array.isArray(value))
    return value.map((each, index) =>
      // A list of a metric: namespace, name, then dimensions in pairs.
      typeof each === 'string' && index >= 3 && index % 2 === 1 && value[index - 1] === property
        ? chosen
        : setProperty(each, property, chosen),
    );
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name !== property || isFields(each) || Array.isArray(each)
        ? setProperty(each, property, chosen)
        : typeof each === 'number'
          ? Number(chosen)
          : chosen,
    ]),
  );
}

/** Puts the value of a pattern variable into the texts of a body. */
export function replacePattern(value: unknown, pattern: RegExp, chosen: string): unknown {
  if (typeof value === 'string') return value.replace(pattern, () => chosen);
  if (Array.isArray(value)) return value.map((each) => replacePattern(each, pattern, chosen));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replacePattern(each, pattern, chosen)]),
  );
}

const unitMs = { M: 30 * 86_400_000, W: 7 * 86_400_000, D: 86_400_000 } as const;
const timeMs = { H: 3_600_000, M: 60_000, S: 1_000 } as const;

/**
 * Milliseconds of a length such as `PT3H`, `P1D` or, as dashboards write how far they reach back, `-P3M`; nothing when it
 * is none.
 */
export function lengthOf(text: string): number | undefined {
  const match = /^-?P(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(text);
  if (match === null) return undefined;
  const [, months, weeks, days, hours, minutes, seconds] = match.map((part) => Number(part ?? 0));
  const length =
    months! * unitMs.M +
    weeks! * unitMs.W +
    days! * unitMs.D +
    hours! * timeMs.H +
    minutes! * timeMs.M +
    seconds! * timeMs.S;
  return length > 0 ? length : undefined;
}

const columns = 24;

/**
 * Where widgets lie: as far up as those before them let them, as CloudWatch moves them. One without a place stands to
 * the right of the one before, or begins a line.
 */
export function placesOf(
  widgets: readonly Fields[],
): { x: number; y: number; width: number; height: number }[] {
  const free = { x: 0, y: 0 };
  const wanted = widgets.map((widget, index) => {
    const width = Math.min(columns, numberOf(widget.width) ?? 6);
    const height = numberOf(widget.height) ?? 6;
    if (numberOf(widget.x) === undefined && free.x + width > columns) {
      free.x = 0;
      free.y += 1;
    }
    const x = Math.min(columns - width, numberOf(widget.x) ?? free.x);
    const y = numberOf(widget.y) ?? free.y;
    free.x = x + width;
    free.y = y;
    return { index, x, y, width, height };
  });
  const filled = new Array<number>(columns).fill(0);
  const places = new Array<{ x: number; y: number; width: number; height: number }>(widgets.length);
  for (const { index, x, width, height } of [...wanted].sort((a, b) => a.y - b.y || a.x - b.x)) {
    const y = Math.max(...filled.slice(x, x + width));
    filled.fill(y + height, x, x + width);
    places[index] = { x, y, width, height };
  }
  return places;
}
