import { createHook } from 'node:async_hooks';
import { currentPlace, type Invocation, type Place } from './place.ts';
import { watchRequests } from './requests.ts';

/** Something that the machine itself does for the code of an environment, in real time. */
export interface RealWork {
  readonly place: Place;
  /** For people: `GET http://127.0.0.1:8025/`, `a file`. */
  readonly what: string;
  /** Whether the clock waits for it. */
  readonly holds: boolean;
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

interface Entry {
  readonly place: Place;
  /** The invocation that began it: what is left behind by one is waited for by none. */
  readonly invocation: Invocation | undefined;
  readonly what: () => string;
  readonly ends: 'with its first callback' | 'when it is freed';
  /** Whether it is waited for at all. */
  readonly counts?: () => boolean;
  /** Called with the first callback. */
  readonly done?: () => void;
}

const open = new Map<number | object, Entry>();

/** What the machine is doing for the running invocations of environments that `whose` names. */
export const realWork = (whose: (place: Place) => boolean): RealWork[] =>
  [...open.values()]
    .filter(({ place, invocation }) => whose(place) && place.invocation === invocation)
    .map(({ place, what, counts }) => ({ place, what: what(), holds: counts?.() ?? true }));

let users = 0;
let unwatch = () => {};

const hook = createHook({
  init(id, type, _trigger, resource) {
    const place = currentPlace();
    if (place?.invocation === undefined || type === 'PROMISE') return;
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

/** Begins to watch; the returned call ends it, with the last simulation that watches. */
export function watchRealWork(): () => void {
  if (users++ === 0) {
    hook.enable();
    unwatch = watchRequests({
      begin: (key, place, what) =>
        open.set(key, { place, invocation: place.invocation, what: () => what, ends: 'when it is freed' }),
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

function entryOf(place: Place, type: string, resource: object): Entry | undefined {
  const { invocation } = place;
  const once = (what: () => string): Entry => ({ place, invocation, what, ends: 'with its first callback' });
  if (type === 'Timeout') return { ...once(() => timerName(resource)), counts: () => isWaitedFor(resource) };
  if (type === exchange) return { ...once(() => 'a request of HTTP'), ends: 'when it is freed' };
  if (connecting.test(type)) {
    const done = () => {
      if (!speaksHttp(place)) place.fail(rawConnection(place, addressOf(resource)));
    };
    return { ...once(() => `a connection to ${addressOf(resource)}`), done };
  }
  const what = kinds.find(([each]) => each.test(type))?.[1];
  return what === undefined ? undefined : once(() => what);
}

interface MachineTimer {
  readonly _idleTimeout?: number;
  hasRef?(): boolean;
}

/** Timers that code set by a function it took hold of earlier. Node's own have no reference: nobody waits for them. */
const isWaitedFor = (timer: MachineTimer): boolean =>
  timer.hasRef?.() === true && (timer._idleTimeout ?? 0) <= longestTimer;
const timerName = ({ _idleTimeout: length }: MachineTimer): string =>
  `a timer of the machine (${length} ms), set by a function that was taken hold of before the simulation began`;

const speaksHttp = (place: Place): boolean =>
  [...open.values()].some((each) => each.place === place && each.ends === 'when it is freed');

/** Node fills in where a connection goes after it was made. */
const addressOf = ({ address, port }: { readonly address?: string; readonly port?: number }): string =>
  port === undefined ? `${address}` : `${address}:${port}`;

const rawConnection = (place: Place, where: string): Error =>
  new Error(
    `The handler of "${place.subscriber}" opened a connection to ${where}. When such a connection has answered ` +
      'cannot be seen from outside, so the virtual clock would run on beside it. Give the handler a stand-in for ' +
      'what it talks to; requests of fetch and node:http are waited for.',
  );
