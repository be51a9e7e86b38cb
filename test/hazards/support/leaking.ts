import { sleep } from '../../../lib/base/index.ts';
import { milliseconds } from '../../../lib/topology/index.ts';
import { again, createWorld, message, recordOf } from '../../runtime/support/world.ts';

/*
 * A program of its own, for promises that are left alone and reject. As Lambda's Node runtime does, it ends the
 * function's process when there is one: nothing of the batch is answered, and no further call gets through.
 */

const world = createWorld();
const runs: Record<string, number> = {};
const names = ['a', 'leaks at once', 'b', 'c', 'leaks a commit', 'd', 'e'];
let kill: () => void = () => undefined;
let deaths = 0;
process.on('unhandledRejection', () => kill());

/** A process of the function handles a batch; resolves with the ids that come back. */
async function handle(records: readonly ReturnType<typeof message>[]): Promise<string[]> {
  let dead = false;
  const killed = new Promise<'killed'>((resolve) => {
    kill = () => {
      if (dead) return;
      dead = true;
      deaths++;
      resolve('killed');
    };
  });
  const through = (client: { send(command: object): Promise<object> }) => ({
    send: (command: object) => (dead ? new Promise<object>(() => undefined) : client.send(command)),
  });
  const worker = world.worker(
    async ({ data: { orderId } }, context) => {
      runs[orderId] = (runs[orderId] ?? 0) + 1;
      if (orderId === 'leaks at once') void Promise.reject(new Error('left alone'));
      if (orderId === 'leaks a commit') void context.commitWith([{ Delete: undefined }]);
      await sleep(world.clock, milliseconds(200));
    },
    { sqs: through(world.sqs), dynamodb: through(world.dynamodb) },
  );
  const response = worker.start(records, milliseconds(900_000));
  for (;;) {
    await world.clock.advance(milliseconds(50));
    const outcome = await Promise.race([response, killed, Promise.resolve(undefined)]);
    if (outcome === 'killed') return records.map(({ messageId }) => messageId);
    if (outcome !== undefined) return outcome.batchItemFailures.map((failure) => failure.itemIdentifier);
  }
}

let open = names.map((name) => message(name, { messageId: name }));
for (let round = 0; open.length > 0 && round < 20; round++) {
  const back = await handle(open);
  open = open.filter(({ messageId }) => back.includes(messageId)).map(again);
  await world.clock.advance(milliseconds(40_000));
}
console.log(
  JSON.stringify({
    deaths,
    runs,
    states: Object.fromEntries(names.map((name) => [name, recordOf(world, name)?.state])),
    letters: world.sqs.letters.map(({ MessageBody = '', MessageAttributes }) => [
      (JSON.parse(MessageBody) as { data: { orderId: string } }).data.orderId,
      MessageAttributes?.['sluice-reason']?.StringValue,
    ]),
  }),
);
