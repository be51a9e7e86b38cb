import { createEndpoint } from '../../local/index.ts';
import { goalCells, type Judged, judged } from '../goal.ts';
import { alternate, cpuOf, median, ratio } from '../measure.ts';
import type { Effort, Part, Table } from '../part.ts';
import { batchOf } from './batch.ts';
import type { Backend, Candidate, Effect } from './candidates.ts';
import { type Candidates, loadCandidates } from './load.ts';
import { createModel } from './model.ts';
import { createClientTape, createHttpTape, type Tape } from './tape.ts';

/** Messages in a batch: what an event source takes by default (Lambda developer guide, SQS event source). */
const batchSize = 10;

interface Scenario {
  readonly name: string;
  readonly effect: Effect;
  readonly duplicate: boolean;
  /** Most of ours over theirs, with stubbed clients and through the SDK. */
  readonly goals?: { readonly stubbed?: number; readonly sdk: number };
}

const scenarios: readonly Scenario[] = [
  {
    name: 'first delivery: claim and complete',
    effect: 'elsewhere',
    duplicate: false,
    goals: { stubbed: 0.5, sdk: 0.2 },
  },
  { name: 'duplicate: recognized, not run', effect: 'elsewhere', duplicate: true },
  { name: 'effect in DynamoDB: commitWith / a write beside', effect: 'commitWith', duplicate: false },
  {
    name: 'effect in DynamoDB: transactional / a write beside',
    effect: 'returned',
    duplicate: false,
    goals: { sdk: 0.1 },
  },
];

type Level = 'stubbed' | 'sdk';

/** What `consume` costs a message, beside Powertools. */
export const runtime: Part = {
  name: 'runtime',
  description: 'what claim and completion of a message cost the function, beside Powertools for Lambda',
  async measure(effort) {
    return [
      await tableOf('stubbed', await loadCandidates(['@aws-sdk/*']), effort),
      await tableOf('sdk', await loadCandidates(), effort),
    ];
  },
};

async function tableOf(level: Level, candidates: Candidates, effort: Effort): Promise<Table> {
  const how = {
    stubbed: 'Stubbed clients, which answer at once: what is left is the libraries’ own work.',
    sdk: 'The real SDK up to HTTP; the responses come from a recording of the model.',
  };
  const rows: (string | number)[][] = [];
  const goals: Judged[] = [];
  for (const scenario of scenarios) {
    effort.say(`runtime, ${level === 'sdk' ? 'real SDK' : 'stubbed clients'}: ${scenario.name}`);
    const { ours, theirs, of } = await compare(level, scenario, candidates, effort);
    const most = scenario.goals?.[level];
    const goal =
      most === undefined ? undefined : judged(`CPU (${level}), ${scenario.name}, of Powertools`, of, most);
    if (goal !== undefined) goals.push(goal);
    rows.push([scenario.name, ours, theirs, of, ...goalCells(goal)]);
  }
  return {
    title: `runtime: processor time of a message, in batches of ${batchSize}`,
    note: `${how[level]}\nPowertools: batch + idempotency on DynamoDB. Both bundled as a handler is deployed.`,
    columns: ['', 'sluice, us', 'Powertools, us', 'sluice / Powertools', 'goal', ''],
    rows,
    goals,
  };
}

async function compare(level: Level, scenario: Scenario, candidates: Candidates, { quick }: Effort) {
  const { effect, duplicate, name } = scenario;
  const batches = (quick ? 30 : 100) * (level === 'stubbed' ? 10 : 1);
  const model = await createModel();
  const endpoint = await createEndpoint(model.aws, { port: 0 });
  const prepare = async (make: (backend: Backend, effect: Effect) => Candidate) => {
    const { tape, backend } = taped(level, endpoint.url, model.send);
    const candidate = make(backend, effect);
    await record(tape, candidate, duplicate);
    return candidate;
  };
  let ours: Candidate;
  let theirs: Candidate;
  try {
    ours = await prepare(candidates.sluice);
    theirs = await prepare(candidates.powertools);
  } finally {
    model.aws.stop();
    await endpoint.close();
  }
  const repeat = (candidate: Candidate) => async () => {
    const event = batchOf(batchSize, duplicate ? 2 : 1);
    const before = candidate.handled();
    const us = await cpuOf(async () => {
      for (let batch = 0; batch < batches; batch++) await done(candidate, event);
    });
    const messages = batches * batchSize;
    const handled = candidate.handled() - before;
    if (handled !== (duplicate ? 0 : messages))
      throw new Error(`${name}: the handler ran ${handled} times for ${messages} messages.`);
    return us / messages;
  };
  for (const candidate of [ours, theirs])
    await warmUp(candidate, batchOf(batchSize, duplicate ? 2 : 1), quick);
  const rounds = await alternate({ ours: repeat(ours), theirs: repeat(theirs) }, quick ? 3 : 9);
  return {
    ours: median(rounds.ours),
    theirs: median(rounds.theirs),
    of: ratio(rounds.ours, rounds.theirs),
  };
}

/**
 * Lets the engine compile what is measured, for as long with each candidate: by the same number of batches the one
 * that does more in each would be further ahead.
 */
async function warmUp(
  candidate: Candidate,
  event: ReturnType<typeof batchOf>,
  quick: boolean,
): Promise<void> {
  const enough = quick ? 200_000 : 1_000_000;
  for (let us = 0; us < enough; )
    us += await cpuOf(async () => {
      for (let batch = 0; batch < 20; batch++) await done(candidate, event);
    });
}

function taped(level: Level, url: string, send: Parameters<typeof createClientTape>[0]) {
  if (level === 'stubbed') {
    const tape = createClientTape(send);
    return { tape: tape as Tape, backend: { send: tape.send } };
  }
  const tape = createHttpTape();
  return { tape: tape as Tape, backend: { endpoint: url, requestHandler: tape.handler } };
}

/** Records what the model answers; for a duplicate, what it answers when the batch was done before. */
async function record(tape: Tape, candidate: Candidate, duplicate: boolean): Promise<void> {
  await tape.record(() => done(candidate, batchOf(batchSize, 1)));
  if (duplicate) await tape.record(() => done(candidate, batchOf(batchSize, 2)));
}

async function done(candidate: Candidate, event: ReturnType<typeof batchOf>): Promise<void> {
  const returned = await candidate.invoke(event);
  if (returned > 0) throw new Error(`${returned} messages were not done.`);
}
