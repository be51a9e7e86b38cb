import { createAws, createEndpoint } from '../../local/index.ts';

// The program of a process: our endpoint, with nothing in it.
const { url } = await createEndpoint((endpoint) => createAws({ endpoint, sqs: { duplicateRate: 0 } }), {
  port: 0,
});
// Whoever measures is gone: nothing is left behind.
process.once('disconnect', () => process.exit());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
process.send?.({ url });
