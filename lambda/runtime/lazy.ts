/** How members are made: each at the first reading at the earliest. */
type Makers = Readonly<Record<string, () => unknown>>;

type Made<Lazy extends Makers> = { readonly [Name in keyof Lazy]: ReturnType<Lazy[Name]> };

const makersOf = Symbol('makers');

interface Holder {
  readonly [makersOf]: Makers;
}

/** One accessor for each name, shared by all objects. */
const accessors = new Map<string, PropertyDescriptor>();

function accessorOf(name: string): PropertyDescriptor {
  let accessor = accessors.get(name);
  if (accessor === undefined) {
    accessor = {
      // As if it were a plain member: `{ ...context }` has it too.
      enumerable: true,
      get(this: Holder) {
        return (this[makersOf][name] as () => unknown)();
      },
    };
    accessors.set(name, accessor);
  }
  return accessor;
}

/**
 * Adds members that are made when they are read. Written as accessors in an object literal each object would get
 * functions of its own, and with them a hidden class of its own, which only a full collection frees (measured: half
 * of the runtime's time for a message).
 */
export function withLazy<Eager extends object, Lazy extends Makers>(
  eager: Eager,
  makers: Lazy,
): Eager & Made<Lazy> {
  Object.defineProperty(eager, makersOf, { value: makers });
  for (const name of Object.keys(makers)) Object.defineProperty(eager, name, accessorOf(name));
  return eager as Eager & Made<Lazy>;
}
