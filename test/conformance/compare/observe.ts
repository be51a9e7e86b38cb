import type { World } from '../world.ts';

/** What one step showed, without what differs from server to server: ids, handles, times. */
export type Observation = string;

/** One operation of a sequence. */
export interface Step {
  readonly op: string;
  readonly [parameter: string]: unknown;
}

/** One kind of sequences. */
export interface Kind {
  readonly name: string;
  readonly title: string;
  /** Makes what the steps work on; gives what plays one of them. */
  prepare(world: World): Promise<(step: Step) => Promise<Observation>>;
}

/** Plays an operation: what it shows, or the name of its error and what `details` says of it. */
export async function observed(
  play: () => Promise<unknown>,
  details: (error: Error) => unknown = () => undefined,
): Promise<Observation> {
  try {
    return textOf(await play());
  } catch (error) {
    if (!(error instanceof Error) || (error as { $fault?: string }).$fault === undefined) throw error;
    const more = details(error);
    return `${error.name}${more === undefined ? '' : ` ${textOf(more)}`}`;
  }
}

/** JSON with sorted keys; sets as sorted lists. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'nothing';
