import type { WorkerStats } from '../../lambda/worker/index.ts';
import { type Clock, milliseconds } from '../../lib/base/index.ts';

/** What a developer wants to see of a worker. */
export interface Progress {
  readonly received: number;
  readonly done: number;
  readonly failed: number;
  readonly deadLettered: number;
  readonly running: number;
}

/** While something happens, a line so often. */
const interval = milliseconds(1_000);

/** What a dead letter is to the queue, a deleted message, is no success to its reader. */
export const progressOf = (stats: WorkerStats, deadLettered: number): Progress => ({
  received: stats.received,
  done: Math.max(0, stats.done - deadLettered),
  failed: stats.failed,
  deadLettered,
  running: stats.running,
});

/** In words. */
export const inWords = ({ received, done, failed, deadLettered, running }: Progress): string =>
  `received ${received}, done ${done}, failed ${failed}, dead-lettered ${deadLettered}, running ${running}`;

/** Tells of progress once a second while there is any; gives what ends it. */
export function watch(clock: Clock, look: () => Progress, tell: (progress: Progress) => void): () => void {
  let last = JSON.stringify(look());
  const check = () => {
    const now = look();
    const text = JSON.stringify(now);
    if (text !== last) tell(now);
    last = text;
    timer = clock.after(interval, check);
  };
  let timer = clock.after(interval, check);
  return () => timer.cancel();
}
