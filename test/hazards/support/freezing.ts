import { type Clock, milliseconds, type Timer } from '../../../lib/base/index.ts';
import type { World } from '../../runtime/support/world.ts';

/** A process that can be stopped and go on later, as Lambda freezes environments: it notices nothing. */
export interface Process {
  /** Its clock: timers that fall due while it is frozen run when it is thawed. */
  readonly clock: Clock;
  /** A client whose answers it hears only when it is not frozen. */
  client<Client extends { send(command: object): Promise<object> }>(client: Client): Client;
  freeze(): void;
  /** Lets it go on: answers that came are heard first, then every timer that fell due runs, in its order. */
  thaw(): void;
}

export function freezable(world: World): Process {
  let frozen = false;
  let due: (() => void)[] = [];
  let waiting: (() => void)[] = [];
  return {
    clock: {
      now: world.clock.now,
      after(delay, task): Timer {
        let cancelled = false;
        const run = () => {
          if (!cancelled) task();
        };
        const timer = world.clock.after(delay, () => (frozen ? due.push(run) : run()));
        return {
          cancel() {
            cancelled = true;
            timer.cancel();
          },
        };
      },
    },
    client: (client) => ({
      ...client,
      async send(command: object) {
        const answer = await client.send(command).then(
          (output) => () => output,
          (error: unknown) => () => {
            throw error;
          },
        );
        if (frozen) await new Promise<void>((resolve) => waiting.push(resolve));
        return answer();
      },
    }),
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      for (const task of [...waiting, ...due]) world.clock.after(milliseconds(0), task);
      waiting = [];
      due = [];
    },
  };
}
