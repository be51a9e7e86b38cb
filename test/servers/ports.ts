import { type AddressInfo, createServer } from 'node:net';
import { ServerFailure } from './types.ts';

/**
 * The port that a server gets: the one that is asked for when it is free, else any free one.
 *
 * @throws {ServerFailure} when the port is taken
 */
export function takePort(server: string, wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new ServerFailure(
          error.code === 'EADDRINUSE'
            ? `${server} cannot listen on 127.0.0.1:${wanted}: the port is in use. End what listens there, or give another port.`
            : `${server} cannot listen on 127.0.0.1:${wanted}: ${error.message}.`,
          { cause: error },
        ),
      ),
    );
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
