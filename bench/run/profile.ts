import { posix } from 'node:path';

/** A function in a profile, as the inspector gives it (Chrome DevTools Protocol, Profiler.ProfileNode). */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly children?: readonly number[];
}

/** A CPU profile (Chrome DevTools Protocol, Profiler.Profile). */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** Id of the function that was running, for each sample. */
  readonly samples?: readonly number[];
}

/**
 * What the samples of a profile add up to, in shares of those in which the thread was busy. Samples are counted, not
 * weighed by the time between them: on a shared machine a long time tells that the thread was not running at all.
 */
export interface Shares {
  /** Room or group, greatest first; they add up to 1. */
  readonly rooms: readonly (readonly [room: string, share: number])[];
  /** The functions whose own code took most, with where they are. */
  readonly functions: readonly { readonly name: string; readonly place: string; readonly share: number }[];
}

const collector = 'garbage collector';
const idle = 'idle';
/** Starting and stopping the profile: no part of the run. */
const profiler = 'profiler';
const native = 'native code outside of JavaScript';
const internals = 'Node internals';
const packages = 'packages (SDK codecs and others)';

/** What V8 names in brackets is no code. */
const special: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', collector],
  ['(idle)', idle],
  ['(program)', native],
  ['(root)', native],
]);

/**
 * The room of a file: `local/sqs` for what lies below that, the top folder for all else of ours.
 *
 * @param url - of the file, as a profile has it; empty for V8's own functions
 * @param root - of the checkout, as a file URL with a slash at its end
 * @returns `undefined` for V8's own functions, which belong to whoever called them
 */
export function roomOf(url: string, root: string): string | undefined {
  if (url === '') return undefined;
  if (/^node:(internal\/)?inspector/.test(url)) return profiler;
  if (url.startsWith('node:')) return internals;
  if (url.includes('/node_modules/')) return packages;
  if (!url.startsWith(root)) return 'other code';
  const [top, second, ...rest] = url.slice(root.length).split('/');
  return (top === 'local' || top === 'lib') && rest.length > 0 ? `${top}/${second}` : (top ?? '');
}

/**
 * Groups a profile by room. A sample counts for the function that was running itself; V8's own functions
 * (`JSON.parse`, `Map.get`) count for the nearest caller that lies in a file.
 *
 * @param placeOf - where a function is in its sources, for people
 */
export function sharesOf(
  profile: Profile,
  root: string,
  placeOf: (frame: ProfileNode['callFrame']) => string,
): Shares {
  const callers = new Map<number, ProfileNode>();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const node of profile.nodes) for (const child of node.children ?? []) callers.set(child, node);
  const owners = new Map<number, ProfileNode>();
  const ownerOf = (node: ProfileNode): ProfileNode => {
    const known = owners.get(node.id);
    if (known !== undefined) return known;
    const caller = callers.get(node.id);
    const own = node.callFrame.url !== '' || special.has(node.callFrame.functionName);
    const owner = own || caller === undefined ? node : ownerOf(caller);
    owners.set(node.id, owner);
    return owner;
  };

  const rooms = new Map<string, number>();
  const functions = new Map<string, { name: string; place: string; samples: number }>();
  let busy = 0;
  for (const id of profile.samples ?? []) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const { callFrame } = ownerOf(node);
    const room = special.get(callFrame.functionName) ?? roomOf(callFrame.url, root) ?? 'other code';
    if (room === idle || room === profiler) continue;
    busy += 1;
    rooms.set(room, (rooms.get(room) ?? 0) + 1);
    if (!callFrame.url.startsWith(root)) continue;
    const key = `${callFrame.url}:${callFrame.lineNumber}:${callFrame.columnNumber}`;
    const entry = functions.get(key);
    if (entry === undefined)
      functions.set(key, {
        name: callFrame.functionName || '(anonymous)',
        place: placeOf(callFrame),
        samples: 1,
      });
    else entry.samples += 1;
  }
  const share = (samples: number) => (busy === 0 ? 0 : samples / busy);
  return {
    rooms: [...rooms].map(([room, samples]) => [room, share(samples)] as const).sort((a, b) => b[1] - a[1]),
    functions: [...functions.values()]
      .sort((a, b) => b.samples - a.samples)
      .slice(0, 40)
      .map(({ name, place, samples }) => ({ name, place, share: share(samples) })),
  };
}

/** A file URL as a path from the root. */
export const pathFrom = (root: string, url: string): string =>
  url.startsWith(root) ? url.slice(root.length) : posix.basename(url);
