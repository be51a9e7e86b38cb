import type { CaseGroup, ConformanceCase } from './case.ts';
import { type CaseResult, playCase } from './play.ts';
import type { World } from './world.ts';

/** Where cases are played. */
export interface Stage {
  /** What the server has; a case that needs more is not supported. */
  readonly services: readonly string[];
  /** Whether hours can pass. */
  readonly drivesTime: boolean;
  /** How many cases are played at once; of those with functions, how many. */
  readonly abreast: number;
  readonly functionsAbreast: number;
  /**
   * The longest that a case may take on the machine's clock, in milliseconds.
   *
   * @default 60000
   */
  readonly patience?: number;
  with(one: ConformanceCase, play: (world: World) => Promise<void>): Promise<void>;
}

interface Todo {
  readonly index: number;
  readonly group: CaseGroup;
  readonly one: ConformanceCase;
}

/**
 * Plays the cases of the groups on a stage, several at once, those with functions after the others; the results come
 * in the order of the cases.
 *
 * @throws the reason of `signal` once it is aborted; what runs is left to its stage
 */
export async function playAll(
  stage: Stage,
  groups: readonly CaseGroup[],
  heard: (result: CaseResult) => void = () => {},
  signal?: AbortSignal,
): Promise<readonly CaseResult[]> {
  const all: readonly Todo[] = groups
    .flatMap((group) => group.cases.map((one) => ({ group, one })))
    .map((todo, index) => ({ ...todo, index }));
  const results: CaseResult[] = [];
  const settle = async ({ group, one, index }: Todo) => {
    const reason = lacking(stage, group, one);
    const result: CaseResult =
      reason === undefined
        ? await playCase(group, one, (play) => stage.with(one, play), stage.patience)
        : { id: `${group.name}/${one.name}`, group: group.name, status: 'unsupported', note: reason };
    if (signal?.aborted) return;
    results[index] = result;
    heard(result);
  };
  const abreast = async (todos: readonly Todo[], count: number) => {
    const left = todos.values();
    const worker = async () => {
      for (const todo of left) {
        signal?.throwIfAborted();
        await settle(todo);
      }
      signal?.throwIfAborted();
    };
    await untilAborted(Promise.all(Array.from({ length: Math.min(count, todos.length) }, worker)), signal);
  };
  // Where time is driven the recorder is a function of this process, and no load.
  const runs = ({ one }: Todo) => (stage.drivesTime ? one.functions === true : one.functions !== undefined);
  await abreast(
    all.filter((todo) => !runs(todo)),
    stage.abreast,
  );
  await abreast(all.filter(runs), stage.functionsAbreast);
  return results;
}

/** Waits for work, but no longer than to the abort. */
async function untilAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await work);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    // What was left behind ends for the same reason.
    work.catch(() => {});
  }
}

function lacking(stage: Stage, group: CaseGroup, one: ConformanceCase): string | undefined {
  const needs = new Set([
    ...group.needs,
    ...(one.needs ?? []),
    ...(one.functions === undefined ? [] : ['lambda']),
  ]);
  const absent = [...needs].filter((service) => !stage.services.includes(service));
  if (absent.length > 0) return `The server has no ${absent.join(' and no ')}.`;
  if (one.hours === true && !stage.drivesTime) return 'It takes hours: it is played on the model’s clock.';
  return undefined;
}
