import { batchOf } from './runtime/batch.ts';
import { loadCandidates } from './runtime/load.ts';
import { createModel } from './runtime/model.ts';
import { createClientTape } from './runtime/tape.ts';
const candidates = await loadCandidates(['@aws-sdk/*']);
const model = await createModel();
const tape = createClientTape(model.send);
const c = candidates.sluice({ send: tape.send } as never, 'elsewhere');
await tape.record(async () => { await c.invoke(batchOf(10, 1)); });
const event = batchOf(10, 1);
for (let r = 0; r < 12; r++) {
  const t = process.cpuUsage();
  for (let i = 0; i < 2000; i++) { await c.invoke(event); await new Promise((r) => setImmediate(r)); }
  const { user, system } = process.cpuUsage(t);
  console.log(((user + system) / 20000).toFixed(2));
}
model.aws.stop();
