import { milliseconds, type Timer } from '../../lib/base/index.ts';
import type { StoredMessage } from './message.ts';
import { catchUp, type Queue } from './queue.ts';
import { type ReceiveRequest, receiveNow } from './receive.ts';
import type { World } from './world.ts';

/** A long poll that has found nothing yet. */
export interface Waiter {
  readonly request: ReceiveRequest;
  readonly finish: (messages: readonly StoredMessage[]) => void;
}

/** Long polls: who waits, in the order of coming, and the one timer for each queue that somebody waits for. */
export interface Polls {
  /** Resolves with messages as soon as there are any, with none after `wait` milliseconds or when the caller goes. */
  readonly wait: (
    queue: Queue,
    request: ReceiveRequest,
    wait: number,
    signal: AbortSignal | undefined,
  ) => Promise<readonly StoredMessage[]>;
  /** Something of the queue changed: gives the waiting what there is for them. */
  readonly serve: (queue: Queue) => void;
  /** The queue is gone: nobody waits any longer. */
  readonly dismiss: (queue: Queue) => void;
}

export function createPolls(world: World): Polls {
  const alarms = new Map<Queue, { readonly at: number; readonly timer: Timer }>();

  const disarm = (queue: Queue) => {
    alarms.get(queue)?.timer.cancel();
    alarms.delete(queue);
  };

  // The timer stands at the next end of a delay or visibility timeout, for as long as somebody waits.
  const arm = (queue: Queue) => {
    const next = queue.waiters.size === 0 ? undefined : queue.due.peek()?.dueAt;
    const alarm = alarms.get(queue);
    if (alarm?.at === next) return;
    disarm(queue);
    if (next === undefined) return;
    const timer = world.clock.after(milliseconds(Math.max(0, next - world.clock.now())), () => {
      alarms.delete(queue);
      catchUp(queue, world.clock.now());
      serve(queue);
    });
    alarms.set(queue, { at: next, timer });
  };

  const serve = (queue: Queue): void => {
    for (const waiter of queue.waiters) {
      if (queue.visible === 0) break;
      const { messages, deadLetterQueue } = receiveNow(world, queue, waiter.request);
      if (deadLetterQueue !== undefined) serve(deadLetterQueue);
      if (messages.length === 0) break;
      waiter.finish(messages);
    }
    if (queue.waiters.size > 0 || alarms.has(queue)) arm(queue);
  };

  return {
    serve,
    wait: (queue, request, wait, signal) =>
      new Promise((resolve) => {
        const finish = (messages: readonly StoredMessage[]) => {
          timer.cancel();
          signal?.removeEventListener('abort', abandon);
          queue.waiters.delete(waiter);
          resolve(messages);
        };
        const abandon = () => {
          finish([]);
          arm(queue);
        };
        const waiter: Waiter = { request, finish };
        const timer = world.clock.after(milliseconds(wait), abandon);
        signal?.addEventListener('abort', abandon, { once: true });
        queue.waiters.add(waiter);
        arm(queue);
      }),
    dismiss(queue) {
      for (const waiter of [...queue.waiters]) waiter.finish([]);
      disarm(queue);
    },
  };
}
