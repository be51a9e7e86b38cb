import { type Milliseconds, milliseconds, type Timer, toMilliseconds, uuid } from '../../lib/base/index.ts';
import type { LambdaContext } from '../runtime/index.ts';
import type { LambdaSqsRecord } from './record.ts';
import type { WorkerSettings } from './settings.ts';

/** How an invocation ended. */
export type Ending =
  | { readonly kind: 'answered'; readonly answer: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** Its time was over; what it answers later goes nowhere. */
  | { readonly kind: 'overran' };

/** The invocations of a worker. */
export interface Invocations {
  /** Runs the function with a batch. Never rejects. */
  run(records: readonly LambdaSqsRecord[]): Promise<Ending>;
  /** Takes time away from those that run: none goes on beyond this moment. */
  endBy(moment: Milliseconds): void;
}

export function createInvocations(settings: WorkerSettings): Invocations {
  const { handler, clock, random, timeout } = settings;
  const running = new Set<() => void>();
  let latest = Number.POSITIVE_INFINITY;
  return {
    run(records) {
      const timeOut = clock.now() + toMilliseconds(timeout);
      const left = () => Math.max(0, Math.min(timeOut, latest) - clock.now());
      const shortened = new AbortController();
      const context: LambdaContext = {
        awsRequestId: uuid(random),
        getRemainingTimeInMillis: left,
        shortened: shortened.signal,
      };
      return new Promise((resolve) => {
        let timer: Timer;
        const end = (ending: Ending) => {
          timer.cancel();
          running.delete(shorten);
          resolve(ending);
        };
        const arm = () => {
          timer = clock.after(milliseconds(left()), () => end({ kind: 'overran' }));
        };
        const shorten = () => {
          timer.cancel();
          arm();
          shortened.abort();
        };
        running.add(shorten);
        arm();
        // A function that throws before its first await rejects like any other.
        new Promise<unknown>((answer) => answer(handler({ Records: records }, context))).then(
          (answer) => end({ kind: 'answered', answer }),
          (error: unknown) => end({ kind: 'threw', error }),
        );
      });
    },
    endBy(moment) {
      latest = Math.min(latest, moment);
      for (const shorten of running) shorten();
    },
  };
}
