import { parentPort, workerData } from 'node:worker_threads';
import { startServers, type WorldOptions } from './servers.ts';

/** What the run tells the world. */
export type WorldCommand = { readonly fraudDown: boolean } | 'close';

const servers = await startServers(workerData as WorldOptions);
parentPort?.on('message', async (command: WorldCommand) => {
  if (command !== 'close') return servers.setFraudDown(command.fraudDown);
  await servers.close();
  parentPort?.close();
});
parentPort?.postMessage(servers.urls);
