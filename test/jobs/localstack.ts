import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage, Theatre } from '../../examples/orders/run/index.ts';
import type { RunningServer } from '../servers/index.ts';
import { type CdkPlace, cdk } from './cdk.ts';
import { publishedTwice } from './faults.ts';
import { startProxy } from './proxy.ts';
import { openRemote } from './remote.ts';
import { startWorkers } from './workers.ts';

/** The stack's consumers are not functions: LocalStack runs those in Docker alone. */
const localStackContext = ['-c', 'sluice:stage=dev', '-c', 'sluice:consumers=worker'] as const;

/**
 * LocalStack, with the consumers as long-polling workers. All of the main run's faults can be had; what is different: events
 * are published twice, since nothing makes its queues deliver twice, and an acknowledgement is lost on its way.
 */
export const onLocalStack = (server: RunningServer, place: CdkPlace): Theatre => ({
  patience: 420_000,
  faultPatience: 120_000,
  // Its topics deliver later than they answer.
  quiet: 5_000,
  faults: (plan, orders, random) => ({
    ...plan,
    duplicateRate: 0,
    ...(plan.duplicateRate > 0 && { publishedTwice: publishedTwice(orders, random) }),
  }),
  async open({ world, say, signal, fail }) {
    const parameters = Object.entries(world.parameters).flatMap(([name, value]) => [
      '--parameters',
      `Orders:${name}=${value}`,
    ]);
    say(`cdk bootstrap: ${(await cdk(['bootstrap'], place)).toFixed(1)} s`);
    const deploy = ['deploy', 'Orders', '--require-approval', 'never', ...localStackContext, ...parameters];
    say(`cdk deploy: ${(await cdk(deploy, place)).toFixed(1)} s`);
    // What the workers run: the app as it is with functions.
    await cdk(['synth', 'Orders', '--quiet', '-c', 'sluice:consumers=lambda'], place);
    const assembly = join(place.folder, 'assembly');
    cpSync(join(place.folder, 'cdk-synth'), assembly, { recursive: true });

    const remote = await openRemote(server.url, 'Orders', fail);
    const proxy = await startProxy(server.url);
    const subscribers = remote.places.map(({ name }) => name);
    const closeBoth = async () => {
      remote.close();
      await proxy.close();
    };
    let workers: Awaited<ReturnType<typeof startWorkers>>;
    try {
      workers = await startWorkers({ subscribers, url: proxy.url, assembly, folder: place.folder, signal });
    } catch (error) {
      await closeBoth();
      throw error;
    }
    say(`${subscribers.length} workers (npx sluice work) take messages`);
    workers.died.addEventListener('abort', () => fail(workers.died.reason), { once: true });
    const queueOf = (subscriber: string) => {
      const url = remote.places.find(({ name }) => name === subscriber)?.queueUrl ?? '';
      return url.slice(url.lastIndexOf('/') + 1);
    };
    const stage: Stage = {
      ...remote,
      received: proxy.received,
      acknowledged: proxy.acknowledged,
      warm: async () => {},
      kill(subscriber) {
        if (!workers.isAtWork(subscriber) || proxy.held(queueOf(subscriber)) <= 0) return false;
        proxy.forget(queueOf(subscriber));
        workers.kill(subscriber);
        return true;
      },
      lose: (subscriber, giveUp) => proxy.lose(queueOf(subscriber), giveUp),
      settle: async () => {},
      async close() {
        await workers.close();
        await closeBoth();
      },
    };
    return stage;
  },
});
