/**
 * The middle of the values: on a shared machine the mean mostly tells what else was running.
 *
 * @throws {RangeError} when there are none
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) throw new RangeError('There is no median of no values.');
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] as number)) / 2;
}

/** What {@link alternate} measured: for each candidate its values, in the order of the rounds. */
export type Rounds<Name extends string, Value> = Readonly<Record<Name, readonly Value[]>>;

/**
 * Measures candidates in turns, A B A B, so that what the machine does besides meets all of them alike. The first
 * turn of each is not kept: it is when code is compiled and connections are opened. Every second round goes
 * backwards, so that none always follows the same other.
 *
 * @param rounds - how many turns of each are kept
 * @param limitMs - milliseconds after which no further round is begun, once one was kept
 */
export async function alternate<Name extends string, Value>(
  candidates: Readonly<Record<Name, () => Promise<Value>>>,
  rounds: number,
  limitMs = 15_000,
): Promise<Rounds<Name, Value>> {
  const names = Object.keys(candidates) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  const end = performance.now() + limitMs;
  for (let round = 0; round <= rounds && (round < 2 || performance.now() < end); round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await candidates[name]();
      if (round > 0) values[name].push(value);
    }
  return values;
}

/**
 * Compares two candidates round by round: the median of the ratios, which is steadier than the ratio of the medians
 * when the machine's speed changes from round to round.
 */
export function ratio(of: readonly number[], to: readonly number[]): number {
  return median(of.map((value, round) => value / (to[round] as number)));
}

/**
 * Microseconds of processor time that this process spends on some work, its helper threads (garbage collector)
 * included: what else runs on the machine does not count.
 */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
