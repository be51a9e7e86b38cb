/** Where the resources of a call are. */
export interface Place {
  readonly account: string;
  readonly region: string;
  /** The attribute that is the partition key of a table, when there is such a table. */
  readonly partitionKey?: (tableName: string) => string | undefined;
}

/** One thing that a call needs: an action of IAM on a resource. */
export interface Demand {
  readonly action: string;
  readonly resource: string;
  /** Condition keys of the request, made when a statement looks at them. */
  readonly conditions?: () => Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request as it comes: its members are looked at with care, since nothing has checked them yet. */
export type Input = Readonly<Record<string, unknown>>;

/**
 * What one action of a service needs: nothing at all, one thing, or several, each of which has to be allowed. `own`: the
 * service judges it by itself.
 */
export type Row = 'nothing' | 'own' | ((input: Input, place: Place) => Demand | readonly Demand[]);

/** The rows of a service by the names of its API's actions. */
export type Rows = Readonly<Record<string, Row>>;

/** A member that should be a text; `''` when it is none: the service refuses it for that. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A member that should be a list. */
export const entries = (value: unknown): readonly Input[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : [];

export const members = (value: unknown): Input =>
  typeof value === 'object' && value !== null ? (value as Input) : {};

/** Several actions with the same way to their resource, each needing the action of its own name. */
export const rowsFor = (
  service: string,
  actions: readonly string[],
  resource: (input: Input, place: Place) => string,
): Rows =>
  Object.fromEntries(
    actions.map((action) => {
      const name = `${service}:${action}`;
      return [action, (input: Input, place: Place) => ({ action: name, resource: resource(input, place) })];
    }),
  );

/** So many ARNs are remembered. */
const most = 10_000;

/** ARNs by what callers name resources by, each made once: one text for each is found again at once. */
export function rememberedArns(
  make: (name: string, place: Place) => string,
): (name: string, place: Place) => string {
  const places = new WeakMap<Place, Map<string, string>>();
  return (name, place) => {
    let arns = places.get(place);
    if (arns === undefined || arns.size > most) {
      arns = new Map();
      places.set(place, arns);
    }
    let arn = arns.get(name);
    if (arn === undefined) {
      arn = make(name, place);
      arns.set(name, arn);
    }
    return arn;
  };
}

/** An action that is about no resource. */
export const anything = (): string => '*';
