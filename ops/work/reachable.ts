import { connect } from 'node:net';
import { WorkFault } from './errors.ts';

/**
 * Looks whether anything listens at an endpoint, before an app is synthesized for it.
 *
 * @throws {WorkFault} when nothing does
 */
export function demandServer(endpoint: string): Promise<void> {
  const { protocol, hostname, port } = new URL(endpoint);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', (cause) =>
      reject(
        new WorkFault(
          'failure',
          `nothing answers at ${endpoint}: start the server, or say where it is (--endpoint).`,
          { cause },
        ),
      ),
    );
  });
}
