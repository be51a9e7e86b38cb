import { type Clock, type Milliseconds, milliseconds, type Timer } from '../../lib/base/index.ts';
import type { LambdaContext } from './lambda.ts';

/*
 *   start                              stopAt         cut           lastCall  end
 *   |----------------------------------|--------------|-------------|---------|
 *   new work may start                 signal fires,  what runs is  what is   Lambda kills
 *                                      nothing new    left behind   not known
 *                                                                   done goes back
 */

/** At most this long before the end the handlers are told; half of it before, they are left behind. */
const longestGuard = 2_000;
/** Of a short invocation, that part. */
const guardPart = 0.2;
/**
 * SQS quotas: a message is invisible for at most 12 hours from its receive, and what would make it longer is refused.
 * Leases and visibilities end up to six seconds after the work, so that ends ten seconds before.
 */
const longestWork = 12 * 3_600_000 - 10_000;

/** The time of one invocation. */
export interface Deadline {
  /** When the handlers' signals fire and nothing new starts. */
  readonly stopAt: Milliseconds;
  /** When Lambda ends the function, or SQS the messages' invisibility. */
  readonly end: Milliseconds;
  /** Half-time: a run that began by then had a fair share of the time, and counts as a try if it is broken off. */
  readonly fairUntil: Milliseconds;
  /** Whether `stopAt` lies behind. */
  reached(): boolean;
  /** Resolves when what still runs is to be left behind. */
  readonly cut: Promise<'cut'>;
  /** Resolves when the response must be given, whatever has not answered by then. */
  readonly lastCall: Promise<'last call'>;
  /** Ends its timer. */
  cancel(): void;
}

/**
 * @param received - when the batch was received, at the latest: SQS counts its 12 hours from there
 * @param onStop - called once at `stopAt`
 */
export function startDeadline(
  clock: Clock,
  context: Pick<LambdaContext, 'getRemainingTimeInMillis' | 'shortened'>,
  received: Milliseconds,
  onStop: () => void,
): Deadline {
  const start = clock.now();
  let reachCut: (value: 'cut') => void;
  let reachLastCall: (value: 'last call') => void;
  let guard = 0;
  let timer: Timer | undefined;
  const deadline = {
    stopAt: start,
    end: start,
    fairUntil: start,
    reached: () => clock.now() >= deadline.stopAt,
    cut: new Promise<'cut'>((resolve) => {
      reachCut = resolve;
    }),
    lastCall: new Promise<'last call'>((resolve) => {
      reachLastCall = resolve;
    }),
    cancel() {
      timer?.cancel();
      context.shortened?.removeEventListener('abort', shorten);
    },
  };

  function setEnd(limit: number) {
    const now = clock.now();
    const told = context.getRemainingTimeInMillis();
    // A remaining time of 0, or of nonsense, is no time; it is never "no limit".
    const remaining = Number.isNaN(told) ? 0 : Math.max(0, told);
    deadline.end = milliseconds(Math.min(now + remaining, limit));
    guard = Math.min(longestGuard, Math.max(0, deadline.end - now) * guardPart);
    deadline.stopAt = milliseconds(deadline.end - guard);
    timer?.cancel();
    timer = clock.after(milliseconds(Math.max(0, deadline.stopAt - now)), () => {
      onStop();
      timer = clock.after(milliseconds(guard / 2), () => {
        reachCut('cut');
        timer = clock.after(milliseconds(guard / 4), () => reachLastCall('last call'));
      });
    });
  }

  function shorten() {
    // Already being told to stop, or with time enough: nothing changes.
    if (deadline.reached() || clock.now() + context.getRemainingTimeInMillis() >= deadline.end) return;
    setEnd(deadline.end);
    // Nobody had a fair share of a time that was taken away.
    deadline.fairUntil = milliseconds(start - 1);
  }

  setEnd(received + longestWork);
  deadline.fairUntil = milliseconds((start + deadline.stopAt) / 2);
  context.shortened?.addEventListener('abort', shorten, { once: true });
  return deadline;
}
