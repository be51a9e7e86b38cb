import { startFauxqs } from 'fauxqs';

// The program of a process: the peer, with nothing in it.
const { port } = await startFauxqs({ port: 0, logger: false });
// Whoever measures is gone: nothing is left behind.
process.once('disconnect', () => process.exit());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
process.send?.({ url: `http://127.0.0.1:${port}` });
