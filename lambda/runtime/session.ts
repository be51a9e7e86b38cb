import { setMaxListeners } from 'node:events';
import { type Clock, milliseconds } from '../../lib/base/index.ts';
import type { AwsClient } from './client.ts';
import { LeaseLost } from './errors.ts';
import type { Logger } from './logger.ts';
import { createWatchRights } from './rights.ts';

/**
 * Clients for one invocation. When its response is out Lambda freezes the environment, and what was left behind
 * goes on at the next invocation, maybe hours later: with receipt handles and leases of a time long past. So
 * nothing is sent then.
 */
export interface Session {
  /** The client, until the session is closed. */
  open(client: AwsClient): AwsClient;
  /** Refuses every further call, and breaks off those under way. */
  close(): void;
}

/**
 * A call of the first second carries no signal, since a call with one costs the SDK its cached middleware, a third
 * more. It is bounded all the same, by the client's own timeouts.
 */
const withoutSignal = milliseconds(1_000);

export function openSession(clock: Clock, logger: Logger): Session {
  const start = clock.now();
  let closed = false;
  const watch = createWatchRights(logger, () => closed);
  const watched = (sent: Promise<object>) => {
    watch(sent);
    return sent;
  };
  let controller: AbortController | undefined;
  return {
    open: (client) => ({
      async send(command) {
        if (closed)
          // As a fault of the client's it is not tried again.
          throw Object.assign(
            new LeaseLost('The invocation is over, and with it the right to work on the event.'),
            { $fault: 'client' },
          );
        if (clock.now() - start < withoutSignal) return watched(client.send(command));
        if (controller === undefined) {
          controller = new AbortController();
          // Each call under way listens, and Node warns of a leak from the eleventh on.
          setMaxListeners(0, controller.signal);
        }
        return watched(client.send(command, { abortSignal: controller.signal }));
      },
    }),
    close() {
      closed = true;
      controller?.abort();
    },
  };
}
