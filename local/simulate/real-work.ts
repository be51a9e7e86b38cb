import { createHook } from 'node:async_hooks';
import { currentPlace, type Place } from './place.ts';
import { watchRequests } from './requests.ts';

/** Something that the machine itself does for the code of an environment, in real time. */
export interface RealWork {
  readonly place: Place;
  /** For people: `GET http://127.0.0.1:8025/`, `a file`. */
  readonly what: string;
  /** Whether the clock has to wait for it now. */
  holds(): boolean;
}

/** The longest timer of the machine that the clock waits for, milliseconds: longer ones are those of libraries, for their own ends. */
const longestTimer = 1_000;

/** What ends by itself, by the names that Node gives it (`async_hooks`, "type"): over with its first callback. */
const kinds: readonly (readonly [type: RegExp, what: string])[] = [
  [/^(FSREQ|FILEHANDLECLOSEREQ)/, 'a file'],
  [/^(GETADDRINFO|GETNAMEINFO)REQWRAP$|^QUERYWRAP$/, 'a name looked up (DNS)'],
  [/^PROCESSWRAP$/, 'a child process'],
  [/^ZLIB$/, 'a compression'],
  [/^Immediate$/, 'setImmediate'],
  [/^(?!HTTP).*REQUEST$/, 'a computation of node:crypto'],
];
const connecting = /^(TCP|PIPE)CONNECTWRAP$/;
/** Over when Node frees it. */
const exchange = 'HTTPCLIENTREQUEST';

interface Entry extends RealWork {
  readonly ends: 'with its first callback' | 'when it is freed';
  /** Called with the first callback. */
  readonly done?: () => void;
}

const open = new Map<number | object, Entry>();

/** What the machine is doing for environments that `whose` names. */
export const realWork = (whose: (place: Place) => boolean): RealWork[] =>
  [...open.values()].filter(({ place }) => whose(place));

let users = 0;
let unwatch = () => {};

const hook = createHook({
  init(id, type, _trigger, resource) {
    const place = currentPlace();
    if (place === undefined || type === 'PROMISE') return;
    const entry = entryOf(place, type, resource);
    if (entry !== undefined) open.set(id, entry);
  },
  after(id) {
    const entry = open.get(id);
    if (entry?.ends !== 'with its first callback') return;
    open.delete(id);
    entry.done?.();
  },
  destroy: (id) => void open.delete(id),
});

function entryOf(place: Place, type: string, resource: object): Entry | undefined {
  if (type === 'Timeout') return machineTimer(place, resource);
  if (type === exchange) return { place, what: 'a request of HTTP', holds: always, ends: 'when it is freed' };
  if (connecting.test(type)) return connection(place, resource);
  const what = kinds.find(([each]) => each.test(type))?.[1];
  return what === undefined ? undefined : { place, what, holds: always, ends: 'with its first callback' };
}

const always = () => true;

/** Begins to watch; the returned call ends it, with the last simulation that watches. */
export function watchRealWork(): () => void {
  if (users++ === 0) {
    hook.enable();
    unwatch = watchRequests({
      begin: (key, place, what) => open.set(key, { place, what, holds: always, ends: 'when it is freed' }),
      end: (key) => open.delete(key),
    });
  }
  return () => {
    if (--users > 0) return;
    hook.disable();
    unwatch();
    open.clear();
  };
}

/** A timer that code set by a function it took hold of before the simulation; Node's own are not waited for (`unref`). */
function machineTimer(place: Place, resource: object): Entry {
  const timer = resource as { readonly _idleTimeout?: number; hasRef?(): boolean };
  const length = timer._idleTimeout ?? 0;
  return {
    place,
    what: `a timer of the machine (${length} ms), set by a function that was taken hold of before the simulation began`,
    holds: () => timer.hasRef?.() === true && length <= longestTimer,
    ends: 'with its first callback',
  };
}

/** A connection. One that no request of HTTP opens is refused: when it has answered, only the code behind it knows. */
function connection(place: Place, resource: object): Entry {
  // Node fills in where it goes after this was made.
  const where = () =>
    ['address', 'port']
      .flatMap((name) => (Reflect.get(resource, name) as string | number | undefined) ?? [])
      .join(':');
  return {
    place,
    get what() {
      return `a connection to ${where()}`;
    },
    holds: always,
    ends: 'with its first callback',
    done() {
      const isExchange = (each: Entry) => each.place === place && each.ends === 'when it is freed';
      if (![...open.values()].some(isExchange)) place.fail(rawConnection(place, where()));
    },
  };
}

const rawConnection = (place: Place, where: string): Error =>
  new Error(
    `The handler of "${place.subscriber}" opened a connection to ${where}. When such a connection has answered ` +
      'cannot be seen from outside, so the virtual clock would run on beside it. Give the handler a stand-in for ' +
      'what it talks to; requests of fetch and node:http are waited for.',
  );
