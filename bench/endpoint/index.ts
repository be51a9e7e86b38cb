import { startChild } from '../child.ts';
import { alternate, cpuOf, median, ratio } from '../measure.ts';
import type { Effort, Part, Table } from '../part.ts';
import { cpuOfServer, createExchange, type Server } from './messages.ts';
import { createRecords } from './records.ts';

/** How fast the endpoint answers, beside another server that stands in for AWS. */
export const endpoint: Part = {
  name: 'endpoint',
  description: 'messages a second through the endpoint, beside fauxqs, and conditional writes a second',
  async measure(effort) {
    const ours = await startServer('endpoint/sluice-server.ts');
    try {
      const theirs = await startServer('endpoint/fauxqs-server.ts');
      try {
        return [await messages(ours, theirs, effort), await records(ours, effort)];
      } finally {
        await theirs.child.end();
      }
    } finally {
      await ours.child.end();
    }
  },
};

/** A server is needed for a part of a minute; one that is still there after that hangs. */
const limitMs = 120_000;

async function startServer(path: string): Promise<Server> {
  const child = startChild(path, limitMs);
  const { url } = await child.ask<{ url: string }>();
  return { child, url };
}

/** One round: how long it took, and who used how much of the processor. */
interface Round {
  readonly perSecond: number;
  readonly serverUs: number;
  readonly clientUs: number;
}

/** Measures some work on a server, for each of `count` things that it does. */
async function roundOf(server: Server, count: number, work: () => Promise<void>): Promise<Round> {
  const before = await cpuOfServer(server);
  const startedAt = performance.now();
  const clientUs = await cpuOf(work);
  const seconds = (performance.now() - startedAt) / 1000;
  const serverUs = (await cpuOfServer(server)) - before;
  return { perSecond: count / seconds, serverUs: serverUs / count, clientUs: clientUs / count };
}

const of = (rounds: readonly Round[], figure: keyof Round) => rounds.map((round) => round[figure]);

async function messages(ours: Server, theirs: Server, { quick, say }: Effort): Promise<Table> {
  const count = quick ? 500 : 2000;
  const rows: (string | number)[][] = [];
  for (const fifo of [false, true]) {
    const kind = fifo ? 'FIFO' : 'standard';
    say(`endpoint: ${count.toLocaleString('en')} messages a round through a ${kind} queue of each server`);
    const ourExchange = await createExchange(ours, fifo);
    const theirExchange = await createExchange(theirs, fifo);
    const { sluice, fauxqs } = await alternate(
      {
        sluice: () => roundOf(ours, count, () => ourExchange.move(count)),
        fauxqs: () => roundOf(theirs, count, () => theirExchange.move(count)),
      },
      quick ? 3 : 5,
    );
    ourExchange.close();
    theirExchange.close();
    const row = (name: string, figure: keyof Round) => [
      `${kind}: ${name}`,
      median(of(sluice, figure)),
      median(of(fauxqs, figure)),
      ratio(of(sluice, figure), of(fauxqs, figure)),
    ];
    rows.push(
      row('messages a second', 'perSecond'),
      row('server, us of processor a message', 'serverUs'),
      row('client, us of processor a message', 'clientUs'),
    );
  }
  return {
    title: 'endpoint: send, receive and delete',
    note: 'The real SDK over HTTP, batches of 10, 4 at once, 400-byte bodies. Each server in a process of its own; ours runs from its TypeScript sources.',
    columns: ['', 'sluice', 'fauxqs', 'sluice / fauxqs'],
    rows,
  };
}

async function records(server: Server, { quick, say }: Effort): Promise<Table> {
  const count = quick ? 500 : 2000;
  say(`endpoint: ${count.toLocaleString('en')} conditional writes a round`);
  const { putEach, insertTen, close } = await createRecords(server);
  const { each, ten } = await alternate(
    {
      each: () => roundOf(server, count, () => putEach(count)),
      ten: () => roundOf(server, count, () => insertTen(count)),
    },
    quick ? 3 : 5,
  );
  close();
  const row = (name: string, figure: keyof Round) => [
    name,
    median(of(ten, figure)),
    median(of(each, figure)),
    ratio(of(ten, figure), of(each, figure)),
  ];
  return {
    title: 'endpoint: conditional writes of new records to our DynamoDB',
    note: 'The real SDK over HTTP, 8 calls at once: ten statements a call, as the runtime claims, beside one PutItem a record.',
    columns: ['', 'ten a call', 'one a call', 'ratio'],
    rows: [
      row('writes a second', 'perSecond'),
      row('server, us of processor a write', 'serverUs'),
      row('client, us of processor a write', 'clientUs'),
    ],
  };
}
