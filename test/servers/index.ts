import { startDynamoDbLocal } from './dynamodb-local.ts';
import { startFauxqs } from './fauxqs.ts';
import { startLocalStack } from './localstack.ts';
import { startMiniStack } from './ministack.ts';
import { startModel } from './model.ts';
import { startMoto } from './moto.ts';
import type { ServerName } from './names.ts';
import type { RunningServer, StartOptions } from './types.ts';

export { type ServerName, serverNames } from './names.ts';

export {
  type RunningServer,
  ServerFailure,
  ServerUnavailable,
  type ServiceName,
  type StartOptions,
} from './types.ts';

const starters: Readonly<Record<ServerName, (options: StartOptions) => Promise<RunningServer>>> = {
  model: startModel,
  localstack: startLocalStack,
  ministack: startMiniStack,
  moto: startMoto,
  fauxqs: startFauxqs,
  'dynamodb-local': startDynamoDbLocal,
};

/**
 * Starts a server on 127.0.0.1 and waits until it answers; the first time it is installed into the cache of the user
 * (`SLUICE_CACHE`, else `~/.cache/sluice`). Stop it in any case: it has processes and files of its own. Should
 * this process be killed, they are removed all the same.
 *
 * @throws {ServerUnavailable} when it cannot be had on this machine
 * @throws {ServerFailure} when it does not start, or its port is taken
 * @example
 * ```ts
 * const server = await startServer('ministack');
 * try {
 *   await new SQSClient({ endpoint: server.url }).send(new ListQueuesCommand({}));
 * } finally {
 *   await server.stop();
 * }
 * ```
 */
export function startServer(name: ServerName, options: StartOptions = {}): Promise<RunningServer> {
  return starters[name](options);
}
