import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type HandlerFactory, type HarnessTools } from 'sluice/local';
import * as v from 'valibot';
import { milliseconds, type Seconds, sleep, toMilliseconds, toSeconds } from '../../lib/base/index.ts';
import { goalCells, type Judged, judged } from '../goal.ts';
import type { Part } from '../part.ts';

/** The job, as long as a function may run (Lambda quotas). */
const length = minutes(15);

const jobs = defineMessaging({
  name: 'jobs',
  topics: { jobs: {} },
  events: { 'job.wanted': event({ topic: 'jobs', schema: v.object({ job: v.string() }) }) },
  subscribers: { worker: { on: ['job.wanted'], handler: 'worker.ts', lag: minutes(5), timeout: length } },
});

interface Case {
  readonly name: string;
  /** How long after its begin the worker is killed. */
  readonly killedAfter: Seconds;
  /** What makes the function of a job. */
  readonly make: (work: (tools: HarnessTools) => Promise<void>) => HandlerFactory;
  /** Most seconds until the job runs again. */
  readonly goal?: number;
}

const withSluice: Case['make'] = (work) => (tools) => consume(jobs, 'worker', () => work(tools), tools);

/** A handler without heartbeat: what a visibility of six times the timeout gives. */
const withVisibilityAlone: Case['make'] = (work) => (tools) => async () => {
  await work(tools);
  return { batchItemFailures: [] };
};

const cases: readonly Case[] = [
  {
    name: 'killed after its first heartbeat',
    killedAfter: seconds(2),
    make: withSluice,
    goal: 45,
  },
  { name: 'killed in the middle', killedAfter: minutes(7), make: withSluice, goal: 45 },
  { name: 'killed before its first heartbeat', killedAfter: seconds(0.5), make: withSluice },
  { name: 'no heartbeat, six-fold visibility', killedAfter: seconds(2), make: withVisibilityAlone },
];

/** How soon a job whose worker was killed runs again, in the model's time: the same in each run. */
export const recovery: Part = {
  name: 'recovery',
  description: 'how soon a killed job of 15 minutes runs again, on the virtual clock',
  async measure({ say }) {
    say('recovery: killing workers in the model');
    const rows: (string | number)[][] = [];
    const goals: Judged[] = [];
    for (const { goal: most, ...killing } of cases) {
      const found = await secondsToRecover(killing);
      const goal = most === undefined ? undefined : judged(`recovery, ${killing.name}`, found, most, 's');
      if (goal !== undefined) goals.push(goal);
      rows.push([killing.name, killing.killedAfter, found, ...goalCells(goal)]);
    }
    return [
      {
        title: 'recovery: a job of 15 minutes whose worker is killed',
        note:
          'Seconds of the model’s time until it runs again. The first heartbeat, one second after the begin, brings the ' +
          'message’s\nvisibility down to the lease; before it the queue’s own visibility holds, six times the timeout.',
        columns: ['', 'killed after, s', 'runs again after, s', 'goal', ''],
        rows,
        goals,
      },
    ];
  },
};

async function secondsToRecover({ killedAfter, make, name }: Case): Promise<number> {
  const begins: number[] = [];
  const harness = await createHarness(jobs, {
    handlers: {
      worker: make(async ({ clock }) => {
        begins.push(clock.now());
        await sleep(clock, toMilliseconds(length));
      }),
    },
  });
  try {
    await publisher(jobs, harness.tools).publish('job.wanted', { job: 'transcode' });
    const step = milliseconds(100);
    for (let waited = 0; begins.length === 0 && waited < toMilliseconds(minutes(1)); waited += step)
      await harness.clock.advance(step);
    const [begun] = begins;
    if (begun === undefined) throw new Error(`${name}: the job did not begin.`);
    await harness.clock.advance(milliseconds(begun + toMilliseconds(killedAfter) - harness.clock.now()));
    const killedAt = harness.clock.now();
    if (!harness.kill('worker')) throw new Error(`${name}: there was nothing to kill.`);
    for (let passed = 0; begins.length === 1 && passed <= minutes(120); passed++)
      await harness.advance(seconds(1));
    const again = begins[1];
    return again === undefined ? Number.POSITIVE_INFINITY : toSeconds(milliseconds(again - killedAt));
  } finally {
    harness.stop();
  }
}
