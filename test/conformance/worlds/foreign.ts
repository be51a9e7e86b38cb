import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from '../world.ts';
import { type ClientOptions, clientsFor } from './clients.ts';
import { eventuallyOver, namesOf } from './time.ts';

/** What is known of a running server. */
export interface Foreign {
  readonly server: World['server'];
  readonly url: string;
  readonly account: string;
  readonly client: ClientOptions;
  /**
   * What names of this run have in common.
   *
   * @default - eight random characters
   */
  readonly run?: string;
}

/** A server on the machine's clock: one set of clients for all cases, and what each case made is removed after it. */
export function foreignWorlds({ server, url, account, client, run = randomUUID().slice(0, 8) }: Foreign) {
  const clients = clientsFor(client);
  const name = namesOf(run);
  const now = () => Date.now();
  const pass = (seconds: number) => pause(seconds * 1000);
  return {
    async withServer(play: (world: World) => Promise<void>): Promise<void> {
      const removals: (() => Promise<unknown>)[] = [];
      const world = Object.defineProperties(
        {
          server,
          url,
          account,
          region: client.region,
          name,
          now,
          pass,
          eventually: eventuallyOver(pass, now),
          after: (remove: () => Promise<unknown>) => void removals.push(remove),
        },
        Object.getOwnPropertyDescriptors(clients),
      ) as unknown as World;
      try {
        await play(world);
      } finally {
        // What cannot be removed does not change what the case found: the server is thrown away.
        for (const remove of removals.reverse()) await remove().catch(() => undefined);
      }
    },
    close: clients.destroy,
  };
}
