import type { Clients } from '../worlds/clients.ts';
import { type Found, type Kind, kinds } from './kinds.ts';

/** What could not be removed, and why. */
export interface Left {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
}

/** What {@link sweep} is given besides the clients. */
export interface SweepOptions {
  /** The runs whose things are removed; `undefined` for every run that left some. */
  readonly runs: readonly string[] | undefined;
  /** Stacks that the runs made, by their journals: what a stack retained has its name, and not always its tag. */
  readonly stacks: readonly string[];
  readonly removed: (kind: string, name: string) => void;
  /** Waits between rounds, in seconds. */
  readonly pause: (seconds: number) => Promise<unknown>;
  /**
   * How often it is tried: some things are gone only when others are.
   *
   * @default 10
   */
  readonly rounds?: number;
}

/**
 * Removes what runs have left. Two signs have to agree before something is touched: the run in its name, and the
 * run's tag; or, of what a stack made, the name of a stack that stands in a journal.
 */
export async function sweep(clients: Clients, options: SweepOptions): Promise<readonly Left[]> {
  const { rounds = 10 } = options;
  for (let round = 1; ; round++) {
    const left: Left[] = [];
    let busy = false;
    for (const kind of kinds)
      for (const found of await belonging(clients, kind, options)) {
        try {
          await kind.remove(clients, found);
          options.removed(kind.name, found.name);
          // A stack is on its way; the next round sees whether it is gone.
          if (kind.name === 'stack') busy = true;
        } catch (error) {
          left.push({
            kind: kind.name,
            name: found.name,
            reason: error instanceof Error ? error.message : String(error),
          });
        }
      }
    if ((left.length === 0 && !busy) || round >= rounds) return left;
    await options.pause(Math.min(15, 2 * round));
  }
}

/** Things of a kind with the name and the tag of one of the runs. */
export async function belonging(
  clients: Clients,
  kind: Kind,
  { runs, stacks }: Pick<SweepOptions, 'runs' | 'stacks'>,
): Promise<readonly Found[]> {
  const named = (await kind.list(clients)).filter(({ name }) =>
    runs === undefined ? runPattern.test(name) : runs.some((run) => name.includes(`-${run}-`)),
  );
  const own: Found[] = [];
  for (const found of named) {
    if (stacks.some((stack) => found.name.startsWith(`${stack}-`))) {
      own.push(found);
      continue;
    }
    const run = await runOf(clients, kind, found);
    if (run !== undefined && found.name.includes(`-${run}-`) && (runs?.includes(run) ?? true))
      own.push(found);
  }
  return own;
}

/** A run as it stands in names: `c` and seven hexadecimal digits. */
const runPattern = /-c[0-9a-f]{7}-/;

async function runOf(clients: Clients, kind: Kind, found: Found): Promise<string | undefined> {
  try {
    return await kind.runOf(clients, found);
  } catch (error) {
    // Gone between the list and the look.
    if (
      error instanceof Error &&
      /NotFound|NonExistent|NoSuch|does not exist/i.test(`${error.name} ${error.message}`)
    )
      return undefined;
    throw error;
  }
}
